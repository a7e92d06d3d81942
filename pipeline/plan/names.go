package plan

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// A Reader gives every row of a unit the place of its stratum. Place is asked
// once for every name, or more often where cells are not numbered.
type Reader struct {
	spec  Spec
	place func(report.Label) int32

	entry  []int32 // by the dictionary's code: place plus one, 0 unknown
	text   map[string]int32
	number map[int64]int32
	part   []int32 // by number of the function: place plus one
	null   int32   // place plus one
	buf    []byte
}

// NewReader reads one unit by s.
func NewReader(s Spec, place func(report.Label) int32) *Reader {
	r := &Reader{spec: s, place: place, text: map[string]int32{}, number: map[int64]int32{}}
	if f := s.function(); f != nil {
		r.part = make([]int32, len(f.label))
	}
	return r
}

// Append appends the places of the rows of v. Cells must fit the spec.
func (r *Reader) Append(to []int32, v *table.Values) []int32 {
	if grow := v.Entries - len(r.entry); grow > 0 {
		r.entry = append(r.entry, make([]int32, grow)...)
	}
	for i, c := range v.Code {
		switch {
		case c < 0:
			if r.null == 0 {
				r.null = r.place(report.NullLabel) + 1
			}
			to = append(to, r.null-1)
		case int(c) >= v.Entries:
			to = append(to, r.of(v, i))
		default:
			if r.entry[c] == 0 {
				r.entry[c] = r.of(v, i) + 1
			}
			to = append(to, r.entry[c]-1)
		}
	}
	return to
}

// of is the place of cell i, which is not null.
func (r *Reader) of(v *table.Values, i int) int32 {
	if r.part != nil {
		k := r.spec.number(v.Type, v.Int(i))
		if r.part[k] == 0 {
			r.part[k] = r.place(report.Label{Text: r.spec.function().label[k]}) + 1
		}
		return r.part[k] - 1
	}
	switch v.Type.Form {
	case table.TextCells, table.BinaryCells, table.WideDecimalCells:
		b := v.Bytes(i)
		p, ok := r.text[string(b)]
		if !ok {
			p = r.name(v, i)
			r.text[string(b)] = p
		}
		return p
	}
	n := v.Int(i)
	p, ok := r.number[n]
	if !ok {
		p = r.name(v, i)
		r.number[n] = p
	}
	return p
}

func (r *Reader) name(v *table.Values, i int) int32 {
	r.buf = v.AppendText(r.buf[:0], i)
	return r.place(report.Label{Text: string(r.buf)})
}

// number is the part of a date or timestamp that the function names.
func (s Spec) number(t table.CellType, n int64) int {
	at := time.Unix(n*24*60*60, 0)
	if t.Form != table.DateCells {
		at = time.Unix(n/t.Ticks, n%t.Ticks*(1e9/t.Ticks))
	}
	return s.function().number(at.UTC())
}

// Compare orders names: those of a function as the calendar does, others by
// length where both are plain numbers, else by bytes; null comes last.
func (s Spec) Compare(a, b report.Label) int {
	switch {
	case a.Null || b.Null:
		return cmp.Compare(rank(a.Null), rank(b.Null))
	case s.Function != "":
		list := s.function().label
		return cmp.Compare(slices.Index(list, a.Text), slices.Index(list, b.Text))
	case digits(a.Text) && digits(b.Text):
		return cmp.Or(cmp.Compare(len(a.Text), len(b.Text)), strings.Compare(a.Text, b.Text))
	}
	return strings.Compare(a.Text, b.Text)
}

func rank(null bool) int {
	if null {
		return 1
	}
	return 0
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
