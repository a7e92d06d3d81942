package table_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/tacet-privacy/tacet/io/table"
)

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
	entries, indices := array.NewStringBuilder(memory.DefaultAllocator), array.NewInt32Builder(memory.DefaultAllocator)
	entries.AppendValues(entry, nil)
	indices.AppendValues(index, nil)
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	column := array.NewDictionaryArray(typ, indices.NewArray(), entries.NewArray())
	file := parquetOf(t, []arrow.RecordBatch{arrayBatch(arrow.NewSchema([]arrow.Field{{Name: "a", Type: typ}}, nil),
		column)}, nil)
	checkFile(t, file, []string{"a"}, c)
	to := shifted(c.typ, 9, false)
	after := rewrite(t, file, table.Request{Private: []string{"a"}}, false, to)
	checkFile(t, after, []string{"a"}, expected(c, to, false))
	if bytes.Contains(after, []byte("entry 0")) || !bytes.Contains(file, []byte("entry 012345")) {
		t.Error("entries of the source's dictionary are in the output")
	}
}
