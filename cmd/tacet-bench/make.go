package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// groupRows is the length of a row group or record batch, the usual one of
// Arrow's writers.
const groupRows = 1 << 20

var codecs = map[string]compress.Compression{"snappy": compress.Codecs.Snappy, "zstd": compress.Codecs.Zstd}

// makeDataset writes the data set of e.Spec to e.Output. The data are the
// same on every machine.
func makeDataset(ctx context.Context, e errand) error {
	var d dataset
	if err := json.Unmarshal(e.Spec, &d); err != nil {
		return fmt.Errorf("reading the data set: %w", err)
	}
	if d.Columns == nil {
		return repeatFlights(ctx, d, e.Output)
	}
	f, err := os.Create(e.Output)
	if err != nil {
		return err
	}
	schema := d.schema()
	w, err := d.writer(schema, f)
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(1, uint64(d.Rows)))
	group := cmp.Or(d.Group, groupRows)
	for row := 0; row < d.Rows; row += group {
		rec := d.record(schema, rng, row, min(group, d.Rows-row))
		err := w.Write(rec)
		rec.Release()
		if err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	if err := f.Close(); err != nil && !errors.Is(err, os.ErrClosed) { // pqarrow closes it
		return err
	}
	return nil
}

type recordWriter interface {
	Write(arrow.RecordBatch) error
	Close() error
}

func (d dataset) writer(schema *arrow.Schema, f io.Writer) (recordWriter, error) {
	if d.Arrow {
		return ipc.NewFileWriter(f.(io.WriteSeeker), ipc.WithSchema(schema))
	}
	options := []parquet.WriterProperty{
		parquet.WithCompression(codecs[d.Codec]), parquet.WithMaxRowGroupLength(groupRows),
		parquet.WithDictionaryFor("id", false), parquet.WithDictionaryFor("amount", false),
	}
	if d.Plain {
		options = append(options, parquet.WithDictionaryDefault(false))
	}
	return pqarrow.NewFileWriter(schema, f, parquet.NewWriterProperties(options...), pqarrow.NewArrowWriterProperties())
}

func (d dataset) schema() *arrow.Schema {
	var fields []arrow.Field
	for _, name := range d.Columns {
		var t arrow.DataType = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16,
			ValueType: arrow.BinaryTypes.String}
		switch {
		case name == "id":
			t = arrow.PrimitiveTypes.Int64
		case name == "amount":
			t = arrow.PrimitiveTypes.Float64
		case d.Plain:
			t = arrow.BinaryTypes.String
		}
		fields = append(fields, arrow.Field{Name: name, Type: t, Nullable: true})
	}
	return arrow.NewSchema(fields, nil)
}

// record makes rows from first on: ids that count, amounts in cents, letters
// of which the first is the commonest, mildly.
func (d dataset) record(schema *arrow.Schema, rng *rand.Rand, first, rows int) arrow.RecordBatch {
	columns := make([]arrow.Array, len(d.Columns))
	for i, name := range d.Columns {
		switch name {
		case "id":
			b := array.NewInt64Builder(memory.DefaultAllocator)
			b.Reserve(rows)
			for k := range rows {
				b.UnsafeAppend(int64(first + k))
			}
			columns[i] = b.NewArray()
		case "amount":
			b := array.NewFloat64Builder(memory.DefaultAllocator)
			b.Reserve(rows)
			for range rows {
				b.UnsafeAppend(math.Floor(rng.Float64()*1e6) / 100)
			}
			columns[i] = b.NewArray()
		default:
			columns[i] = letterArray(schema.Field(i).Type, letters(name), rng, rows)
		}
	}
	return array.NewRecordBatch(schema, columns, int64(rows))
}

func letterArray(t arrow.DataType, label []string, rng *rand.Rand, rows int) arrow.Array {
	draw := func() int { u := rng.Float64(); return int(float64(len(label)) * u * math.Sqrt(u)) }
	values := array.NewStringBuilder(memory.DefaultAllocator)
	if t.ID() == arrow.STRING {
		values.Reserve(rows)
		for range rows {
			values.Append(label[draw()])
		}
		return values.NewArray()
	}
	values.AppendValues(label, nil)
	index := array.NewInt16Builder(memory.DefaultAllocator)
	index.Reserve(rows)
	for range rows {
		index.UnsafeAppend(int16(draw()))
	}
	return array.NewDictionaryArray(t, index.NewArray(), values.NewArray())
}

// repeatFlights writes the flights file again and again, as one file.
func repeatFlights(ctx context.Context, d dataset, to string) error {
	var rows int
	if err := query(ctx, 2, nil, "SELECT count(*) FROM read_parquet("+quoted(d.From)+")", &rows); err != nil {
		return err
	}
	part := "SELECT * FROM read_parquet(" + quoted(d.From) + ")"
	parts := strings.Repeat(part+" UNION ALL ", max(0, (d.Rows+rows/2)/rows-1)) + part
	return query(ctx, 2, nil, fmt.Sprintf("COPY (%s) TO %s (FORMAT parquet, COMPRESSION %s)", parts, quoted(to), d.Codec))
}
