package plan

import (
	"cmp"
	"strings"

	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// A Reader gives every row of a unit the place of its stratum. Place is asked
// once for every name, or more often where cells are not numbered.
type Reader struct {
	place func(report.Label) int32

	entry  []int32 // by the dictionary's code: place plus one, 0 unknown
	text   map[string]int32
	number map[int64]int32
	null   int32 // place plus one
	buf    []byte
}

// NewReader reads one unit.
func NewReader(place func(report.Label) int32) *Reader {
	return &Reader{place: place, text: map[string]int32{}, number: map[int64]int32{}}
}

// Append appends the places of the rows of v.
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

// CompareStrata orders names: by length where both are plain numbers, else by bytes; null
// comes last.
func CompareStrata(a, b report.Label) int {
	switch {
	case a.Null || b.Null:
		return cmp.Compare(rank(a.Null), rank(b.Null))
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
