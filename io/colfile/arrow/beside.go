package arrow

import (
	"fmt"
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/io/arrowraw"
	"github.com/tacet-privacy/tacet/io/arrowraw/decode"
	"github.com/tacet-privacy/tacet/io/arrowraw/format"
	"github.com/tacet-privacy/tacet/io/colfile/cell"
	"github.com/tacet-privacy/tacet/io/colfile/input"
	"github.com/tacet-privacy/tacet/io/colfile/letter"
)

// A besideColumn is a column whose values are handed out as they are. Of its
// privateColumn it has what reads a dictionary.
type besideColumn struct {
	*privateColumn
	typ  cell.Type
	cell decoding
}

func (a *File) besideColumn(name string) (*besideColumn, error) {
	top, err := a.column(name)
	if err != nil {
		return nil, err
	}
	f := &a.raw.Schema.Fields[top]
	typ, cell, ok := cellType(f.Type)
	if !ok || len(f.Children) > 0 {
		return nil, input.Errorf("name a column of numbers, text, dates or times", "column %q is of type %s, whose values cannot be read", name, f)
	}
	kind := letter.Integer
	if cell.bytewise {
		kind = letter.Binary
	}
	c := &besideColumn{&privateColumn{Column: letter.Column{Name: name, Top: top, Type: letter.Type{Kind: kind}}, field: f}, typ, cell}
	if f.Dict != nil {
		c.dict = a.dictionary(c.privateColumn)
	}
	return c, nil
}

// A besideArray is one record batch of the column.
type besideArray struct {
	*besideColumn
	array *decode.Array
	index []int64
	code  []int32
	value *dictionary // nil where there is none
}

func (a *File) openBeside(b *arrowraw.RecordBatch, unit int, c *besideColumn) (*besideArray, error) {
	r := &besideArray{besideColumn: c, code: make([]int32, letter.BatchRows)}
	var err error
	if r.array, err = a.array(b, unit, c.privateColumn); err != nil {
		return nil, err
	}
	if c.dict != nil {
		r.index = make([]int64, letter.BatchRows)
		r.value, err = c.dict()
	}
	return r, err
}

// next are the cells of the rows from..from+n.
func (b *besideArray) next(from, n, unit int) (cell.Values, error) {
	v := cell.Values{Type: b.typ, Code: b.code[:n]}
	nulls := b.array.Nulls > 0
	if b.value == nil {
		for i := range v.Code {
			if v.Code[i] = int32(from + i); nulls && b.array.Null(from+i) {
				v.Code[i] = -1
			}
		}
		v.Source = arrayCells{b.cell, b.array}
		return v, nil
	}
	v.Entries = len(b.value.value)
	b.array.Ints(b.index[:n], from)
	for i, at := range b.index[:n] {
		switch {
		case nulls && b.array.Null(from+i):
			v.Code[i] = -1
		case uint64(at) >= uint64(v.Entries):
			return v, indexError(b.privateColumn, unit)
		case b.value.isNull(int(at)):
			v.Code[i] = -1
		default:
			v.Code[i] = int32(at)
		}
	}
	v.Source = dictionaryCells{b.cell, b.value}
	return v, nil
}

// A decoding says how stored cells become those of a cell.Type.
type decoding struct {
	as       cell.Number
	perDay   int64 // ticks, of dates that are not stored as days
	bytewise bool
	reversed bool // little-endian bytes of a wide decimal
}

func (c decoding) int(stored int64) int64 {
	switch {
	case c.as == cell.AsFloat:
		return int64(math.Float64bits(float64(math.Float32frombits(uint32(stored)))))
	case c.as == cell.AsHalf:
		return int64(math.Float64bits(cell.Half(uint16(stored))))
	case c.perDay > 0:
		return (stored - (stored%c.perDay+c.perDay)%c.perDay) / c.perDay
	}
	return stored
}

func (c decoding) bytes(stored []byte) []byte {
	if !c.reversed {
		return stored
	}
	stored = slices.Clone(stored)
	slices.Reverse(stored)
	return stored
}

// arrayCells are the cells of an array, by row.
type arrayCells struct {
	decoding
	array *decode.Array
}

func (a arrayCells) Bytes(i int) []byte { return a.bytes(a.array.Bytes(i)) }

func (a arrayCells) Int(i int) int64 {
	var v [1]int64
	a.array.Ints(v[:], i)
	return a.int(v[0])
}

// dictionaryCells are those of a dictionary, by index.
type dictionaryCells struct {
	decoding
	entry *dictionary
}

func (a dictionaryCells) Bytes(i int) []byte { return a.bytes([]byte(a.entry.value[i].Bytes)) }

func (a dictionaryCells) Int(i int) int64 { return a.int(a.entry.value[i].Int) }

// cellType is the type of an array's cells; ok is false where they cannot
// be read.
func cellType(f format.Type) (t cell.Type, c decoding, ok bool) {
	ticks := [...]int64{1, 1e3, 1e6, 1e9}
	switch f.Code {
	case format.Utf8, format.LargeUtf8, format.Utf8View:
		t.Form, c.bytewise = cell.Text, true
	case format.BinaryType, format.LargeBinary, format.BinaryView, format.FixedSizeBinary:
		t.Form, c.bytewise = cell.Binary, true
	case format.Int:
		if t.Form = cell.Integer; f.Num[1] == 0 {
			t.Form = cell.Unsigned
		}
	case format.Bool:
		t.Form = cell.Boolean
	case format.FloatingPoint:
		t.Form, c.as = cell.Float, [...]cell.Number{cell.AsHalf, cell.AsFloat, cell.AsStored, cell.AsStored}[f.Num[0]&3]
	case format.Decimal:
		t = cell.Type{Form: cell.Decimal, Scale: int(f.Num[1])}
		if f.Num[2] > 64 {
			t.Form, c.bytewise, c.reversed = cell.WideDecimal, true, true
		}
	case format.Date:
		if t.Form = cell.Date; f.Num[0] == format.Millisecond {
			c.perDay = 86400_000
		}
	case format.TimeOfDay:
		t = cell.Type{Form: cell.Time, Ticks: ticks[f.Num[0]&3]}
	case format.Timestamp:
		t = cell.Type{Form: cell.Timestamp, Ticks: ticks[f.Num[0]&3]}
	case format.Duration:
		t.Form = cell.Integer
	}
	return t, c, decode.Reads(f)
}

// readable reports whether the cells of a field can be read.
func (a *File) readable(name string) bool {
	_, err := a.besideColumn(name)
	return err == nil
}

func (a *File) openBesides(b *arrowraw.RecordBatch, unit int) ([]*besideArray, error) {
	var all []*besideArray
	for _, c := range a.beside {
		r, err := a.openBeside(b, unit, c)
		if err != nil {
			return all, fmt.Errorf("column %q: %w", c.Name, err)
		}
		all = append(all, r)
	}
	return all, nil
}
