package table_test

import "github.com/tacet-privacy/tacet/io/table"

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	arrowparquet "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/parquet-go/parquet-go"
)

// A chunk whose pages go over from indices to PLAIN is written like any other.
func TestParquetRewriteMixedPages(t *testing.T) {
	for _, typ := range []table.Type{{Kind: table.Text}, {Kind: table.Date},
		{Kind: table.Integer, Bits: 64, Unsigned: true}} {
		for _, p := range nullPatterns {
			c := makeCells(typ, 9000, 700, p.null)
			to := shifted(typ, 300, c.null != nil)
			for _, file := range [][]byte{
				writeArrowGo(t, 4000, []cells{c}, arrowparquet.WithDictionaryPageSizeLimit(400),
					arrowparquet.WithDataPageSize(1500), arrowparquet.WithBatchSize(100)),
				writeParquetGo(t, 4000, &parquet.RLEDictionary, []cells{c}, parquet.DictionaryMaxBytes(400),
					parquet.PageBufferSize(1500)),
			} {
				checkFile(t, file, []string{"a"}, c)
				after := rewriteParquet(t, file, table.Request{Private: []string{"a"}, Threads: 2}, false, to)
				checkParquet(t, file, after, nil, []string{"a"}, expected(c, to, false))
			}
		}
	}
}

// Thousands of row groups of one row each.
func TestParquetThousandsOfRowGroups(t *testing.T) {
	c := makeCells(table.Type{Kind: table.Text}, 3000, 40, nullPatterns[3].null)
	to := shifted(c.typ, 23, true)
	file := writeArrowGo(t, 1, []cells{c})
	after := rewriteParquet(t, file, table.Request{Private: []string{"a"}, Threads: 2}, false, to)
	checkFile(t, after, []string{"a"}, expected(c, to, false))
	f, err := open(inMemory(after), table.Request{})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(f.Units()); n != 3000 {
		t.Errorf("%d row groups, want 3000", n)
	}
}

// longPage is a column n of that many rows, all in one page: 0, 1, 2, 0, ...
func longPage(t *testing.T, rows int) []byte {
	t.Helper()
	node := schema.NewInt32Node("n", arrowparquet.Repetitions.Required, -1)
	root, err := schema.NewGroupNode("schema", arrowparquet.Repetitions.Required, schema.FieldList{node}, -1)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := file.NewParquetWriter(&b, root,
		file.WithWriterProps(arrowparquet.NewWriterProperties(arrowparquet.WithDataPageSize(1<<30))))
	group := w.AppendRowGroup()
	chunk, err := group.NextColumn()
	if err != nil {
		t.Fatal(err)
	}
	value := make([]int32, 3<<16)
	for i := range value {
		value[i] = int32(i % 3)
	}
	for at := 0; at < rows; at += len(value) {
		if _, err := chunk.(*file.Int32ColumnChunkWriter).WriteBatch(value[:min(len(value), rows-at)], nil,
			nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, close := range []func() error{chunk.Close, group.Close, w.Close} {
		if err := close(); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// A page may have 2^24 values.
func TestParquetPageOfManyValues(t *testing.T) {
	const rows = 1 << 24
	in := longPage(t, rows)
	r, err := file.NewParquetReader(bytes.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	pages, err := r.RowGroup(0).GetColumnPageReader(0)
	if err != nil || !pages.Next() || !pages.Next() || pages.Page().NumValues() != rows { // behind the dictionary
		t.Fatalf("no page of %d values, %v", rows, errors.Join(err, pages.Err()))
	}
	f, err := open(inMemory(in), table.Request{Private: []string{"n"}})
	if err != nil {
		t.Fatal(err)
	}
	alphabet, count, err := f.Scan(context.Background())
	if err != nil || fmt.Sprint(count) != fmt.Sprint([][]int64{{rows/3 + 1, rows / 3, rows / 3}}) {
		t.Fatalf("counted %v, %v", count, err)
	}
	out := &memoryOutput{}
	turn := func(b table.Batch) error {
		for i, l := range b.Letters[0] {
			b.Letters[0][i] = (l + 1) % 3
		}
		return nil
	}
	if err := f.Rewrite(context.Background(), out, alphabet, alphabet, turn); err != nil {
		t.Fatal(err)
	}
	f, err = open(inMemory(out.b), table.Request{Private: []string{"n"}})
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	err = f.Read(context.Background(), 0, alphabet, func(b table.Batch) error {
		for _, l := range b.Letters[0] {
			if int(l) != (at+1)%3 {
				return fmt.Errorf("row %d is letter %d", at, l)
			}
			at++
		}
		return nil
	})
	if err != nil || at != rows {
		t.Errorf("%d rows, %v", at, err)
	}
}

// A dictionary of a million entries, three of which occur: they are the
// alphabet, and the others are in no way in the output.
func TestParquetDictionaryOfAMillionEntries(t *testing.T) {
	entry := make([]string, 1_000_000)
	for i := range entry {
		entry[i] = fmt.Sprintf("entry %06d", i)
	}
	index := make([]int32, 5000)
	used := []int32{7, 70_007, 999_999}
	c := cells{typ: table.Type{Kind: table.Text}}
	for i := range index {
		index[i] = used[i%3]
		c.value = append(c.value, table.Value{Bytes: entry[index[i]]})
	}
	file := writeArrowDictionary(t, entry, index)
	checkFile(t, file, []string{"a"}, c)
	to := shifted(c.typ, 9, false)
	after := rewriteParquet(t, file, table.Request{Private: []string{"a"}}, false, to)
	checkFile(t, after, []string{"a"}, expected(c, to, false))
	if bytes.Contains(after, []byte("entry 0")) || !bytes.Contains(file, []byte("entry 012345")) {
		t.Error("entries of the source's dictionary are in the output")
	}
}
