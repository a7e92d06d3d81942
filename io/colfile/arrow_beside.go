package colfile

import (
	"fmt"
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/io/arrowraw"
)

// An arrowBeside is a column whose values are handed out as they are. Of its
// arrowColumn it has what reads a dictionary.
type arrowBeside struct {
	*arrowColumn
	typ  CellType
	cell arrowCell
}

func (a *arrowFile) besideColumn(name string) (*arrowBeside, error) {
	top, err := a.column(name)
	if err != nil {
		return nil, err
	}
	f := &a.raw.Schema.Fields[top]
	typ, cell, ok := arrowCellType(f.Type)
	if !ok || len(f.Children) > 0 {
		return nil, inputErrorf("name a column of numbers, text, dates or times", "column %q is of type %s, whose values cannot be read", name, f)
	}
	kind := Integer
	if cell.bytewise {
		kind = Binary
	}
	c := &arrowBeside{&arrowColumn{privateColumn: privateColumn{name: name, top: top, typ: Type{Kind: kind}}, field: f}, typ, cell}
	if f.Dict != nil {
		c.dict = a.dictionary(c.arrowColumn)
	}
	return c, nil
}

// A besideArray is one record batch of the column.
type besideArray struct {
	*arrowBeside
	array *arrowraw.Array
	index []int64
	code  []int32
	value *arrowDictionary // nil where there is none
}

func (a *arrowFile) openBeside(b *arrowraw.RecordBatch, unit int, c *arrowBeside) (*besideArray, error) {
	r := &besideArray{arrowBeside: c, code: make([]int32, batchRows)}
	var err error
	if r.array, err = a.array(b, unit, c.arrowColumn); err != nil {
		return nil, err
	}
	if c.dict != nil {
		r.index = make([]int64, batchRows)
		r.value, err = c.dict()
	}
	return r, err
}

// next are the cells of the rows from..from+n.
func (b *besideArray) next(from, n, unit int) (Values, error) {
	v := Values{Type: b.typ, Code: b.code[:n]}
	nulls := b.array.Nulls > 0
	if b.value == nil {
		for i := range v.Code {
			if v.Code[i] = int32(from + i); nulls && b.array.Null(from+i) {
				v.Code[i] = -1
			}
		}
		v.source = arrowRows{b.cell, b.array}
		return v, nil
	}
	v.Entries = len(b.value.value)
	b.array.Ints(b.index[:n], from)
	for i, at := range b.index[:n] {
		switch {
		case nulls && b.array.Null(from+i):
			v.Code[i] = -1
		case uint64(at) >= uint64(v.Entries):
			return v, indexError(b.arrowColumn, unit)
		case b.value.isNull(int(at)):
			v.Code[i] = -1
		default:
			v.Code[i] = int32(at)
		}
	}
	v.source = arrowEntries{b.cell, b.value}
	return v, nil
}

// An arrowCell says how stored cells become those of a CellType.
type arrowCell struct {
	as       numberForm
	perDay   int64 // ticks, of dates that are not stored as days
	bytewise bool
	reversed bool // little-endian bytes of a wide decimal
}

func (c arrowCell) int(stored int64) int64 {
	switch {
	case c.as == asFloat:
		return int64(math.Float64bits(float64(math.Float32frombits(uint32(stored)))))
	case c.as == asHalf:
		return int64(math.Float64bits(half(uint16(stored))))
	case c.perDay > 0:
		return (stored - (stored%c.perDay+c.perDay)%c.perDay) / c.perDay
	}
	return stored
}

func (c arrowCell) bytes(stored []byte) []byte {
	if !c.reversed {
		return stored
	}
	stored = slices.Clone(stored)
	slices.Reverse(stored)
	return stored
}

// arrowRows are the cells of an array, by row.
type arrowRows struct {
	arrowCell
	array *arrowraw.Array
}

func (a arrowRows) Bytes(i int) []byte { return a.bytes(a.array.Bytes(i)) }

func (a arrowRows) Int(i int) int64 {
	var v [1]int64
	a.array.Ints(v[:], i)
	return a.int(v[0])
}

// arrowEntries are those of a dictionary, by index.
type arrowEntries struct {
	arrowCell
	entry *arrowDictionary
}

func (a arrowEntries) Bytes(i int) []byte { return a.bytes([]byte(a.entry.value[i].Bytes)) }

func (a arrowEntries) Int(i int) int64 { return a.int(a.entry.value[i].Int) }

// arrowCellType is the type of an array's cells; ok is false where they cannot
// be read.
func arrowCellType(f arrowraw.Type) (t CellType, c arrowCell, ok bool) {
	ticks := [...]int64{1, 1e3, 1e6, 1e9}
	switch f.Code {
	case arrowraw.Utf8, arrowraw.LargeUtf8, arrowraw.Utf8View:
		t.Form, c.bytewise = TextCells, true
	case arrowraw.BinaryType, arrowraw.LargeBinary, arrowraw.BinaryView, arrowraw.FixedSizeBinary:
		t.Form, c.bytewise = BinaryCells, true
	case arrowraw.Int:
		if t.Form = IntegerCells; f.Num[1] == 0 {
			t.Form = UnsignedCells
		}
	case arrowraw.Bool:
		t.Form = BooleanCells
	case arrowraw.FloatingPoint:
		t.Form, c.as = FloatCells, [...]numberForm{asHalf, asFloat, asStored, asStored}[f.Num[0]&3]
	case arrowraw.Decimal:
		t = CellType{Form: DecimalCells, Scale: int(f.Num[1])}
		if f.Num[2] > 64 {
			t.Form, c.bytewise, c.reversed = WideDecimalCells, true, true
		}
	case arrowraw.Date:
		if t.Form = DateCells; f.Num[0] == arrowraw.Millisecond {
			c.perDay = 86400_000
		}
	case arrowraw.TimeOfDay:
		t = CellType{Form: TimeCells, Ticks: ticks[f.Num[0]&3]}
	case arrowraw.Timestamp:
		t = CellType{Form: TimestampCells, Ticks: ticks[f.Num[0]&3]}
	case arrowraw.Duration:
		t.Form = IntegerCells
	}
	return t, c, arrowraw.Reads(f)
}

// arrowReadable reports whether the cells of a field can be read.
func (a *arrowFile) readable(name string) bool {
	_, err := a.besideColumn(name)
	return err == nil
}

func (a *arrowFile) openBesides(b *arrowraw.RecordBatch, unit int) ([]*besideArray, error) {
	var all []*besideArray
	for _, c := range a.beside {
		r, err := a.openBeside(b, unit, c)
		if err != nil {
			return all, fmt.Errorf("column %q: %w", c.name, err)
		}
		all = append(all, r)
	}
	return all, nil
}
