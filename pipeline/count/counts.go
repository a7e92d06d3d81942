package count

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// countsFormat is the format of counts.csv, raised when files that were written
// before cannot be read.
const countsFormat = "tacet.counts/v1"

// countsHead is the first line of counts.csv, behind "# ". A file that people wrote
// may lack it.
type countsHead struct {
	Format string `json:"format"`
	Column string `json:"column"`
	Type   string `json:"type"`
	Strata string `json:"strata,omitempty"` // the column
	Bins   string `json:"bins,omitempty"`   // as in a plan, and what they are of and published as
	BinsOf string `json:"bins_of,omitempty"`
	BinAs  string `json:"bin_as,omitempty"`
}

// The columns of counts.csv: the first two are always there, stratumNull only
// beside stratum.
const (
	labelColumn = iota
	countColumn
	nullColumn
	stratumColumn
	stratumNullColumn
)

var countsColumns = []string{"label", "count", "null", "stratum", "stratum_null"}

// again is what helps where a file of counts cannot be read.
const again = "make the file with tacet estimate"

// A countsRow is a line: the records of a letter in a stratum.
type countsRow struct {
	letter, stratum report.Label
	count           int64
	line            int
}

// ReadCounts reads counts.csv. What is wrong with it is told by line, without its
// labels: they may be values of the data.
func ReadCounts(path string) (*Counted, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fault.Unreadable("--counts", path, err)
	}
	c := &Counted{Path: path, listed: true}
	head, rest, err := readHead(path, bytes.TrimPrefix(data, []byte("\ufeff")))
	if err != nil {
		return nil, err
	}
	rows, stratified, err := readRows(path, rest)
	if err != nil {
		return nil, err
	}
	var t table.Type
	switch {
	case head == nil && stratified:
		return nil, fault.New(fault.Input, again+" --strata", "%s has strata and does not say of which column", path)
	case head == nil && len(rows) == 0:
		return nil, fault.New(fault.Input, again, "%s lists no values", path)
	case head == nil:
		t = guessed(rows)
	default:
		if err := head.fill(c, &t); err != nil || stratified != (c.Strata != "") {
			return nil, fault.New(fault.Input, again, "%s: the first line does not say what the file holds", path)
		}
	}
	return c, c.fill(t, rows)
}

// readHead takes off the first line where that says what the file holds. The line
// end stays, so that lines are counted from the first.
func readHead(path string, data []byte) (*countsHead, []byte, error) {
	text, ok := bytes.CutPrefix(data, []byte("#"))
	if !ok {
		return nil, data, nil
	}
	end := bytes.IndexByte(text, '\n')
	if end < 0 {
		end = len(text)
	}
	h := &countsHead{}
	d := json.NewDecoder(bytes.NewReader(text[:end]))
	d.DisallowUnknownFields()
	if err := d.Decode(h); err != nil || h.Format != countsFormat || d.More() {
		return nil, nil, fault.New(fault.Input, again, "%s: the first line is not that of the format %s", path, countsFormat)
	}
	return h, text[end:], nil
}

// fill takes over what the line says.
func (h *countsHead) fill(c *Counted, t *table.Type) (err error) {
	var ok bool
	if *t, ok = table.ParseType(h.Type); !ok {
		return fmt.Errorf("no type")
	}
	if h.Bins != "" {
		if t.Bins, err = plan.BinsOf(h.Bins, h.BinsOf, h.BinAs); err != nil {
			return err
		}
	}
	c.Column, c.Strata = h.Column, h.Strata
	return nil
}

// readRows reads what follows.
func readRows(path string, data []byte) (rows []countsRow, stratified bool, err error) {
	at := make([]int, len(countsColumns)) // places of the columns, -1 for none
	width, total := 0, int64(0)
	seen := map[[2]report.Label]bool{}
	err = utility.EachRecord(path, data, func(line int, cell []string) error {
		bad := func(hint, format string, of ...any) error {
			return fault.New(fault.Input, hint, "%s: line %d: %s", path, line, fmt.Sprintf(format, of...))
		}
		if width == 0 {
			width = len(cell)
			for i, name := range countsColumns {
				at[i] = slices.Index(cell, name)
			}
			if stratified = at[stratumColumn] >= 0; !headed(cell, at) {
				return bad(again, "it is not the header label,count, with null and stratum where there are such")
			}
			return nil
		}
		get := func(column int) string {
			if at[column] < 0 {
				return ""
			}
			return cell[at[column]]
		}
		r := countsRow{line: line, letter: report.Label{Text: get(labelColumn)},
			stratum: report.Label{Text: get(stratumColumn)}}
		for column, l := range map[int]*report.Label{nullColumn: &r.letter, stratumNullColumn: &r.stratum} {
			switch flag := get(column); {
			case flag == "1" && l.Text == "":
				l.Null = true
			case flag != "" && flag != "0":
				return bad("write 1 for null, beside an empty cell, and nothing else",
					"the column %s does not hold 1 for null", countsColumns[column])
			}
		}
		if seen[[2]report.Label{r.letter, r.stratum}] {
			return bad("add up the counts of the repeated lines", "it repeats a label")
		}
		seen[[2]report.Label{r.letter, r.stratum}] = true
		n, err := strconv.ParseUint(get(countColumn), 10, 63)
		switch {
		case err != nil:
			return bad("give a whole number, 0 or more", "the count is not a whole number")
		case int64(n) > math.MaxInt64-total:
			return bad("give smaller counts", "the counts add up to more than %d", int64(math.MaxInt64))
		}
		r.count, total = int64(n), total+int64(n)
		rows = append(rows, r)
		return nil
	})
	if err = hinted(err, again); err == nil && width == 0 {
		err = fault.New(fault.Input, again, "%s does not start with the header label,count", path)
	}
	return rows, stratified, err
}

// hinted is a fault of what is wrong with a CSV file, with this hint where it has
// none.
func hinted(err error, hint string) error {
	var damaged *utility.Error
	if !errors.As(err, &damaged) {
		return err
	}
	return fault.New(fault.Input, cmp.Or(damaged.Hint, hint), "%s", damaged.What)
}

// headed reports whether a header has the columns in their order, and no others.
func headed(cell []string, at []int) bool {
	known := 0
	for i, column := range at {
		if column >= 0 && column != known || column < 0 && i <= countColumn {
			return false
		}
		if column >= 0 {
			known++
		}
	}
	return known == len(cell) && (at[stratumNullColumn] < 0 || at[stratumColumn] >= 0)
}

// guessed is the narrowest type that has all labels, as it writes them.
func guessed(rows []countsRow) table.Type {
	var label []string
	for _, r := range rows {
		if !r.letter.Null {
			label = append(label, r.letter.Text)
		}
	}
	t := typeOfLabels(label)
	for _, l := range label {
		if v, err := t.Parse(l); err != nil || t.Label(v) != l {
			return table.Type{Kind: table.Text}
		}
	}
	return t
}

// fill makes letters and strata of lines. A line of count 0 names a value that may
// occur, and no stratum.
func (c *Counted) fill(t table.Type, rows []countsRow) error {
	known := map[table.Value]bool{}
	var values []table.Value
	null := false
	value := make([]table.Value, len(rows))
	for i, r := range rows {
		if r.letter.Null {
			null = true
			continue
		}
		v, err := t.Parse(r.letter.Text)
		if err != nil || t.Label(v) != r.letter.Text {
			return fault.New(fault.Input, again, "%s: line %d: the label is not written as a value of type %s", c.Path,
				r.line, t)
		}
		if value[i] = v; !known[v] {
			known[v] = true
			values = append(values, v)
		}
	}
	slices.SortFunc(values, t.Compare)
	c.Alphabet = table.NewAlphabet(t, values, null)
	place := c.Alphabet.Index()
	count := make([]int64, c.Alphabet.Len())
	if c.Strata != "" {
		c.Table = plan.NewTable(len(count))
	}
	for i, r := range rows {
		x := c.Alphabet.Null()
		if !r.letter.Null {
			x = place[value[i]]
		}
		if count[x] += r.count; c.Table == nil || r.count == 0 {
			continue
		}
		c.Table.Count[c.Table.Place(r.stratum)][x] += r.count
	}
	var err error
	c.counts, err = countsOf(c.Path, count)
	return err
}

// WriteCounts writes counts.csv, a value after the other; of one the strata in their
// order.
func (c *Counted) WriteCounts(w io.Writer) error {
	t := c.Alphabet.Type()
	says := countsHead{Format: countsFormat, Column: c.Column, Type: t.String(), Strata: c.Strata}
	if b := t.Bins; b != nil {
		says.Type = table.Type{Kind: t.Kind, Bits: t.Bits, Unsigned: t.Unsigned}.String()
		says.Bins, says.BinsOf, says.BinAs = b.Spec, b.Of, plan.BinAs
	}
	head, err := json.Marshal(says)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "# %s\n", head); err != nil {
		return err
	}
	order, without, err := c.strata()
	if err != nil {
		return err
	}
	shown := []bool{true, true, c.Alphabet.Null() >= 0, c.Table != nil, without}
	csvw := csv.NewWriter(w)
	write := func(cells ...string) {
		var record []string
		for i, cell := range cells {
			if shown[i] {
				record = append(record, cell)
			}
		}
		csvw.Write(record)
	}
	flag := map[bool]string{true: "1"}
	write(countsColumns...)
	label := report.Labels(c.Alphabet.Labels(), c.Alphabet.Null() >= 0)
	for x, l := range label {
		if c.Table == nil || c.counts.Count(x) == 0 {
			write(l.Text, strconv.FormatInt(c.counts.Count(x), 10), flag[l.Null], "", "")
			continue
		}
		for _, i := range order {
			if n, s := c.Table.Count[i][x], c.Table.Name[i]; n > 0 {
				write(l.Text, strconv.FormatInt(n, 10), flag[l.Null], s.Text, flag[s.Null])
			}
		}
	}
	csvw.Flush()
	return csvw.Error()
}

// strata are the places of the strata in their order, and whether null is among
// them.
func (c *Counted) strata() (order []int, null bool, err error) {
	if c.Table == nil {
		return nil, false, nil
	}
	for i, n := range c.Table.Name {
		if order, null = append(order, i), null || n.Null; !utf8.ValidString(n.Text) {
			return nil, false, fault.New(fault.Input, "write them as UTF-8, or give --input to tacet design",
				"%s: column %q holds texts that are not UTF-8, which a counts file cannot name", c.Path, c.Strata)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return plan.CompareStrata(c.Table.Name[a], c.Table.Name[b]) })
	return order, null, nil
}
