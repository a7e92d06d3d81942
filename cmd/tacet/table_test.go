package main

import (
	"encoding/csv"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/rogpeppe/go-internal/testscript"
)

// table FROM.csv TO.parquet|TO.arrow|TO.arrows|TO.csv [COPIES] [CODEC] [shuffled] makes an input. The
// header is name:type; an empty cell is null; a row that begins with 20* stands for 20 rows, and a
// cell # is the number of the row, from 0. Types: string, int64, float64, bool, date, time
// (timestamp), decimal (of two digits behind the point), list (of strings).
func table(ts *testscript.TestScript, neg bool, args []string) {
	rows, err := csv.NewReader(strings.NewReader(ts.ReadFile(args[0]))).ReadAll()
	ts.Check(err)
	copies, codec, shuffled := 1, compress.Codecs.Zstd, false
	for _, a := range args[2:] {
		if n, err := strconv.Atoi(a); err == nil {
			copies = n
		} else if a == "shuffled" {
			shuffled = true
		} else {
			codec = codecs[a]
		}
	}
	body := spelled(slices.Repeat(rows[1:], copies))
	if shuffled {
		rand.New(rand.NewPCG(1, 1)).Shuffle(len(body), func(i, j int) { body[i], body[j] = body[j], body[i] })
	}
	ts.Check(writeTable(ts.MkAbs(args[1]), append(rows[:1:1], body...), codec))
}

// writeTable writes rows below a header as a file of the kind that its name ends in.
func writeTable(path string, rows [][]string, codec compress.Compression) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if filepath.Ext(path) == ".csv" {
		return errors.Join(csv.NewWriter(f).WriteAll(rows), f.Close())
	}
	rec, err := record(rows[0], rows[1:])
	if err != nil {
		return err
	}
	switch schema := ipc.WithSchema(rec.Schema()); filepath.Ext(path) {
	case ".arrow":
		w, err := ipc.NewFileWriter(f, schema)
		if err != nil {
			return err
		}
		return errors.Join(w.Write(rec), w.Close(), f.Close())
	case ".arrows": // a stream
		w := ipc.NewWriter(f, schema)
		return errors.Join(w.Write(rec), w.Close(), f.Close())
	}
	w, err := pqarrow.NewFileWriter(rec.Schema(), f, parquet.NewWriterProperties(parquet.WithCompression(codec)),
		pqarrow.DefaultWriterProps())
	if err != nil {
		return err
	}
	return errors.Join(w.WriteBuffered(rec), w.Close())
}

// spelled are rows one by one, with their numbers.
func spelled(rows [][]string) (out [][]string) {
	for _, row := range rows {
		times, first, repeats := strings.Cut(row[0], "*")
		n, err := strconv.Atoi(times)
		if !repeats || err != nil {
			n, first = 1, row[0]
		}
		for range n {
			cells := append([]string{first}, row[1:]...)
			for i, c := range cells {
				if c == "#" {
					cells[i] = strconv.Itoa(len(out))
				}
			}
			out = append(out, cells)
		}
	}
	return out
}

var codecs = map[string]compress.Compression{
	"none": compress.Codecs.Uncompressed, "snappy": compress.Codecs.Snappy, "gzip": compress.Codecs.Gzip,
	"zstd": compress.Codecs.Zstd, "brotli": compress.Codecs.Brotli, "lz4": compress.Codecs.Lz4Raw,
}

func record(header []string, rows [][]string) (arrow.RecordBatch, error) {
	var fields []arrow.Field
	for _, h := range header {
		name, kind, _ := strings.Cut(h, ":")
		fields = append(fields, arrow.Field{Name: name, Type: types[kind], Nullable: true})
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(fields, nil))
	defer b.Release()
	for _, row := range rows {
		for i, cell := range row {
			if err := appendCell(b.Field(i), cell); err != nil {
				return nil, err
			}
		}
	}
	return b.NewRecordBatch(), nil
}

var types = map[string]arrow.DataType{
	"": arrow.BinaryTypes.String, "string": arrow.BinaryTypes.String, "int64": arrow.PrimitiveTypes.Int64,
	"float64": arrow.PrimitiveTypes.Float64, "bool": arrow.FixedWidthTypes.Boolean, "date": arrow.FixedWidthTypes.Date32,
	"time": arrow.FixedWidthTypes.Timestamp_us, "list": arrow.ListOf(arrow.BinaryTypes.String),
	"decimal": &arrow.Decimal128Type{Precision: 12, Scale: 2},
}

func appendCell(b array.Builder, cell string) error {
	if cell == "" {
		b.AppendNull()
		return nil
	}
	switch b := b.(type) {
	case *array.ListBuilder:
		b.Append(true)
		for _, v := range strings.Split(cell, " ") {
			b.ValueBuilder().(*array.StringBuilder).Append(v)
		}
	case *array.Date32Builder:
		d, err := time.Parse(time.DateOnly, cell)
		b.Append(arrow.Date32FromTime(d))
		return err
	default:
		return b.AppendValueFromString(cell)
	}
	return nil
}

func exitCode(err error) string {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return strconv.Itoa(exit.ExitCode())
	}
	return err.Error()
}

func lines(s string) int { return strings.Count(s, "\n") }

func atoi(ts *testscript.TestScript, s string) int {
	n, err := strconv.Atoi(s)
	ts.Check(err)
	return n
}
