package inspect

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/tacet-privacy/tacet/io/store"
	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// mostListed is how many values somebody may want to put in order by hand.
const mostListed = 12

// mostSteps is how many columns a command is told for, unless one is asked for.
const mostSteps = 3

// mostTraded is the largest number of values of which a mechanism is looked for in seconds.
// Above it numbers are put into bins.
const mostTraded = 256

// suits is the order that would suit a column, why, and whether its file is to be
// filled in first.
func suits(name string, kind table.Type, labels []string) (spec, why string, fill bool) {
	for _, order := range utility.ReadyOrders() {
		if utility.Knows(order, labels) && speaksFor(order, name, labels) {
			return order, "every value is one of the ready order", false
		}
	}
	switch kind.Kind {
	case table.Date:
		return "numeric", "dates: the nearer in days, the better", false
	case table.Boolean:
		return "numeric", "two values", false
	case table.Integer:
		return "numeric", "numbers: the nearer, the better", false
	}
	if cuts := prefixes(labels); cuts != "" {
		return "prefix:" + cuts, "codes whose first characters are groups", false
	}
	if _, err := utility.Build("numeric", utility.Input{Letters: utility.Letters{Label: labels}}); err == nil {
		return "numeric", "numbers in text: the nearer, the better", false
	}
	if len(labels) <= mostListed {
		return "ordered:@" + fileName(name, "txt"), "few values: put them in order; without one, --utility any", true
	}
	return "hierarchy:" + fileName(name, "csv"), "names: put them in groups; where they are places, positions: suits, " +
		"too; without groups, --utility any", true
}

// codes reports whether numbers in text are codes rather than amounts: all are of one
// length, and one begins with 0 or the column's name says so.
func codes(name string, labels []string) bool {
	says := slices.ContainsFunc([]string{"zip", "post", "code", "fips", "naics", "plz"}, func(word string) bool {
		return strings.Contains(strings.ToLower(name), word)
	})
	for _, l := range labels {
		if len(l) != len(labels[0]) || strings.ContainsAny(l, ".+-") {
			return false
		}
		says = says || strings.HasPrefix(l, "0")
	}
	return says
}

// speaksFor reports whether an order that knows all values is meant: a number may be
// the code of a state, and most often is not, unless the column's name says so.
func speaksFor(order, name string, labels []string) bool {
	number := func(l string) bool { _, err := strconv.Atoi(l); return err == nil }
	says := func(word string) bool { return strings.Contains(strings.ToLower(name), word) }
	return !slices.ContainsFunc(labels, number) || order == "us-states" && (says("state") || says("fips")) ||
		order == "countries" && (says("country") || says("m49"))
}

// prefixes are the lengths at which codes part into groups, as prefix: takes them, ""
// for labels that are no codes. A code has a digit, and at least half as many
// characters as the longest; a cut parts the codes into at least twice as many groups
// as the one before, and leaves groups of at least two on average.
func prefixes(labels []string) string {
	shortest, longest := 1<<30, 0
	codes := make([]string, len(labels))
	for i, l := range labels {
		codes[i] = strings.ReplaceAll(l, ".", "")
		if !code(codes[i]) {
			return ""
		}
		shortest, longest = min(shortest, len(codes[i])), max(longest, len(codes[i]))
	}
	if shortest < 3 || longest > 2*shortest || len(labels) < 4 {
		return ""
	}
	before := 1
	var cuts []string
	for n := 1; n < longest; n++ {
		heads := map[string]bool{}
		for _, c := range codes {
			heads[c[:min(n, len(c))]] = true
		}
		if len(heads) >= 2*before && 2*len(heads) <= len(codes) {
			cuts, before = append(cuts, strconv.Itoa(n)), len(heads)
		}
	}
	return strings.Join(cuts, ",")
}

// code reports whether a label consists of letters, digits and hyphens, with a digit.
func code(l string) bool {
	digit := false
	for _, r := range l {
		if r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' {
			return false
		}
		digit = digit || unicode.IsDigit(r)
	}
	return digit
}

// fileName is a file for the order of a column, in the working folder.
func fileName(column, extension string) string {
	clean := strings.Map(func(r rune) rune {
		if r < 128 && (unicode.IsLetter(r) || unicode.IsDigit(r)) || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, column)
	return clean + "." + extension
}

// suggest says how to go on with the columns that could be private, those of text
// first.
func (f *File) suggest(only string) {
	var texts, others []*Column
	for i := range f.Columns {
		if c := &f.Columns[i]; c.kind().Kind == table.Text {
			texts = append(texts, c)
		} else {
			others = append(others, c)
		}
	}
	for _, c := range slices.Concat(texts, others) {
		if !c.Private || only != "" && c.Name != only || len(f.Next) == mostSteps {
			continue
		}
		path := f.Path
		if !store.Is(path) {
			path = filepath.Clean(path)
		}
		words := []string{"--input", path, "--column", c.Name}
		if f.dialect.Delimiter != "" {
			words = append(words, "--csv-delimiter", f.dialect.Delimiter)
		}
		if h := f.dialect.Header; h != "" && h != "auto" {
			words = append(words, "--csv-header", h)
		}
		if c.Nulls > 0 {
			words = append(words, "--null", "draw")
		}
		step, how := Step{Column: c.Name}, []string{"--utility", c.Order}
		if c.Bins != "" {
			how = []string{"--bins", c.Bins}
		} else if c.ID {
			how = append(how, "--allow", "identifier")
		}
		if c.New {
			step.Does = "writes the values to a file to fill in"
			words = append([]string{"order"}, append(words, "--new", c.Order)...)
		} else {
			step.Does = "shows what factor 4 gives, and what other limits of the shares cost; writes a plan"
			words = append([]string{"design"}, append(append(words, how...), "--max-factor", "4", "--write-plan",
				fileName(c.Name, "plan")+"/plan.json")...)
		}
		for j := range words {
			words[j] = report.Shell(words[j])
		}
		step.Command = fmt.Sprintf("tacet %s", strings.Join(words, " "))
		f.Next = append(f.Next, step)
	}
}
