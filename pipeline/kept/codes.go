package kept

import (
	"math"

	"github.com/tacet-privacy/tacet/io/colfile"
)

// null is the code of a null.
const null = 0

// unitCodes number the different cells of a column in one unit.
type unitCodes struct {
	typ   colfile.CellType
	code  []int32
	text  map[string]int32
	ints  map[int64]int32
	entry []int32 // by the dictionary's code: ours plus one, 0 unknown
	cells []cell  // by code
	buf   []byte
}

// A cell is a value, enough of it to tell it from others and to order numbers.
type cell struct {
	text string
	bits int64
	size float64
}

func newUnitCodes() *unitCodes {
	return &unitCodes{text: map[string]int32{}, ints: map[int64]int32{}, cells: []cell{{size: math.Inf(-1)}}}
}

// add takes the cells of a batch.
func (u *unitCodes) add(v *colfile.Values) {
	u.typ = v.Type
	if grow := v.Entries - len(u.entry); grow > 0 {
		u.entry = append(u.entry, make([]int32, grow)...)
	}
	for i, c := range v.Code {
		switch {
		case c < 0:
			u.code = append(u.code, null)
		case int(c) >= v.Entries:
			u.code = append(u.code, u.place(v, i))
		default:
			if u.entry[c] == 0 {
				u.entry[c] = u.place(v, i) + 1
			}
			u.code = append(u.code, u.entry[c]-1)
		}
	}
}

// place finds the code of cell i, or makes one.
func (u *unitCodes) place(v *colfile.Values, i int) int32 {
	switch v.Type.Form {
	case colfile.TextCells, colfile.BinaryCells, colfile.WideDecimalCells:
		b := v.Bytes(i)
		if c, ok := u.text[string(b)]; ok {
			return c
		}
		c := int32(len(u.cells))
		u.text[string(b)] = c
		u.cells = append(u.cells, cell{text: string(b), size: size(v, i)})
		return c
	}
	n := v.Int(i)
	c, ok := u.ints[n]
	if !ok {
		c = int32(len(u.cells))
		u.ints[n] = c
		u.cells = append(u.cells, cell{bits: n, size: size(v, i)})
	}
	return c
}

// size orders numbers and times; a float that is no number comes last.
func size(v *colfile.Values, i int) float64 {
	if !v.Type.Numeric() {
		return 0
	}
	if f := v.Float(i); !math.IsNaN(f) {
		return f
	}
	return math.Inf(1)
}

// codes number the different cells of a column, null first.
type codes struct {
	typ   colfile.CellType
	code  []int32
	count []int64 // by code
	text  map[string]int32
	ints  map[int64]int32
	size  []float64 // by code
}

func newCodes() *codes {
	return &codes{text: map[string]int32{}, ints: map[int64]int32{}, count: make([]int64, 1), size: []float64{math.Inf(-1)}}
}

// join appends a unit.
func (c *codes) join(u *unitCodes) {
	if len(u.code) > 0 {
		c.typ = u.typ
	}
	bytewise := len(u.text) > 0
	at := make([]int32, len(u.cells))
	for k := 1; k < len(u.cells); k++ {
		v := &u.cells[k]
		var ok bool
		if bytewise {
			at[k], ok = c.text[v.text]
		} else {
			at[k], ok = c.ints[v.bits]
		}
		if ok {
			continue
		}
		at[k] = int32(len(c.count))
		if bytewise {
			c.text[v.text] = at[k]
		} else {
			c.ints[v.bits] = at[k]
		}
		c.count, c.size = append(c.count, 0), append(c.size, v.size)
	}
	for _, k := range u.code {
		c.code = append(c.code, at[k])
		c.count[at[k]]++
	}
}

// distinct counts the values that occur, nulls apart.
func (c *codes) distinct() int { return len(c.count) - 1 }
