package arrow

import (
	"encoding/binary"
	"encoding/json"
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
	letters int32           // of the output alphabet, without null
	null    bool            // null is a letter of it
	cells   arrow.ArrayData // of every letter, and null behind them: indices, where there is a dictionary
	dict    *array.Data     // its values, sorted; nil where there is none
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
		value := slices.Clone(to[i].Values())
		o.field = arrow.Field{Name: c.Name, Type: typ, Nullable: c.Null || o.null}
		if index == nil {
			o.cells = arrayOf(typ, append(value, table.Value{}), true)
			o.field.Type = extension(c, typ, to[i])
		} else {
			order := to[i].Sorted()
			rank, sorted := make([]table.Value, len(order)+1), make([]table.Value, len(order))
			for i, letter := range order {
				rank[letter].Int, sorted[i] = int64(i), value[letter]
			}
			index = indexType(index, len(order))
			o.cells, o.dict = arrayOf(index, rank, true), arrayOf(typ, sorted, false)
			// The order of a source that calls its dictionary ordered is not kept.
			o.field.Type = &arrow.DictionaryType{IndexType: index, ValueType: typ}
		}
		output[i] = o
	}
	return output, nil
}

// extension is the column's extension type, where that has no parameters and the outputs
// are values of it: arrow.json and arrow.bool8. Other types come back as what they are
// stored as, since their metadata may be about the old values.
func extension(c *column, stored arrow.DataType, to *table.Alphabet) arrow.DataType {
	e, ok := c.field.Type.(arrow.ExtensionType)
	if !ok || !arrow.TypeEqual(e.StorageType(), stored) {
		return stored
	}
	switch e.ExtensionName() {
	case "arrow.json":
		if slices.ContainsFunc(to.Values(), func(v table.Value) bool { return !json.Valid([]byte(v.Bytes)) }) {
			return stored
		}
		return e
	case "arrow.bool8":
		return e
	}
	return stored
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

// arrayOf is an array of these values, the last of which may be null.
func arrayOf(t arrow.DataType, value []table.Value, null bool) *array.Data {
	valid, nulls := make([]byte, (len(value)+7)/8), 0
	for i := range value {
		valid[i>>3] |= 1 << (i & 7)
	}
	var bitmap *memory.Buffer
	if null {
		last := len(value) - 1
		valid[last>>3] &^= 1 << (last & 7)
		bitmap, nulls = memory.NewBufferBytes(valid), 1
	}
	var fixed, text []byte
	buffers := []*memory.Buffer{bitmap, nil}
	switch t := t.(type) {
	case *arrow.StringType, *arrow.BinaryType, *arrow.LargeStringType, *arrow.LargeBinaryType:
		of := make([]stretch, len(value))
		for i, v := range value {
			of[i].from = int64(len(text))
			text = append(text, v.Bytes...)
			of[i].to = int64(len(text))
		}
		buffers[1], _ = joined(of, wideOf(t)) // an alphabet is shorter than 2 GiB
		buffers = append(buffers, memory.NewBufferBytes(text))
		return array.NewData(t, len(value), buffers, nil, nulls, 0)
	case *arrow.StringViewType, *arrow.BinaryViewType:
		for _, v := range value {
			var view [16]byte // the length, and the text or its first bytes and where it is
			binary.LittleEndian.PutUint32(view[:], uint32(len(v.Bytes)))
			if copy(view[4:], v.Bytes); len(v.Bytes) > 12 {
				binary.LittleEndian.PutUint32(view[8:], 0)
				binary.LittleEndian.PutUint32(view[12:], uint32(len(text)))
				text = append(text, v.Bytes...)
			}
			fixed = append(fixed, view[:]...)
		}
		if len(text) > 0 { // polars reads no empty one with compression
			buffers = append(buffers, memory.NewBufferBytes(text))
		}
	case *arrow.BooleanType:
		fixed = make([]byte, (len(value)+7)/8)
		for i, v := range value {
			fixed[i>>3] |= byte(v.Int) << (i & 7)
		}
	case arrow.FixedWidthDataType:
		width, per := t.BitWidth()/8, int64(1)
		if t.ID() == arrow.DATE64 {
			per = perDay
		}
		for _, v := range value {
			cell := append(binary.LittleEndian.AppendUint64(nil, uint64(v.Int*per)), make([]byte, 24)...)
			copy(cell, v.Bytes)
			fixed = append(fixed, cell[:width]...)
		}
	}
	buffers[1] = memory.NewBufferBytes(fixed)
	return array.NewData(t, len(value), buffers, nil, nulls, 0)
}

// place is the place in cells of a letter; it fails where that cannot be written.
func (o *outputColumn) place(letter int32) (int64, error) {
	switch {
	case letter >= 0 && letter < o.letters:
		return int64(letter), nil
	case letter < -1 || letter > o.letters || letter == o.letters && !o.null:
		return 0, errors.New("a letter outside the output alphabet")
	case !o.field.Nullable:
		return 0, fmt.Errorf("a null in column %q, which had none", o.field.Name)
	}
	return int64(o.letters), nil
}

// array are the cells at these places, which it may change, in buffers of their own.
func (o *outputColumn) array(at []int64) (arrow.Array, error) {
	t := o.cells.DataType()
	var data arrow.ArrayData
	if view, ok := t.(arrow.BinaryViewDataType); ok { // whose texts stay where they are
		valid, nulls := gatheredBits(o.cells.Buffers()[0], at, true)
		values := gatheredBytes(o.cells.Buffers()[1].Bytes(), at, arrow.ViewHeaderSizeBytes, valid)
		buffers := append([]*memory.Buffer{valid, memory.NewBufferBytes(values)}, o.cells.Buffers()[2:]...)
		data = array.NewData(view, len(at), buffers, nil, nulls, 0)
	} else {
		var err error
		if data, err = gathered(o.cells, at); err != nil {
			return nil, table.Errorf("cast it to large_utf8 or write smaller record batches",
				"column %q: the outputs of a record batch take more than %d GiB", o.field.Name, (math.MaxInt32+1)>>30)
		}
	}
	switch t := o.field.Type.(type) {
	case *arrow.DictionaryType:
		return array.MakeFromData(array.NewDataWithDictionary(t, data.Len(), data.Buffers(), data.NullN(), 0, o.dict)), nil
	case arrow.ExtensionType:
		return array.MakeFromData(array.NewData(t, data.Len(), data.Buffers(), nil, data.NullN(), 0)), nil
	}
	return array.MakeFromData(data), nil
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
		switch at := a.role[i]; at {
		case dropped:
		case kept:
			fields = append(fields, f)
		default:
			fields = append(fields, output[at].field)
		}
	}
	about := arrow.NewMetadata(keys, values)
	return arrow.NewSchema(fields, &about)
}
