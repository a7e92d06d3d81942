package arrow

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tacet-privacy/tacet/io/table"
)

// An outputColumn is what a private column becomes in the output. Nothing in it comes from
// the source but its name, type and nullability.
type outputColumn struct {
	field   arrow.Field
	letters int32       // of the output alphabet, without null
	null    bool        // null is a letter of it
	cells   arrow.Array // of every letter, and null behind them: indices, where there is a dictionary
	dict    arrow.Array // its values, sorted; nil where there is none
}

// outputs decides the fields of the private columns.
func (a *File) outputs(to []*table.Alphabet) ([]*outputColumn, error) {
	if len(to) != len(a.private) {
		panic("not one alphabet per private column")
	}
	output := make([]*outputColumn, len(to))
	for i, c := range a.private {
		o := &outputColumn{letters: int32(len(to[i].Values())), null: to[i].Null() >= 0}
		typ, index := c.typ, c.index
		switch t := to[i].Type(); {
		case c.Writes(t):
		case t.Kind == table.Text:
			typ = arrow.BinaryTypes.String
		default:
			return nil, table.Errorf("", "column %q is of type %s, its outputs of type %s", c.Name, c.Type, t)
		}
		o.field = arrow.Field{Name: c.Name, Type: typ, Nullable: c.Null || o.null}
		if err := o.fill(typ, index, to[i]); err != nil {
			return nil, err
		}
		output[i] = o
	}
	return output, nil
}

// fill makes the cells of the letters of an alphabet: values of type t, or indices where index is not nil.
func (o *outputColumn) fill(t, index arrow.DataType, to *table.Alphabet) (err error) {
	value := to.Values()
	if index == nil {
		o.cells, err = arrayOf(t, to.Type(), value, true)
		return err
	}
	order := to.Sorted()
	rank, sorted := make([]table.Value, len(order)), make([]table.Value, len(order))
	for i, letter := range order {
		rank[letter].Int, sorted[i] = int64(i), value[letter]
	}
	index = indexType(index, len(order))
	// The order of a source that calls its dictionary ordered is not kept.
	o.field.Type = &arrow.DictionaryType{IndexType: index, ValueType: t}
	if o.dict, err = arrayOf(t, to.Type(), sorted, false); err == nil {
		o.cells, err = arrayOf(index, table.Type{Kind: table.Integer}, rank, true)
	}
	return err
}

// indexType is t, or a wider type of the same sign where letters do not fit.
func indexType(t arrow.DataType, letters int) arrow.DataType {
	signed := []arrow.DataType{arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32,
		arrow.PrimitiveTypes.Int64}
	all := []arrow.DataType{arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32,
		arrow.PrimitiveTypes.Uint64}
	sign := 0
	if arrow.IsSignedInteger(t.ID()) {
		all, sign = signed, 1
	}
	for _, wider := range all {
		if bits := wider.(arrow.FixedWidthDataType).BitWidth(); bits >= t.(arrow.FixedWidthDataType).BitWidth() &&
			letters <= 1<<min(bits-sign, 32) {
			return wider
		}
	}
	return t
}

// arrayOf is an array of these values of an alphabet of type of, and with null a null behind them.
func arrayOf(t arrow.DataType, of table.Type, value []table.Value, null bool) (arrow.Array, error) {
	b := array.NewBuilder(memory.DefaultAllocator, t)
	for _, v := range value {
		switch b := b.(type) {
		case interface{ Append(string) }:
			b.Append(v.Bytes)
		case interface{ Append([]byte) }:
			b.Append([]byte(v.Bytes))
		default:
			if b.AppendValueFromString(of.Label(v)) != nil {
				return nil, table.Errorf("", "an output is no value of type %s", t)
			}
		}
	}
	if null {
		b.AppendNull()
	}
	return b.NewArray(), nil
}

// place is the place in cells of a letter; it fails where that cannot be written.
func (o *outputColumn) place(letter int32) (int, error) {
	switch {
	case letter >= 0 && letter < o.letters:
		return int(letter), nil
	case letter < -1 || letter > o.letters || letter == o.letters && !o.null:
		return 0, errors.New("a letter outside the output alphabet")
	case !o.field.Nullable:
		return 0, fmt.Errorf("a null in column %q, which had none", o.field.Name)
	}
	return int(o.letters), nil
}

// array are the cells at these places, in buffers of their own.
func (o *outputColumn) array(at []int) (a arrow.Array, err error) {
	if view, ok := o.cells.DataType().(arrow.BinaryViewDataType); ok { // whose texts stay where they are
		valid, nulls := gatheredBits(at, o.cells.IsValid)
		values := gatheredBytes(o.cells, at, arrow.ViewHeaderSizeBytes, valid)
		buffers := append([]*memory.Buffer{valid, memory.NewBufferBytes(values)}, o.cells.Data().Buffers()[2:]...)
		a = array.MakeFromData(array.NewData(view, len(at), buffers, nil, nulls, 0))
	} else if a, err = gathered(o.cells, at); err != nil {
		return nil, table.Errorf("cast it to large_utf8 or write smaller record batches",
			"column %q: the outputs of a record batch take more than %d GiB", o.field.Name, (math.MaxInt32+1)>>30)
	}
	if o.dict != nil {
		a = array.NewDictionaryArray(o.field.Type, a, o.dict)
	}
	return a, nil
}

// outputSchema is that of the output: dropped columns are gone, private ones new, kept ones
// with all that is said of them, and the schema's own metadata only what was asked for.
func (a *File) outputSchema(output []*outputColumn) *arrow.Schema {
	var keys, values []string
	said := a.schema.arrow.Metadata()
	for i, key := range said.Keys() {
		if slices.Contains(a.request.Metadata, key) {
			keys, values = append(keys, key), append(values, said.Values()[i])
		}
	}
	var fields []arrow.Field
	for i, f := range a.schema.arrow.Fields() {
		switch at := a.Role[i]; at {
		case table.Dropped:
		case table.Kept:
			fields = append(fields, f)
		default:
			fields = append(fields, output[at].field)
		}
	}
	about := arrow.NewMetadata(keys, values)
	return arrow.NewSchema(fields, &about)
}
