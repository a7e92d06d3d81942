package main

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

const canaryRows = 3000

var arrowCodecs = map[string][]ipc.Option{"none": nil, "lz4": {ipc.WithLZ4()}, "zstd": {ipc.WithZstd()}}

// arrowRecord is the canary as one record, with tokens in the metadata of
// schema and field, under nulls and in the dictionary where no row uses it.
func arrowRecord(t *testing.T, integer, dictionary bool) (arrow.RecordBatch, canary) {
	t.Helper()
	letter, at := tokens(integer, 12)
	c := canary{integer: integer, letter: letter, planted: append([]token{at["schema"], at["field"]}, letter...)}
	var secret arrow.Array
	if dictionary {
		secret = secretDictionary(letter, at["unused"])
		c.planted = append(c.planted, at["unused"])
	} else {
		secret = secretPlain(letter, at["masked"])
	}
	k, note := array.NewInt64Builder(memory.DefaultAllocator), array.NewStringBuilder(memory.DefaultAllocator)
	for i := range canaryRows {
		_, beside, text := canaryRow(i)
		k.Append(beside)
		note.Append(text)
	}
	all := metadata(at["schema"])
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "k", Type: arrow.PrimitiveTypes.Int64, Metadata: arrow.NewMetadata([]string{"beside"}, []string{"stays"})},
		{Name: "secret", Type: secret.DataType(), Nullable: true, Metadata: metadata(at["field"])},
		{Name: "note", Type: arrow.BinaryTypes.String},
	}, &all)
	return array.NewRecordBatch(schema, []arrow.Array{k.NewArray(), secret, note.NewArray()}, canaryRows), c
}

// secretDictionary has an entry that no row uses.
func secretDictionary(letter []token, unused token) arrow.Array {
	entries := values(append([]token{unused}, letter...))
	index := array.NewInt16Builder(memory.DefaultAllocator)
	for i := range canaryRows {
		if x, _, _ := canaryRow(i); x >= 0 {
			index.Append(int16(x + 1))
		} else {
			index.AppendNull()
		}
	}
	return array.NewDictionaryArray(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16,
		ValueType: entries.DataType()}, index.NewArray(), entries)
}

// secretPlain has a raw value below every null.
func secretPlain(letter []token, masked token) arrow.Array {
	var cells []token
	valid, nulls := make([]byte, (canaryRows+7)/8), 0
	for i := range canaryRows {
		x, _, _ := canaryRow(i)
		if x < 0 {
			cells = append(cells, masked)
			nulls++
			continue
		}
		cells = append(cells, letter[x])
		valid[i>>3] |= 1 << (i & 7)
	}
	full := values(cells).Data()
	buffers := append([]*memory.Buffer{memory.NewBufferBytes(valid)}, full.Buffers()[1:]...)
	return array.MakeFromData(array.NewData(full.DataType(), canaryRows, buffers, nil, nulls, 0))
}

func values(ks []token) arrow.Array {
	if ks[0].integer {
		b := array.NewInt64Builder(memory.DefaultAllocator)
		for _, k := range ks {
			b.Append(k.number())
		}
		return b.NewArray()
	}
	b := array.NewStringBuilder(memory.DefaultAllocator)
	for _, k := range ks {
		b.Append(k.text)
	}
	return b.NewArray()
}

// arrowCanary is arrowRecord as an Arrow IPC file of three record batches.
func arrowCanary(t *testing.T, integer, dictionary bool, codec []ipc.Option) canary {
	t.Helper()
	rec, c := arrowRecord(t, integer, dictionary)
	var b bytes.Buffer
	w, err := ipc.NewFileWriter(&b, append([]ipc.Option{ipc.WithSchema(rec.Schema())}, codec...)...)
	must(t, err)
	for from := int64(0); from < canaryRows; from += 1000 {
		must(t, w.Write(rec.NewSlice(from, from+1000)))
	}
	must(t, w.Close())
	if !dictionary {
		_, at := tokens(integer, 12)
		c.planted = append(c.planted, at["masked"])
	}
	c.name, c.file = fmt.Sprintf("arrow %s codec=%d", rec.Schema().Field(1).Type, len(codec)), b.Bytes()
	return c
}
