package main

import (
	"context"
	"fmt"
	"os"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// arrowRecords does the job with arrow-go's pqarrow, strings read and written
// as dictionary arrays and all else without dictionaries.
func arrowRecords(ctx context.Context, e errand) error {
	law, err := readLaw(e.Plan)
	if err != nil {
		return err
	}
	in, err := file.OpenParquetFile(e.Input, false)
	if err != nil {
		return err
	}
	defer in.Close()
	props := pqarrow.ArrowReadProperties{BatchSize: 1 << 16, Parallel: e.Threads > 1}
	write := []parquet.WriterProperty{parquet.WithCompression(codecs[e.Codec]), parquet.WithMaxRowGroupLength(groupRows)}
	for i := range in.MetaData().Schema.NumColumns() {
		if c := in.MetaData().Schema.Column(i); c.PhysicalType() == parquet.Types.ByteArray {
			props.SetReadDict(i, true)
		} else {
			write = append(write, parquet.WithDictionaryFor(c.Path(), false))
		}
	}
	r, err := pqarrow.NewFileReader(in, props, memory.DefaultAllocator)
	if err != nil {
		return err
	}
	records, err := r.GetRecordReader(ctx, nil, nil)
	if err != nil {
		return err
	}
	defer records.Release()
	out, err := os.Create(e.Output)
	if err != nil {
		return err
	}
	private := records.Schema().FieldIndices(e.Column)
	if len(private) != 1 {
		return fmt.Errorf("the file has no column %q", e.Column)
	}
	w, err := pqarrow.NewFileWriter(records.Schema(), out, parquet.NewWriterProperties(write...),
		pqarrow.DefaultWriterProps())
	if err != nil {
		return err
	}
	d := newArrowDraw(law)
	for records.Next() {
		rec := records.RecordBatch()
		columns := append([]arrow.Array(nil), rec.Columns()...)
		if columns[private[0]], err = d.draw(columns[private[0]]); err != nil {
			return err
		}
		if err := w.WriteBuffered(array.NewRecordBatch(rec.Schema(), columns, rec.NumRows())); err != nil {
			return err
		}
	}
	if err := records.Err(); err != nil {
		return err
	}
	return w.Close()
}

type arrowDraw struct {
	*sampler
	letter map[string]int
	output arrow.Array
}

func newArrowDraw(l *law) *arrowDraw {
	b := array.NewStringBuilder(memory.DefaultAllocator)
	b.AppendValues(l.outputs, nil)
	d := &arrowDraw{l.sampler(), map[string]int{}, b.NewArray()}
	for x, label := range l.inputs {
		d.letter[label] = x
	}
	return d
}

// draw makes a dictionary array of fresh outputs.
func (d *arrowDraw) draw(a arrow.Array) (arrow.Array, error) {
	column, ok := a.(*array.Dictionary)
	if !ok {
		return nil, fmt.Errorf("the private column was read as %s", a.DataType())
	}
	labels, ok := column.Dictionary().(array.StringLike)
	if !ok {
		return nil, fmt.Errorf("the dictionary is of %s", column.Dictionary().DataType())
	}
	letter := make([]int, labels.Len())
	for i := range letter {
		if letter[i], ok = d.letter[labels.Value(i)]; !ok {
			return nil, fmt.Errorf("a value is not in the plan")
		}
	}
	b := array.NewInt32Builder(memory.DefaultAllocator)
	b.Reserve(column.Len())
	for i := range column.Len() {
		b.UnsafeAppend(int32(d.sampler.draw(letter[column.GetValueIndex(i)])))
	}
	t := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: labels.DataType()}
	if labels.DataType().ID() != arrow.STRING {
		return nil, fmt.Errorf("strings of type %s are not supported here", labels.DataType())
	}
	return array.NewDictionaryArray(t, b.NewArray(), d.output), nil
}
