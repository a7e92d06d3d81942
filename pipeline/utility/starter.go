package utility

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Blank is what a starter file has where people are to write. No order is built of a
// file that still holds it.
const Blank = "<fill in>"

// note begins a line at the top of a file that tells people what to write; it is no
// part of the order.
const note = "# tacet: "

// mostCells is the largest matrix that somebody may want to fill in.
const mostCells = 10_000

// A starter is how the file of a form begins.
type starter struct {
	notes  []string // what to write, in words
	header string   // the first line, "" for none; a matrix has the values behind it
	key    string   // the column of values in a header that names its columns
	after  string   // what follows the value on its line
	gap    string   // what a line lacks that is not filled in; "" counts its cells
}

var starters = map[string]starter{
	"hierarchy": {notes: []string{"a line is value;group;*. Write the group of each value in place of " + Blank +
		": values of one group are close.",
		"for groups of groups add a column before the * on every line: value;group;larger group;*"},
		after: ";" + Blank + ";*", gap: "the value has no group"},
	"ordered": {notes: []string{"put these lines in order, first to last, and then remove the line " + Blank + "."}},
	"circular": {notes: []string{"put these lines in order, around the circle, and then remove the line " + Blank +
		"."}},
	"tree": {notes: []string{"write the parent of each value in place of " + Blank + ", and add a line for each parent; " +
		"that of the root has nothing after the comma."},
		header: "code,parent", key: "code", after: "," + Blank, gap: "the value has no parent"},
	"pairs": {notes: []string{"write an output and a utility in place of " + Blank + "; a value may have several lines, " +
		"and no output but theirs."},
		header: "from,to,utility", key: "from", after: strings.Repeat(","+Blank, 2)},
	"positions": {notes: []string{"write degrees north and east in place of " + Blank +
		"; for a plane name the columns x and y instead of latitude and longitude."},
		header: "label,latitude,longitude", key: "label", after: strings.Repeat(","+Blank, 2)},
	"matrix": {notes: []string{"a cell says how well the output above stands for the value on the left: 0 is best here, " +
		"-1 worse, -inf forbids it.", "write a number in place of every " + Blank + "."}, header: "value"},
}

// lines are those of a form, for labels that cell quotes.
func (s *starter) lines(form string, cell func(string) string, labels []string) []string {
	lines := []string{s.header}
	switch form {
	case "hierarchy":
		lines = nil
	case "ordered", "circular":
		lines[0] = Blank
	}
	for x, l := range labels {
		line := cell(l) + s.after
		if form == "matrix" {
			row := slices.Repeat([]string{Blank}, len(labels))
			row[x] = "0"
			line = cell(l) + "," + strings.Join(row, ",")
			lines[0] += "," + cell(l)
		}
		lines = append(lines, line)
	}
	return lines
}

// starterOf is the form that a spec names, and how its file begins; ok where it has one.
func starterOf(spec string) (form Form, s starter, ok bool) {
	name, _, _ := strings.Cut(spec, ":")
	form, _ = FormOf(name)
	s, ok = starters[name]
	return form, s, ok
}

// Mend is the spec with which Starter begins a file of the values that the order of a spec
// lacks, "" where their places follow from themselves. Whole is set where the file takes
// the place of the spec.
func Mend(spec string) (begin string, whole bool) {
	f, _, ok := starterOf(spec)
	if !ok {
		return "", false
	}
	file := "missing.csv"
	if strings.Contains(f.Syntax, "@FILE") {
		file = "@missing.txt"
	}
	return f.Name + ":" + file, FileOf(spec) == ""
}

// Starts reports whether a file can be begun for a spec.
func Starts(spec string) bool {
	_, _, ok := starterOf(spec)
	return ok && FileOf(spec) != ""
}

// Starter is a file to fill in for a spec that names one, over these labels. Null has
// no line: it follows its own rule.
func Starter(spec, column string, labels []string) (path string, data []byte, err error) {
	if _, _, err := parse(spec); err != nil {
		return "", nil, err
	}
	form, s, ok := starterOf(spec)
	path = FileOf(spec)
	switch {
	case ok && path == "" && strings.Contains(form.Syntax, ":@FILE"):
		_, named, _ := strings.Cut(spec, ":")
		return "", nil, errorf("did you mean "+form.Name+":@"+oneLine(named)+"?", "the list of %s is to be in a file, "+
			"which @ names", form.Name)
	case !ok || path == "":
		hint := ""
		if FileOf(form.Syntax) == "" {
			hint = "give --utility " + oneLine(spec) + " as it is, or "
		}
		return "", nil, errorf(hint+"name a file to write: hierarchy:FILE.csv, ordered:@FILE.txt, circular:@FILE.txt, "+
			"positions:FILE.csv, tree:FILE.csv, pairs:FILE.csv or matrix:FILE.csv",
			"there is no file to fill in for the order %s", quote(spec))
	case form.Name == "matrix" && len(labels)*len(labels) > mostCells:
		return "", nil, errorf("take a hierarchy or positions: a line for each value",
			"a matrix of %d values has %d cells to fill in", len(labels), len(labels)*len(labels))
	}
	var text strings.Builder
	told := append([]string{fmt.Sprintf("utility order of column %q. This file holds values of the column: "+
		"protect it like the data.", column)}, s.notes...)
	for _, n := range append(told, "tacet order --utility "+oneLine(spec)+", with the same --input and --column, says "+
		"what is still missing.") {
		text.WriteString(note + n + "\n")
	}
	cell := func(l string) string { return cellOf(l, form.Name == "hierarchy") }
	for _, line := range s.lines(form.Name, cell, labels) {
		text.WriteString(line + "\n")
	}
	return path, []byte(text.String()), nil
}

// cellOf quotes a label that would be read as something else.
func cellOf(l string, semicolons bool) string {
	if l == "" || strings.HasPrefix(l, "#") || l == Blank || semicolons && strings.ContainsAny(l, ";") {
		return `"` + strings.ReplaceAll(l, `"`, `""`) + `"`
	}
	return string(appendCell(nil, l))
}

// Listed is the file of a list, in this order.
func Listed(labels []string) []byte {
	var b strings.Builder
	for _, l := range labels {
		b.WriteString(cellOf(l, false) + "\n")
	}
	return []byte(b.String())
}

// Grouped is the file of a hierarchy of one level, with the group of each label.
func Grouped(labels, groups []string) []byte {
	var b strings.Builder
	for i, l := range labels {
		b.WriteString(cellOf(l, true) + ";" + cellOf(groups[i], true) + ";*\n")
	}
	return []byte(b.String())
}

// A Gap is a line of a file that is not complete.
type Gap struct {
	Line int
	What string // never a label
}

// Progress is how far people are with a file.
type Progress struct {
	Gaps    []Gap
	Lines   int
	Lacking []string // labels without a line
}

// Unfinished looks at every line of the file that a spec names, and at the labels that
// have none. It knows less than Build, which stops at the first fault; it is nil for
// specs whose file Starter does not write.
func Unfinished(spec string, in Input) (*Progress, error) {
	form, arg, err := parse(spec)
	begun := starters[form.Name]
	if err != nil || !Starts(spec) {
		return nil, err
	}
	b := &builder{in: &in, form: form.Name, growing: true}
	p, have := &Progress{}, map[string]bool{}
	err = stopped(func() {
		s := b.read(strings.TrimPrefix(arg, "@"))
		if form.Name == "hierarchy" {
			s = separated(s)
		}
		key, width := 0, 0
		for {
			from := s.reader.InputOffset()
			cell := s.next()
			if cell == nil {
				return
			}
			s.width = 0 // a wrong one is told of with the others
			if width == 0 {
				if width = len(cell); begun.header != "" {
					if begun.key != "" {
						key = max(0, slices.Index(cell, begun.key))
					}
					continue
				}
			}
			p.Lines++
			have[cell[min(key, len(cell)-1)]] = true
			if what := gapOf(form.Name, s.rest[from:s.reader.InputOffset()], len(cell), width); what != "" {
				p.Gaps = append(p.Gaps, Gap{s.begin, what})
			}
		}
	})
	for _, l := range in.Letters.Label {
		if !have[l] {
			p.Lacking = append(p.Lacking, l)
		}
	}
	return p, err
}

// Lacking are the labels that have no place in an order, however far its file is.
func Lacking(spec string, in Input) ([]string, error) {
	if p, err := Unfinished(spec, in); err != nil {
		return nil, err
	} else if p != nil {
		return p.Lacking, nil
	}
	_, err := Build(spec, in)
	var missing *MissingError
	if !errors.As(err, &missing) {
		return nil, err
	}
	var out []string
	for _, x := range missing.Letters {
		if x < len(in.Letters.Label) {
			out = append(out, in.Letters.Label[x])
		}
	}
	return out, nil
}

// gapOf says what is missing in a line, "" for nothing. A label that is Blank stands in
// quotes.
func gapOf(form, text string, columns, width int) string {
	blank := strings.Count(text, Blank) - strings.Count(text, `"`+Blank+`"`)
	switch {
	case blank > 0 && (form == "ordered" || form == "circular"):
		return "the lines are not in order yet: put them in order, and remove this one"
	case columns != width:
		return fmt.Sprintf("%s, the first line has %d", plural(columns, "column"), width)
	case blank > 0:
		return cmp.Or(starters[form].gap, plural(blank, "cell")+" to fill in")
	}
	return ""
}

func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// blankCell is a cell that holds nothing but Blank.
var blankCell = regexp.MustCompile(`(?:^|[,;])` + Blank + `(?:[,;\r]|$)`)

// refuseBlank fails where a file is not filled in.
func (b *builder) refuseBlank(s *sheet) {
	if b.growing || !strings.Contains(s.text, Blank) {
		return
	}
	left, first := 0, 0
	for line, text := range strings.Split(s.text, "\n") {
		if blankCell.MatchString(text) {
			if left++; first == 0 {
				first = line + 1
			}
		}
	}
	if left > 0 {
		fail(errorf("tacet order with the same --utility lists them", "%s: %s still to fill in, first line %d",
			s.name, plural(left, "line"), first))
	}
}
