package inspect

import (
	"context"
	"io"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	arrowio "github.com/tacet-privacy/tacet/io/arrow"
	"github.com/tacet-privacy/tacet/io/table"
)

// readArrow counts the first rows of every record batch of a file.
func readArrow(ctx context.Context, local table.Content, f *File) error {
	opened, err := arrowio.Format.Open(local, table.Request{})
	if err != nil {
		return err
	}
	file := opened.(*arrowio.File)
	for i, field := range file.Schema().Fields() {
		f.Columns[i].typed(field.Type)
	}
	return file.Each(func(rows arrow.RecordBatch) error {
		f.count(rows, f.part(rows.NumRows(), len(f.Columns)))
		return ctx.Err()
	})
}

// streamColumns are the columns of a stream.
func (f *File) streamColumns(local table.Content) error {
	s, err := arrowio.OpenStream(io.NewSectionReader(local, 0, local.Size()))
	if err != nil {
		return err
	}
	for _, field := range s.Schema().Fields() {
		c := Column{Name: field.Name, Type: field.Type.String(), Readable: true}
		if c.Private = c.typed(field.Type); !c.Private {
			c.Why = "has a type that only other columns may have"
		}
		f.Columns = append(f.Columns, c)
	}
	return nil
}

// typed takes the type of a field, and reports whether a private column may have it.
func (c *Column) typed(t arrow.DataType) bool {
	_, dictionary := t.(*arrow.DictionaryType)
	_, nested := t.(arrow.NestedType)
	c.nested = nested && !dictionary
	name := t.String()
	switch t := t.(type) {
	case *arrow.DictionaryType:
		return c.typed(t.ValueType)
	case *arrow.StringType, *arrow.LargeStringType, *arrow.StringViewType:
		name = "string"
	case *arrow.LargeBinaryType, *arrow.BinaryViewType:
		name = "binary"
	case *arrow.Date32Type, *arrow.Date64Type:
		name = "date"
	case *arrow.BooleanType:
		name = "boolean"
	}
	kind, ok := table.ParseType(name)
	c.kind = kind
	return ok
}

// readStream counts the rows of a stream from its start; how many there are is known
// at its end.
func readStream(ctx context.Context, local table.Content, f *File) error {
	s, err := arrowio.OpenStream(io.NewSectionReader(local, 0, local.Size()))
	if err != nil {
		return err
	}
	most := int64(mostCells / max(len(f.Columns), 1))
	return s.Each(func(rows arrow.RecordBatch) error {
		f.Rows += rows.NumRows()
		f.count(rows, min(rows.NumRows(), most-f.Read))
		return ctx.Err()
	})
}

// count counts the first rows of a batch.
func (f *File) count(batch arrow.RecordBatch, rows int64) {
	f.Read += rows
	for i := range f.Columns {
		c := &f.Columns[i]
		number := c.tally.cells(batch.Column(i))
		if c.Readable = c.Readable && number != nil; !c.Readable {
			continue
		}
		for row := range int(rows) {
			id := number(row)
			c.tally.add(id, 1)
			c.tally.row(id)
		}
	}
}

// cells gives the numbers of the rows of an array, nil where it is of a type that is
// not counted.
func (t *tally) cells(a arrow.Array) func(row int) int32 {
	plain := t.values(a)
	if plain == nil {
		return nil
	}
	return func(row int) int32 {
		if a.IsNull(row) {
			return null
		}
		return plain(row)
	}
}

func (t *tally) values(a arrow.Array) func(row int) int32 {
	switch a := a.(type) {
	case *array.Dictionary:
		of := t.values(a.Dictionary())
		if of == nil {
			return nil
		}
		id, seen := make([]int32, a.Dictionary().Len()), make([]bool, a.Dictionary().Len())
		return func(row int) int32 {
			i := a.GetValueIndex(row)
			if !seen[i] {
				seen[i] = true
				if id[i] = null; a.Dictionary().IsValid(i) {
					id[i] = of(i)
				}
			}
			return id[i]
		}
	case *array.String:
		return func(row int) int32 { return t.text([]byte(a.Value(row))) }
	case *array.LargeString:
		return func(row int) int32 { return t.text([]byte(a.Value(row))) }
	case *array.StringView:
		return func(row int) int32 { return t.text([]byte(a.Value(row))) }
	case *array.Binary:
		return func(row int) int32 { return t.text(a.Value(row)) }
	case *array.LargeBinary:
		return func(row int) int32 { return t.text(a.Value(row)) }
	case *array.BinaryView:
		return func(row int) int32 { return t.text(a.Value(row)) }
	case *array.FixedSizeBinary:
		return func(row int) int32 { return t.text(a.Value(row)) }
	case *array.Boolean:
		return func(row int) int32 {
			if a.Value(row) {
				return t.integer(1)
			}
			return t.integer(0)
		}
	case *array.Float32:
		return func(row int) int32 { return t.floating(float64(a.Value(row))) }
	case *array.Float64:
		return func(row int) int32 { return t.floating(a.Value(row)) }
	case *array.Int8:
		return integers(t, a.Int8Values())
	case *array.Int16:
		return integers(t, a.Int16Values())
	case *array.Int32:
		return integers(t, a.Int32Values())
	case *array.Int64:
		return integers(t, a.Int64Values())
	case *array.Uint8:
		return integers(t, a.Uint8Values())
	case *array.Uint16:
		return integers(t, a.Uint16Values())
	case *array.Uint32:
		return integers(t, a.Uint32Values())
	case *array.Uint64:
		return integers(t, a.Uint64Values())
	case *array.Date32:
		return integers(t, a.Date32Values())
	case *array.Date64:
		return func(row int) int32 { // whole days
			return t.integer(int64(math.Floor(float64(a.Value(row)) / 86400_000)))
		}
	case *array.Timestamp:
		return integers(t, a.TimestampValues())
	case *array.Time32:
		return integers(t, a.Time32Values())
	case *array.Time64:
		return integers(t, a.Time64Values())
	case *array.Duration:
		return integers(t, a.DurationValues())
	case *array.Decimal128:
		return func(row int) int32 { return t.text([]byte(a.ValueStr(row))) }
	case *array.Null:
		return func(int) int32 { return null }
	}
	return nil
}

// integers gives the numbers of integers, whatever stands for them.
func integers[T ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64](t *tally,
	v []T) func(row int) int32 {
	return func(row int) int32 { return t.integer(int64(v[row])) }
}
