package arrow

import (
	"encoding/binary"
	"math"
	"slices"
	"time"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/tacet-privacy/tacet/io/table"
)

// A column is one whose cells are read: they become letters or are handed out.
type column struct {
	table.PrivateColumn                // of one that is handed out Name, Top and Null alone
	typ                 arrow.DataType // of its values, without a dictionary
	index               arrow.DataType // of its dictionary's indices; nil without one
	field               arrow.Field
	cell                table.CellType
}

// column is a top-level column; it fails where cells of its type cannot be read.
func (a *File) column(top int) (*column, error) {
	f := a.schema.arrow.Field(top)
	c := &column{PrivateColumn: table.PrivateColumn{Name: f.Name, Top: top, Null: f.Nullable || a.nulls[top]}, field: f, typ: f.Type}
	if e, ok := c.typ.(arrow.ExtensionType); ok {
		c.typ = e.StorageType()
	}
	if d, ok := c.typ.(*arrow.DictionaryType); ok {
		c.typ, c.index = d.ValueType, d.IndexType
	}
	var ok bool
	if c.cell, ok = cellType(c.typ); !ok {
		return c, table.Errorf("name a column of numbers, text, dates or times",
			"column %q is of type %s, whose values cannot be read", f.Name, typeName(f.Type))
	}
	return c, nil
}

// cellType is the type of the cells of an array; ok is false where they cannot be read.
func cellType(t arrow.DataType) (c table.CellType, ok bool) {
	ticks := func(unit arrow.TimeUnit) int64 { return int64(time.Second / unit.Multiplier()) }
	switch t := t.(type) {
	case *arrow.StringType, *arrow.LargeStringType, *arrow.StringViewType:
		c.Form = table.TextCells
	case *arrow.BinaryType, *arrow.LargeBinaryType, *arrow.BinaryViewType, *arrow.FixedSizeBinaryType:
		c.Form = table.BinaryCells
	case *arrow.Int8Type, *arrow.Int16Type, *arrow.Int32Type, *arrow.Int64Type, *arrow.DurationType:
		c.Form = table.IntegerCells
	case *arrow.Uint8Type, *arrow.Uint16Type, *arrow.Uint32Type, *arrow.Uint64Type:
		c.Form = table.UnsignedCells
	case *arrow.BooleanType:
		c.Form = table.BooleanCells
	case *arrow.Float16Type, *arrow.Float32Type, *arrow.Float64Type:
		c.Form = table.FloatCells
	case arrow.DecimalType:
		c = table.CellType{Form: table.DecimalCells, Scale: int(t.GetScale())}
		if t.BitWidth() > 64 {
			c.Form = table.WideDecimalCells
		}
	case *arrow.Date32Type, *arrow.Date64Type:
		c.Form = table.DateCells
	case *arrow.Time32Type:
		c = table.CellType{Form: table.TimeCells, Ticks: ticks(t.Unit)}
	case *arrow.Time64Type:
		c = table.CellType{Form: table.TimeCells, Ticks: ticks(t.Unit)}
	case *arrow.TimestampType:
		c = table.CellType{Form: table.TimestampCells, Ticks: ticks(t.Unit)}
	default:
		return c, false
	}
	return c, true
}

// fieldType is the type of the values of a private column whose cells are such, if they can be
// read, or what to cast it to.
func fieldType(t arrow.DataType, cell table.CellType, readable bool) (_ table.Type, hint string) {
	_, nested := t.(arrow.NestedType)
	switch id := t.ID(); {
	case arrow.IsInteger(id):
		return table.Type{Kind: table.Integer, Bits: t.(arrow.FixedWidthDataType).BitWidth(),
			Unsigned: arrow.IsUnsignedInteger(id)}, ""
	case arrow.IsFloating(id), arrow.IsDecimal(id):
		return table.Type{}, "put it into bins, such as --bins 0,10,20,inf (tacet inspect proposes some), or cast it to int64"
	case id == arrow.TIMESTAMP:
		return table.Type{}, "put it into bins, such as --bins day, or cast it to date"
	case nested:
		return table.Type{}, "make its values a column of their own"
	}
	kind, ok := map[table.Form]table.Kind{table.TextCells: table.Text, table.BinaryCells: table.Binary,
		table.BooleanCells: table.Boolean, table.DateCells: table.Date}[cell.Form]
	if !ok || !readable || t.ID() == arrow.FIXED_SIZE_BINARY {
		return table.Type{}, "cast it to int64, or to utf8"
	}
	return table.Type{Kind: kind}, ""
}

// cells are those of a column in one record batch.
type cells struct {
	table.Values
	*column
	rows   arrow.Array // indices, where there is a dictionary
	index  func(i int) int64
	values arrow.Array
}

// open begins a record batch.
func (c *column) open(a arrow.Array) (*cells, error) {
	r := &cells{Values: table.Values{Type: c.cell, Code: make([]int32, table.BatchRows)}, column: c, rows: a}
	if e, ok := a.(array.ExtensionArray); ok {
		r.rows = e.Storage()
	}
	r.values = r.rows
	if d, ok := r.rows.(*array.Dictionary); ok {
		r.rows, r.values = d.Indices(), d.Dictionary()
		r.index, r.Entries = whole(r.rows), r.values.Len()
	}
	if days, ok := r.values.(*array.Date64); ok && c.Type.Kind == table.Date {
		for i, v := range days.Date64Values() {
			if days.IsValid(i) && v%perDay != 0 { // which would be lost
				return nil, table.Errorf("cast it to timestamp, or put it into bins such as --bins day",
					"column %q is of type %s, but holds times of day", c.Name, typeName(c.field.Type))
			}
		}
	}
	if r.Source = (accessors{whole(r.values), bytesOf(r.values)}); c.cell.Form == table.NestedCells {
		r.Source = accessors{nil, nestedOf(r.values)}
	}
	return r, nil
}

// next are the cells of the rows from..from+n.
func (c *cells) next(from, n int) (table.Values, error) {
	v := c.Values
	v.Code = v.Code[:n]
	nulls := c.rows.NullN() > 0
	for i := range v.Code {
		switch row := from + i; {
		case nulls && c.rows.IsNull(row):
			v.Code[i] = -1
		case c.index == nil:
			v.Code[i] = int32(row)
		default:
			at := c.index(row)
			if uint64(at) >= uint64(v.Entries) {
				return v, faultf("column %q: an index outside the dictionary", c.Name)
			}
			if v.Code[i] = int32(at); c.values.NullN() > 0 && c.values.IsNull(int(at)) {
				v.Code[i] = -1
			}
		}
	}
	return v, nil
}

// accessors are the cells of an array by their places.
type accessors struct {
	whole func(i int) int64
	bytes func(i int) []byte
}

func (a accessors) Int(i int) int64 { return a.whole(i) }

func (a accessors) Bytes(i int) []byte { return a.bytes(i) }

const perDay = 86400_000 // milliseconds

// whole gives the numbers of an array, nil where it has none: integers (uint64 by its bit
// pattern), booleans, days, ticks, the bits of floats.
func whole(a arrow.Array) func(i int) int64 {
	switch a := a.(type) {
	case *array.Date64:
		return func(i int) int64 { return (int64(a.Value(i)) - (int64(a.Value(i))%perDay+perDay)%perDay) / perDay }
	case *array.Boolean:
		return func(i int) int64 { return int64(map[bool]byte{true: 1}[a.Value(i)]) }
	case *array.Float16:
		return func(i int) int64 { return int64(math.Float64bits(table.Half(a.Value(i).Uint16()))) }
	case *array.Float32:
		return func(i int) int64 { return int64(math.Float64bits(float64(a.Value(i)))) }
	case *array.Float64:
		return func(i int) int64 { return int64(math.Float64bits(a.Value(i))) }
	}
	t, ok := a.DataType().(arrow.FixedWidthDataType)
	if !ok {
		return nil
	}
	switch d, unsigned := a.Data(), arrow.IsUnsignedInteger(t.ID()); t.BitWidth() {
	case 8:
		return integers[int8, uint8](d, unsigned)
	case 16:
		return integers[int16, uint16](d, unsigned)
	case 32:
		return integers[int32, uint32](d, unsigned)
	case 64:
		return integers[int64, uint64](d, unsigned)
	}
	return nil
}

func integers[S arrow.IntType, U arrow.UintType](d arrow.ArrayData, unsigned bool) func(i int) int64 {
	if unsigned {
		return numbers(arrow.GetValues[U](d, 1))
	}
	return numbers(arrow.GetValues[S](d, 1))
}

func numbers[T arrow.IntType | arrow.UintType](v []T) func(i int) int64 {
	return func(i int) int64 { return int64(v[i]) }
}

// bytesOf gives the texts of an array, and wide decimals as their big-endian bytes; nil
// where it has none. Nobody may change them.
func bytesOf(a arrow.Array) func(i int) []byte {
	switch a := a.(type) {
	case interface{ Value(int) string }:
		return func(i int) []byte {
			s := a.Value(i)
			return unsafe.Slice(unsafe.StringData(s), len(s))
		}
	case interface{ Value(int) []byte }:
		return a.Value
	case *array.Decimal128:
		return func(i int) []byte {
			v := a.Value(i)
			return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, uint64(v.HighBits())), v.LowBits())
		}
	case *array.Decimal256:
		return func(i int) (b []byte) {
			words := a.Value(i).Array() // the least first
			for _, word := range slices.Backward(words[:]) {
				b = binary.BigEndian.AppendUint64(b, word)
			}
			return b
		}
	}
	return nil
}
