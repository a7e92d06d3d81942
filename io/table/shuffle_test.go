package table_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	arrowparquet "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"

	parquetmeta "github.com/tacet-privacy/tacet/io/parquet/meta"
	"github.com/tacet-privacy/tacet/io/table"
)

const muchMemory = 4 << 30

// shuffled gives the bytes of a file with its rows in this order.
func shuffled(t *testing.T, text []byte, order []uint32) ([]byte, error) {
	t.Helper()
	f, err := open(table.InMemory(text), table.Request{})
	must(t, err)
	in, err := f.Shuffled(context.Background(), order, muchMemory)
	if err != nil {
		return nil, err
	}
	out, err := io.ReadAll(io.NewSectionReader(in, 0, in.Size()))
	must(t, err)
	return out, nil
}

// anyOrder is an order of n rows that moves nearly all of them.
func anyOrder(n int) []uint32 {
	order := make([]uint32, n)
	for i, k := range rand.New(rand.NewPCG(1, 2)).Perm(n) {
		order[i] = uint32(k)
	}
	return order
}

// cellsOf are the cells of all columns as text, row by row, read by arrow-go.
func cellsOf(t *testing.T, records []arrow.RecordBatch) (rows []string) {
	t.Helper()
	for _, r := range records {
		for row := range int(r.NumRows()) {
			var cells []string
			for _, c := range r.Columns() {
				cells = append(cells, fmt.Sprint(c.IsNull(row), c.GetOneForMarshal(row)))
			}
			rows = append(rows, strings.Join(cells, "|"))
		}
	}
	return rows
}

// inOrder fails unless the rows are those of before in this order.
func inOrder(t *testing.T, before, after []string, order []uint32) {
	t.Helper()
	if len(after) != len(before) {
		t.Fatalf("%d rows, want %d", len(after), len(before))
	}
	for i, k := range order {
		if after[i] != before[k] {
			t.Fatalf("row %d is %.200s, want %.200s", i, after[i], before[k])
		}
	}
}

// notOrdered are the types of Arrow that are refused.
var notOrdered = []arrow.Type{arrow.LIST_VIEW, arrow.DENSE_UNION, arrow.SPARSE_UNION, arrow.RUN_END_ENCODED}

// TestShuffleArrow: columns of every type are written in another order, or refused
// by name; with every codec.
func TestShuffleArrow(t *testing.T) {
	for n := range arrowNeighbours {
		for k, option := range [][]ipc.Option{nil, {ipc.WithZstd()}, {ipc.WithLZ4()}} {
			typ := arrowNeighbours[n].typ
			t.Run(fmt.Sprint(typ, k), func(t *testing.T) {
				schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: typ, Nullable: true,
					Metadata: arrow.MetadataFrom(map[string]string{"a": "b"})}}, nil)
				var records []arrow.RecordBatch
				for at := 0; at < 300; at += 100 {
					records = append(records, arrayBatch(schema, neighbourArray(t, n, at, at+100)))
				}
				text := writeRecords(t, schema, records, option...)
				order := anyOrder(300)
				out, err := shuffled(t, text, order)
				if slices.Contains(notOrdered, typ.ID()) {
					var bad *table.InputError
					if !errors.As(err, &bad) || !strings.HasPrefix(bad.What, `column "n" is of type `) {
						t.Errorf("not refused by name: %v", err)
					}
					return
				}
				must(t, err)
				now, after := readRecords(t, out)
				if !now.Equal(schema) || len(after) != 1 {
					t.Errorf("schema %v, %d record batches", now, len(after))
				}
				inOrder(t, cellsOf(t, records), cellsOf(t, after), order)
			})
		}
	}
}

// TestShuffleLeavesNoOrder: of an Arrow file, neither a dictionary nor a buffer of
// text has the values as the file had them, nor such that no row has.
func TestShuffleLeavesNoOrder(t *testing.T) {
	var rows []table.Value
	for i := range 200 {
		rows = append(rows, table.Value{Bytes: fmt.Sprintf("a value too long for a view, %03d", i)})
	}
	order := anyOrder(200)
	for _, plain := range []arrow.DataType{arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString,
		arrow.BinaryTypes.StringView} {
		for _, typ := range []arrow.DataType{plain, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16,
			ValueType: plain}, arrow.ListOf(plain)} {
			var c arrow.Array
			of := cells{typ: table.Type{Kind: table.Text}, value: rows}
			if typ.ID() == arrow.LIST {
				c = listsOf(t, typ, rows)
			} else {
				c = arrowArray(t, typ, of, 0, 200)
			}
			schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: typ}}, nil)
			text := writeRecords(t, schema, []arrow.RecordBatch{arrayBatch(schema, c)})
			out, err := shuffled(t, text, order)
			must(t, err)
			_, after := readRecords(t, out)
			inOrder(t, cellsOf(t, []arrow.RecordBatch{arrayBatch(schema, c)}), cellsOf(t, after), order)
			var found []int
			for i, k := range order {
				at := bytes.Index(out, []byte(rows[k].Bytes))
				if i > 0 && at < found[i-1] {
					t.Fatalf("%v: value %d stands before that of the row before", typ, k)
				}
				found = append(found, at)
			}
			if found[0] < 0 || bytes.Contains(out, []byte(letterValue(of.typ, 1<<10).Bytes)) {
				t.Errorf("%v: a value is missing, or one is there that no row has", typ)
			}
		}
	}
}

// TestShuffleParquet: nested columns of all shapes, in several row groups, keep their
// cells and their schema to the byte, and lose their statistics.
func TestShuffleParquet(t *testing.T) {
	c := cells{typ: table.Type{Kind: table.Text}}
	for i := range 1000 {
		c.value, c.null = append(c.value, table.Value{Bytes: fmt.Sprint("private ", i%9)}), append(c.null, i%11 == 0)
	}
	for name, text := range map[string][]byte{
		"shapes": shapes(t, arrow.BinaryTypes.String, c, map[string]string{"k": "v"}),
		"plain, zstd": shapes(t, arrow.BinaryTypes.String, c, nil, arrowparquet.WithDictionaryDefault(false),
			arrowparquet.WithCompression(compress.Codecs.Zstd)),
		"version 2": shapes(t, arrow.BinaryTypes.String, c, nil, arrowparquet.WithDataPageVersion(arrowparquet.DataPageV2)),
	} {
		t.Run(name, func(t *testing.T) {
			old, err := parquetmeta.ReadFooter(bytes.NewReader(text), int64(len(text)))
			must(t, err)
			order := anyOrder(int(old.Rows))
			out, err := shuffled(t, text, order)
			must(t, err)
			now, err := parquetmeta.ReadFooter(bytes.NewReader(out), int64(len(out)))
			must(t, err)
			for _, field := range []int16{parquetmeta.MetaSchema, parquetmeta.MetaKeyValue, parquetmeta.MetaCreatedBy} {
				one, two := parquetmeta.NewStruct(), parquetmeta.NewStruct()
				if v := old.Meta.Get(field); v != nil {
					one.Set(field, v)
				}
				if v := now.Meta.Get(field); v != nil {
					two.Set(field, v)
				}
				if !bytes.Equal(one.Encode(nil), two.Encode(nil)) {
					t.Errorf("field %d of the footer is another", field)
				}
			}
			if want := (int(old.Rows) + table.ShuffledRows - 1) / table.ShuffledRows; len(now.Groups) != want {
				t.Errorf("%d row groups, want %d", len(now.Groups), want)
			}
			for g := range now.Groups {
				chunks := now.Meta.Get(parquetmeta.MetaGroups).At(g).View().Get(parquetmeta.GroupChunks).View()
				for i := range chunks.Len() {
					if chunks.At(i).View().Get(parquetmeta.ChunkMeta).View().Get(parquetmeta.ColumnStatistics) != nil {
						t.Errorf("column %d of row group %d has statistics", i, g)
					}
				}
			}
			inOrder(t, cellsOf(t, parquetRecords(t, text)), cellsOf(t, parquetRecords(t, out)), order)
		})
	}
}

// TestShuffleCSV: rows move byte for byte, whatever is in them and ends them.
func TestShuffleCSV(t *testing.T) {
	row := []string{"1,\"a\nb\"\r\n", "2,\"\"\n", "3,\n", "4,\"say \"\"x\"\"\"\r\n", "5,\u00e9\n", "6,last"}
	order := []uint32{3, 5, 0, 4, 2, 1}
	for _, head := range []string{"n,t\n", "\ufeffn,t\n", "n,t\r\n"} {
		f, err := open(table.InMemory([]byte(head+strings.Join(row, ""))), table.Request{Private: []string{"t"}})
		must(t, err)
		in, err := f.Shuffled(context.Background(), order, muchMemory)
		must(t, err)
		out, err := io.ReadAll(io.NewSectionReader(in, 0, in.Size()))
		must(t, err)
		want := head
		for _, k := range order {
			if want += row[k]; k == 5 {
				want += "\r\n" // as the first row
			}
		}
		if string(out) != want {
			t.Errorf("%q, want %q", out, want)
		}
	}
}

// TestShuffleFitsMemory: what takes more than is allowed is not begun.
func TestShuffleFitsMemory(t *testing.T) {
	c := cells{typ: table.Type{Kind: table.Text}}
	for i := range 1000 {
		c.value = append(c.value, table.Value{Bytes: fmt.Sprint("private ", i%9)})
	}
	for name, text := range map[string][]byte{
		"parquet": shapes(t, arrow.BinaryTypes.String, c, nil),
		"arrow":   writeArrow(t, 100, []arrow.DataType{arrow.BinaryTypes.String}, []cells{c}, 2, ipc.WithZstd()),
		"csv":     []byte("a,b\n" + strings.Repeat("x,y\n", 1000)),
	} {
		f, err := open(table.InMemory(text), table.Request{Private: []string{"a"}})
		must(t, err)
		var large *table.TooLargeError
		if _, err := f.Shuffled(context.Background(), anyOrder(1000), 1); !errors.As(err, &large) ||
			large.Need < int64(len(text)) || large.Most != 1 {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, err := f.Shuffled(context.Background(), anyOrder(1000), large.Need); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := f.Shuffled(context.Background(), anyOrder(999), math.MaxInt64); err == nil {
			t.Errorf("%s: an order of fewer rows is followed", name)
		}
	}
}

// arrayBatch is a record batch of one column.
func arrayBatch(schema *arrow.Schema, c arrow.Array) arrow.RecordBatch {
	return array.NewRecordBatch(schema, []arrow.Array{c}, int64(c.Len()))
}

// listsOf holds every value in a list of its own.
func listsOf(t *testing.T, typ arrow.DataType, of []table.Value) arrow.Array {
	t.Helper()
	b := array.NewBuilder(memory.DefaultAllocator, typ).(*array.ListBuilder)
	for _, v := range of {
		b.Append(true)
		must(t, b.ValueBuilder().AppendValueFromString(v.Bytes))
	}
	return b.NewArray()
}

// parquetRecords reads a file with arrow-go.
func parquetRecords(t *testing.T, text []byte) (records []arrow.RecordBatch) {
	t.Helper()
	rows := array.NewTableReader(readTable(t, text), 1<<20)
	for rows.Next() {
		b := rows.RecordBatch()
		b.Retain()
		records = append(records, b)
	}
	return records
}
