package splice

import (
	"fmt"
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/io/arrow/batch"
	"github.com/tacet-privacy/tacet/io/table"
)

// A besideColumn is a column whose values are handed out as they are. Of its
// privateColumn it has what reads a dictionary.
type besideColumn struct {
	*privateColumn
	typ  table.CellType
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
		return nil, table.Errorf("name a column of numbers, text, dates or times",
			"column %q is of type %s, whose values cannot be read", name, f)
	}
	kind := table.Integer
	if cell.bytewise {
		kind = table.Binary
	}
	c := &besideColumn{&privateColumn{PrivateColumn: table.PrivateColumn{Name: name, Top: top,
		Type: table.Type{Kind: kind}}, field: f}, typ, cell}
	if f.Dict != nil {
		c.dict = a.dictionary(c.privateColumn)
	}
	return c, nil
}

// A besideArray is one record batch of the column.
type besideArray struct {
	*besideColumn
	array *batch.Array
	index []int64
	code  []int32
	value *dictionary // nil where there is none
}

func (a *File) openBeside(b *batch.RecordBatch, unit int, c *besideColumn) (*besideArray, error) {
	r := &besideArray{besideColumn: c, code: make([]int32, table.BatchRows)}
	var err error
	if r.array, err = a.array(b, unit, c.privateColumn); err != nil {
		return nil, err
	}
	if c.dict != nil {
		r.index = make([]int64, table.BatchRows)
		r.value, err = c.dict()
	}
	return r, err
}

// next are the cells of the rows from..from+n.
func (b *besideArray) next(from, n, unit int) (table.Values, error) {
	v := table.Values{Type: b.typ, Code: b.code[:n]}
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

// A decoding says how stored cells become those of a table.CellType.
type decoding struct {
	as       table.Number
	bytewise bool
	reversed bool // little-endian bytes of a wide decimal
}

func (c decoding) int(stored int64) int64 {
	switch {
	case c.as == table.AsFloat:
		return int64(math.Float64bits(float64(math.Float32frombits(uint32(stored)))))
	case c.as == table.AsHalf:
		return int64(math.Float64bits(table.Half(uint16(stored))))
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
	array *batch.Array
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
func cellType(f batch.Type) (t table.CellType, c decoding, ok bool) {
	ticks := [...]int64{1, 1e3, 1e6, 1e9}
	switch f.Code {
	case batch.Utf8, batch.LargeUtf8, batch.Utf8View:
		t.Form, c.bytewise = table.TextCells, true
	case batch.BinaryType, batch.LargeBinary, batch.BinaryView, batch.FixedSizeBinary:
		t.Form, c.bytewise = table.BinaryCells, true
	case batch.Int:
		if t.Form = table.IntegerCells; f.Num[1] == 0 {
			t.Form = table.UnsignedCells
		}
	case batch.Bool:
		t.Form = table.BooleanCells
	case batch.FloatingPoint:
		t.Form, t.Bits, c.as = table.FloatCells, 16<<(f.Num[0]&3), [...]table.Number{table.AsHalf, table.AsFloat,
			table.AsStored, table.AsStored}[f.Num[0]&3]
	case batch.Decimal:
		t = table.CellType{Form: table.DecimalCells, Scale: int(f.Num[1]), Digits: int(f.Num[0])}
		if f.Num[2] > 64 {
			t.Form, c.bytewise, c.reversed = table.WideDecimalCells, true, true
		}
	case batch.Date:
		t.Form = table.DateCells
	case batch.TimeOfDay:
		t = table.CellType{Form: table.TimeCells, Ticks: ticks[f.Num[0]&3]}
	case batch.Timestamp:
		t = table.CellType{Form: table.TimestampCells, Ticks: ticks[f.Num[0]&3]}
	case batch.Duration:
		t.Form = table.IntegerCells
	}
	return t, c, batch.Reads(f)
}

// readable reports whether the cells of a field can be read.
func (a *File) readable(name string) bool {
	_, err := a.besideColumn(name)
	return err == nil
}

func (a *File) openBesides(b *batch.RecordBatch, unit int) ([]*besideArray, error) {
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
