package neighbours

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"github.com/tacet-privacy/tacet/io/table"
)

// mostLeaves is how many leaves of a nested column are judged one by one.
const mostLeaves = 8

// A view is what is judged as a column: one of the file, or what is cut out of the leaves of
// a nested one.
type view struct {
	column int                 // of the request
	name   string              // what of a nested column; "" for another
	cut    func([]byte) []byte // nil for another; nothing is a null
}

// views are those of the columns that can be read.
func views(columns []table.Column) (all []view) {
	for i, c := range columns {
		if c.Readable {
			all = append(all, view{column: i})
		}
		if c.Readable || c.Leaves == 0 {
			continue
		}
		all = append(all, view{i, "its members as one text, ", joined})
		for k := range min(c.Leaves, mostLeaves) {
			of := ""
			if c.Leaves > 1 {
				of = fmt.Sprintf(" of member %d", k+1)
			}
			add := func(what string, cut func(values [][]byte) []byte) {
				all = append(all, view{i, what + of + ", ", func(b []byte) []byte { return cut(valuesOf(b, k)) }})
			}
			add("the first value", func(v [][]byte) []byte { return slices.Concat(v[:min(1, len(v))]...) })
			add("the last value", func(v [][]byte) []byte { return slices.Concat(v[max(0, len(v)-1):]...) })
			add("how many values", func(v [][]byte) []byte { return strconv.AppendInt(nil, int64(len(v)), 10) })
		}
	}
	return all
}

// joined are all leaves with spaces between values.
func joined(b []byte) []byte {
	return bytes.TrimSpace(bytes.Map(func(r rune) rune {
		if r == table.NestElement || r == table.NestLeaf {
			return ' '
		}
		return r
	}, b))
}

// valuesOf are those of the k-th leaf.
func valuesOf(b []byte, k int) [][]byte {
	leaf := bytes.Split(b, []byte{table.NestLeaf})[k]
	return bytes.Split(leaf, []byte{table.NestElement})[1:]
}

// of are the cells of a column as the view has them.
func (w *view) of(v *table.Values) *table.Values {
	if w.cut == nil {
		return v
	}
	own := &table.Values{Type: table.CellType{Form: table.TextCells}, Code: make([]int32, len(v.Code))}
	text := make(cutCells, len(v.Code))
	for i, c := range v.Code {
		if own.Code[i] = -1; c >= 0 {
			if b := w.cut(v.Bytes(i)); len(b) > 0 {
				own.Code[i], text[i] = int32(i), append([]byte(nil), b...)
			}
		}
	}
	own.Source = text
	return own
}

// cutCells are texts by row.
type cutCells [][]byte

func (c cutCells) Bytes(i int) []byte { return c[i] }

func (c cutCells) Int(int) int64 { return 0 }
