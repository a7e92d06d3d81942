package verify_test

import (
	"bytes"
	"io"
	"os"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// A format opens a file of record batches or row groups.
type format func(w io.Writer, s *arrow.Schema) (batches, error)

type batches interface {
	Write(arrow.RecordBatch) error
	io.Closer
}

func arrowFormat(option ...ipc.Option) format {
	return func(w io.Writer, s *arrow.Schema) (batches, error) {
		return ipc.NewFileWriter(w, append(option, ipc.WithSchema(s))...)
	}
}

func parquetFormat(as pqarrow.ArrowWriterProperties, option ...parquet.WriterProperty) format {
	return func(w io.Writer, s *arrow.Schema) (batches, error) {
		return pqarrow.NewFileWriter(s, w, parquet.NewWriterProperties(option...), as)
	}
}

// filler stands for the empty value of a type, and "" for null.
const filler = "\x00"

// tableOf is a file of rows in record batches or row groups of some rows.
func tableOf(t *testing.T, in format, fields []arrow.Field, rows, batch int, cells func(row int) []string) []byte {
	t.Helper()
	schema := arrow.NewSchema(fields, nil)
	var out bytes.Buffer
	w, err := in(&out, schema)
	must(t, err)
	for at := 0; at < rows; {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		for n := min(rows-at, batch); n > 0; n, at = n-1, at+1 {
			for i, text := range cells(at) {
				field := b.Field(i)
				if e, ok := field.(*array.ExtensionBuilder); ok && text != filler {
					field = e.StorageBuilder()
				}
				switch text {
				case "":
					field.AppendNull()
				case filler:
					field.AppendEmptyValue()
				default:
					must(t, field.AppendValueFromString(text))
				}
			}
		}
		must(t, w.Write(b.NewRecordBatch()))
	}
	must(t, w.Close())
	return out.Bytes()
}

// writeTable writes a Parquet file with Zstandard and Arrow's schema, or an Arrow file.
func writeTable(t *testing.T, path string, inArrow bool, fields []arrow.Field, rows, batch int,
	cells func(row int) []string) {
	t.Helper()
	in := parquetFormat(pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema()),
		parquet.WithCompression(compress.Codecs.Zstd))
	if inArrow {
		in = arrowFormat()
	}
	must(t, os.WriteFile(path, tableOf(t, in, fields, rows, batch, cells), 0o666))
}
