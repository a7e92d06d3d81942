package verify_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
	parquetmeta "github.com/tacet-privacy/tacet/io/parquet/meta"
	"github.com/tacet-privacy/tacet/pipeline"
)

// union is a LogicalType.
func union(member int16, field ...parquetmeta.Field) *parquetmeta.Value {
	return parquetmeta.NewStruct(parquetmeta.Field{ID: member,
		Value: parquetmeta.NewStruct(field...)})
}

// annotations are what a column of a Parquet file may be annotated with: nothing, all members of
// ConvertedType and of the union LogicalType, and some that there are not yet.
func annotations() (all []parquetmeta.Field) {
	var logical []*parquetmeta.Value
	empty := parquetmeta.NewStruct()
	for _, member := range []int16{1, 2, 3, 4, 6, 9, 11, 12, 13, 14, 15, 16, 17, 18, 19, 77} {
		logical = append(logical, union(member))
	}
	logical = append(logical, union(5, parquetmeta.Field{ID: 1, Value: parquetmeta.Int(parquetmeta.I32, 2)},
		parquetmeta.Field{ID: 2, Value: parquetmeta.Int(parquetmeta.I32, 9)}))
	for _, member := range []int16{7, 8} {
		for unit := int16(1); unit <= 4; unit++ {
			of := parquetmeta.NewStruct(parquetmeta.Field{ID: unit, Value: empty})
			logical = append(logical, union(member, parquetmeta.Field{ID: 1, Value: parquetmeta.Bool(unit == 2)},
				parquetmeta.Field{ID: 2, Value: of}))
		}
	}
	for _, bits := range []byte{8, 16, 32, 64} {
		for _, signed := range []byte{0x11, 0x12} { // true, false
			// field 10: field 1 a byte, field 2 a flag
			member, _, err := parquetmeta.ParseStruct([]byte{0xac, 0x13, bits, signed, 0, 0})
			if err != nil {
				panic(err)
			}
			logical = append(logical, member)
		}
	}
	all = append(all, parquetmeta.Field{})
	for _, l := range logical {
		all = append(all, parquetmeta.Field{ID: parquetmeta.ElementLogical, Value: l})
	}
	for _, c := range []int64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 99} {
		all = append(all, parquetmeta.Field{ID: parquetmeta.ElementConverted, Value: parquetmeta.Int(parquetmeta.I32, c)})
	}
	long, _, err := parquetmeta.ParseStruct([]byte{0x15, 0x80, 0, 0}) // field 1 is 0, in a byte more than it needs
	if err != nil {
		panic(err)
	}
	return append(all, parquetmeta.Field{ID: parquetmeta.ElementFieldID, Value: long.Get(1)})
}

// parquetOf writes three row groups of 40 rows of a column c, which holds five values, the first
// more often, and nulls where it is optional.
func parquetOf(t *testing.T, physical parquet.Type, repetition parquet.Repetition,
	option ...parquet.WriterProperty) []byte {
	t.Helper()
	leaf, err := schema.NewPrimitiveNode("c", repetition, physical, -1, -1)
	must(t, err)
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, schema.FieldList{leaf}, -1)
	must(t, err)
	var letters []int
	var level []int16
	for i := range 40 {
		if level = append(level, 1); repetition == parquet.Repetitions.Optional && i%9 == 4 {
			level[i] = 0
		} else {
			letters = append(letters, max(0, i%8-3))
		}
	}
	var b bytes.Buffer
	w := file.NewParquetWriter(&b, root, file.WithWriterProps(parquet.NewWriterProperties(option...)))
	for range 3 {
		g := w.AppendRowGroup()
		c, err := g.NextColumn()
		must(t, err)
		switch w := c.(type) {
		case *file.BooleanColumnChunkWriter:
			_, err = w.WriteBatch(eachOf(letters, func(x int) bool { return x < 2 }), level, nil)
		case *file.Int32ColumnChunkWriter:
			_, err = w.WriteBatch(eachOf(letters, func(x int) int32 { return int32(x) }), level, nil)
		case *file.Int64ColumnChunkWriter:
			_, err = w.WriteBatch(eachOf(letters, func(x int) int64 { return int64(x) }), level, nil)
		case *file.ByteArrayColumnChunkWriter:
			_, err = w.WriteBatch(eachOf(letters, func(x int) parquet.ByteArray { return parquet.ByteArray{"12345"[x]} }), level,
				nil)
		}
		must(t, err)
		must(t, c.Close())
		must(t, g.Close())
	}
	must(t, w.Close())
	return b.Bytes()
}

func eachOf[T any](letters []int, value func(int) T) (all []T) {
	for _, x := range letters {
		all = append(all, value(x))
	}
	return all
}

// parquetOrders are the utilities of values of each physical type that may be private.
var parquetOrders = map[parquet.Type]string{parquet.Types.Boolean: "ordered:false,true", parquet.Types.Int32: "numeric",
	parquet.Types.Int64: "numeric", parquet.Types.ByteArray: "ordered:1,2,3,4,5"}

// TestFollowsParquet: a private column of every physical type with every annotation, required
// and optional: what run takes, verify takes.
func TestFollowsParquet(t *testing.T) {
	published := 0
	for physical, utility := range parquetOrders {
		for _, repetition := range []parquet.Repetition{parquet.Repetitions.Required, parquet.Repetitions.Optional} {
			plain := parquetOf(t, physical, repetition)
			for _, a := range annotations() {
				f, err := parquetmeta.ReadFooter(bytes.NewReader(plain), int64(len(plain)))
				must(t, err)
				if a.Value != nil {
					f.Meta.Get(parquetmeta.MetaSchema).At(1).Set(a.ID, a.Value)
				}
				footer := f.Meta.Encode(nil)
				data := binary.LittleEndian.AppendUint32(append(bytes.Clone(plain[:f.Start]), footer...), uint32(len(footer)))
				if follows(t, append(data, parquetmeta.Magic...), ".parquet", pipeline.Options{Utility: utility,
					Null: "public"}) {
					published++
				}
			}
		}
	}
	if published < 60 {
		t.Errorf("only %d files were published", published)
	}
}

// TestFollowsParquetPages: each encoding of each type, with one codec after the other and both
// kinds of pages.
func TestFollowsParquetPages(t *testing.T) {
	codecs := []compress.Compression{compress.Codecs.Uncompressed, compress.Codecs.Snappy, compress.Codecs.Gzip,
		compress.Codecs.Zstd, compress.Codecs.Brotli}
	turn := 0
	for physical, encodings := range map[parquet.Type][]parquet.Encoding{
		parquet.Types.ByteArray: {parquet.Encodings.PlainDict, parquet.Encodings.Plain, parquet.Encodings.DeltaByteArray,
			parquet.Encodings.DeltaLengthByteArray},
		parquet.Types.Int32:   {parquet.Encodings.PlainDict, parquet.Encodings.Plain, parquet.Encodings.DeltaBinaryPacked},
		parquet.Types.Int64:   {parquet.Encodings.PlainDict, parquet.Encodings.Plain, parquet.Encodings.DeltaBinaryPacked},
		parquet.Types.Boolean: {parquet.Encodings.Plain, parquet.Encodings.RLE},
	} {
		for _, encoding := range encodings {
			for i, repetition := range []parquet.Repetition{parquet.Repetitions.Required, parquet.Repetitions.Optional,
				parquet.Repetitions.Required, parquet.Repetitions.Optional} {
				option := []parquet.WriterProperty{parquet.WithCompression(codecs[turn%len(codecs)]),
					parquet.WithDataPageVersion(parquet.DataPageVersion(i / 2)), parquet.WithDataPageSize(50), parquet.WithBatchSize(10),
					parquet.WithDictionaryDefault(encoding == parquet.Encodings.PlainDict), parquet.WithPageIndexEnabled(true)}
				if turn++; encoding != parquet.Encodings.PlainDict {
					option = append(option, parquet.WithEncodingFor("c", encoding))
				}
				if !follows(t, parquetOf(t, physical, repetition, option...), ".parquet",
					pipeline.Options{Utility: parquetOrders[physical], Null: "public"}) {
					t.Errorf("the run refuses %v %v %v", physical, encoding, repetition)
				}
			}
		}
	}
}
