package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	arrowparquet "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// A canary is an input whose private column "secret" holds letters that are
// tokens, with further tokens in every place where raw values may hide.
type canary struct {
	name    string
	file    []byte
	integer bool
	letter  []token // every one occurs
	planted []token // all tokens that the file holds
}

// canaryRow is row i: its letter, -1 for null, and what stands beside it.
func canaryRow(i int) (letter int, beside int64, note string) {
	if i%7 == 4 {
		return -1, int64(i), "n"
	}
	return (i + i/9) % 12, int64(i), fmt.Sprint("note ", i%5)
}

type canaryOf[V any] struct {
	K      int64  `parquet:"k"`
	Secret *V     `parquet:"secret,optional"`
	Note   string `parquet:"note"`
}

// writeCanary writes rows with these letters.
func writeCanary[V any](b *bytes.Buffer, rows int, letter []V, option []parquet.WriterOption) error {
	all := make([]canaryOf[V], rows)
	for i := range all {
		x, k, note := canaryRow(i)
		if all[i] = (canaryOf[V]{K: k, Note: note}); x >= 0 {
			all[i].Secret = &letter[x]
		}
	}
	return parquet.Write(b, all, option...)
}

// parquetGoCanary holds a dictionary (of texts), bounds in chunks, pages and
// page index, a bloom filter, sorting columns and metadata.
func parquetGoCanary(t *testing.T, integer bool, rows, perGroup int, option ...parquet.WriterOption) canary {
	t.Helper()
	letter, at := tokens(integer, 12)
	said, err := json.Marshal(map[string]any{"columns": []string{"secret"}, "index": at["pandas"].text})
	must(t, err)
	option = append([]parquet.WriterOption{
		parquet.MaxRowsPerRowGroup(int64(perGroup)), parquet.PageBufferSize(2000),
		parquet.DataPageStatistics(true), parquet.DeprecatedDataPageStatistics(true),
		parquet.BloomFilters(parquet.SplitBlockFilter(10, "secret")),
		parquet.KeyValueMetadata("pandas", string(said)), parquet.KeyValueMetadata("custom", at["custom"].text),
		parquet.SortingWriterConfig(parquet.SortingColumns(parquet.Ascending("secret"), parquet.Ascending("k"))),
	}, option...)
	var b bytes.Buffer
	if numbers, texts := []int64{}, []string{}; integer {
		for _, k := range letter {
			numbers = append(numbers, k.number())
		}
		err = writeCanary(&b, rows, numbers, option)
	} else {
		for _, k := range letter {
			texts = append(texts, k.text)
		}
		option = append(option, parquet.DefaultEncodingFor(parquet.ByteArray, &parquet.RLEDictionary))
		err = writeCanary(&b, rows, texts, option)
	}
	must(t, err)
	return canary{fmt.Sprintf("parquet-go integer=%v", integer), b.Bytes(), integer, letter,
		append([]token{at["pandas"], at["custom"]}, letter...)}
}

// arrowGoCanary is the record of arrowRecord as Parquet: an Arrow schema with
// metadata, a dictionary with an entry that no row uses, bounds, page index,
// bloom filter and sorting columns.
func arrowGoCanary(t *testing.T, integer, dictionary bool, option ...arrowparquet.WriterProperty) canary {
	t.Helper()
	rec, c := arrowRecord(t, integer, dictionary)
	option = append([]arrowparquet.WriterProperty{
		arrowparquet.WithPageIndexEnabled(true), arrowparquet.WithBloomFilterEnabledFor("secret", true),
		arrowparquet.WithStats(true),
		arrowparquet.WithMaxRowGroupLength(1000), arrowparquet.WithDataPageSize(500),
		arrowparquet.WithSortingColumns([]arrowparquet.SortingColumn{{ColumnIdx: 1}}),
	}, option...)
	var b bytes.Buffer
	w, err := pqarrow.NewFileWriter(rec.Schema(), &b, arrowparquet.NewWriterProperties(option...),
		pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema()))
	must(t, err)
	must(t, w.Write(rec))
	must(t, w.Close())
	c.name, c.file = fmt.Sprintf("arrow-go %s dictionary=%v", rec.Schema().Field(1).Type, dictionary), b.Bytes()
	return c
}

// gapped is a canary with gaps.
func gapped(t *testing.T, c canary) canary {
	t.Helper()
	_, at := tokens(c.integer, 12)
	c.name += " with gaps"
	c.file = withGaps(t, c.file, at["gap"])
	c.planted = append([]token{at["gap"]}, c.planted...)
	return c
}

var snappy, zstd = arrowparquet.WithCompression(compress.Codecs.Snappy),
	arrowparquet.WithCompression(compress.Codecs.Zstd)

// canaries are all inputs of the canary tests.
func canaries(t *testing.T) []canary {
	t.Helper()
	v2 := arrowparquet.WithDataPageVersion(arrowparquet.DataPageV2)
	list := []canary{
		parquetGoCanary(t, false, 3000, 1000, parquet.Compression(&parquet.Zstd)),
		parquetGoCanary(t, true, 3000, 1000, parquet.DataPageVersion(1), parquet.Compression(&parquet.Gzip)),
		gapped(t, parquetGoCanary(t, false, 3000, 1000, parquet.DataPageVersion(1))),
		gapped(t, parquetGoCanary(t, true, 3000, 1000)),
		arrowGoCanary(t, false, true, zstd),
		arrowGoCanary(t, true, false, snappy, v2),
		arrowGoCanary(t, false, false, zstd, v2, arrowparquet.WithDictionaryDefault(false)),
		gapped(t, arrowGoCanary(t, false, true, snappy)),
	}
	for _, integer := range []bool{false, true} {
		for _, dictionary := range []bool{false, true} {
			for _, codec := range arrowCodecs {
				list = append(list, arrowCanary(t, integer, dictionary, codec))
			}
		}
	}
	return list
}

func metadata(k token) arrow.Metadata {
	return arrow.NewMetadata([]string{"pandas", "raw"}, []string{`{"columns": ["` + k.text + `"]}`, k.text})
}

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

// withGaps writes a Parquet file anew as some writers do: behind every chunk
// stands its ColumnMetaData once more, bounds included, and file_offset points
// there. The token stands in the copy as an upper bound and nowhere else.
func withGaps(t *testing.T, file []byte, k token) []byte {
	t.Helper()
	footer := parquetFooter(t, file)
	out := []byte("PAR1")
	place := func(from, n int64) (to int64) {
		to = int64(len(out))
		out = append(out, file[from:from+n]...)
		return to
	}
	for g := range footer.RowGroups {
		for c := range footer.RowGroups[g].Columns {
			chunk := &footer.RowGroups[g].Columns[c]
			m := &chunk.MetaData
			from := chunkStart(m)
			shift := place(from, m.TotalCompressedSize) - from
			m.DataPageOffset += shift
			if m.DictionaryPageOffset > 0 {
				m.DictionaryPageOffset += shift
			}
			chunk.FileOffset = int64(len(out))
			repeated := *m
			repeated.Statistics.MaxValue, repeated.Statistics.Max = k.bytes(), k.bytes()
			out = append(out, marshal(t, &repeated)...)
			if m.BloomFilterOffset > 0 && m.BloomFilterLength > 0 {
				m.BloomFilterOffset = place(m.BloomFilterOffset, int64(m.BloomFilterLength))
			} else {
				m.BloomFilterOffset, m.BloomFilterLength = 0, 0
			}
			chunk.OffsetIndexOffset = shiftIndex(t, file, &out, chunk, shift)
		}
		footer.RowGroups[g].FileOffset = 0
	}
	for g := range footer.RowGroups {
		for c := range footer.RowGroups[g].Columns {
			if chunk := &footer.RowGroups[g].Columns[c]; chunk.ColumnIndexOffset > 0 {
				chunk.ColumnIndexOffset = place(chunk.ColumnIndexOffset, int64(chunk.ColumnIndexLength))
			}
		}
	}
	tail := marshal(t, footer)
	out = append(out, tail...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(tail)))
	return append(out, "PAR1"...)
}

// shiftIndex places the offset index of a chunk whose pages moved.
func shiftIndex(t *testing.T, file []byte, out *[]byte, chunk *format.ColumnChunk, shift int64) int64 {
	t.Helper()
	if chunk.OffsetIndexOffset == 0 {
		return 0
	}
	var index format.OffsetIndex
	must(t, thrift.Unmarshal(new(thrift.CompactProtocol), file[chunk.OffsetIndexOffset:][:chunk.OffsetIndexLength],
		&index))
	for i := range index.PageLocations {
		index.PageLocations[i].Offset += shift
	}
	to := int64(len(*out))
	data := marshal(t, &index)
	chunk.OffsetIndexLength = int32(len(data))
	*out = append(*out, data...)
	return to
}

func marshal(t *testing.T, v any) []byte {
	t.Helper()
	data, err := thrift.Marshal(new(thrift.CompactProtocol), v)
	must(t, err)
	return bytes.Clone(data)
}
