package neighbours

import (
	"bytes"
	"fmt"
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
		switch {
		case c.Readable:
			all = append(all, view{column: i})
		case c.Leaves > 0:
			all = append(all, view{i, "its members as one text, ", joined})
			for k := range min(c.Leaves, mostLeaves) {
				of := ""
				if c.Leaves > 1 {
					of = fmt.Sprintf(" of member %d", k+1)
				}
				all = append(all, view{i, "the first value" + of + ", ", func(b []byte) []byte { return firstOf(leaf(b, k)) }},
					view{i, "the last value" + of + ", ", func(b []byte) []byte { return lastOf(leaf(b, k)) }},
					view{i, "how many values" + of + ", ", func(b []byte) []byte { return countOf(leaf(b, k)) }})
			}
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

// leaf is the k-th.
func leaf(b []byte, k int) []byte {
	for range k {
		_, b, _ = bytes.Cut(b, []byte{table.NestLeaf})
	}
	b, _, _ = bytes.Cut(b, []byte{table.NestLeaf})
	return b
}

// firstOf is the first value of a leaf, and lastOf the last.
func firstOf(b []byte) []byte {
	if len(b) > 0 {
		b, _, _ = bytes.Cut(b[1:], []byte{table.NestElement})
	}
	return b
}

func lastOf(b []byte) []byte { return b[bytes.LastIndexByte(b, table.NestElement)+1:] }

func countOf(b []byte) []byte {
	return strconv.AppendInt(nil, int64(bytes.Count(b, []byte{table.NestElement})), 10)
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
