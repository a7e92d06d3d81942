package files

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/tacet-privacy/tacet/test/torture"
)

// TestHostilePages: a page that says that it is more than its bytes can be is refused before room is made for it.
func TestHostilePages(t *testing.T) {
	number := format.SchemaElement{Type: thrift.New(format.Int32)}
	text := format.SchemaElement{Type: thrift.New(format.ByteArray)}
	truth := format.SchemaElement{Type: thrift.New(format.Boolean)}
	fixed := format.SchemaElement{Type: thrift.New(format.FixedLenByteArray), TypeLength: thrift.New[int32](32767),
		ConvertedType: thrift.New(deprecated.Decimal), Scale: thrift.New[int32](0), Precision: thrift.New[int32](9)}
	nulls := number
	nulls.RepetitionType = thrift.New(format.Optional)
	dictionary := onePage(format.DictionaryPage, format.Plain, 1, "\x07\x00\x00\x00")
	long := string(binary.AppendUvarint(nil, 1<<30<<1)) // a run of 2^30
	bomb := new(bytes.Buffer)
	z := gzip.NewWriter(bomb)
	z.Write(make([]byte, 1<<28))
	z.Close()
	data := func(e format.Encoding, values int32, body string) []hostilePage {
		return []hostilePage{onePage(format.DataPage, e, values, body)}
	}
	plain := func(body string) []hostilePage { return data(format.Plain, 1, body) }
	coded := func(values int32, body string, dictionary hostilePage) []hostilePage {
		return append([]hostilePage{dictionary}, data(format.RLEDictionary, values, body)...)
	}
	for _, c := range []struct {
		what  string
		well  bool
		of    format.SchemaElement
		codec format.CompressionCodec
		page  []hostilePage
	}{
		{"a plain page", true, number, format.Uncompressed, plain("\x07\x00\x00\x00")},
		{"a page by a dictionary", true, number, format.Uncompressed, coded(1, "\x01\x02\x00", dictionary)},
		{"a run and a group that is filled up", true, number, format.Uncompressed,
			coded(2, "\x01\x02\x00\x03\x00", dictionary)},
		{"a run of places", false, number, format.Uncompressed, coded(1, "\x01"+long+"\x00", dictionary)},
		{"groups of no bits", false, number, format.Uncompressed, coded(1, "\x00\xff\xff\xff\x7f", dictionary)},
		{"a run behind others", true, number, format.Uncompressed, coded(1, "\x01\x02\x00"+long+"\x00", dictionary)},
		{"a run of levels", false, nulls, format.Uncompressed, plain("\x06\x00\x00\x00" + long + "\x01\x07\x00\x00\x00")},
		{"a run of booleans", false, truth, format.Uncompressed, data(format.RLE, 1, "\x06\x00\x00\x00"+long+"\x01")},
		{"a run of numbers", false, number, format.Uncompressed, data(format.RLE, 1, long)},
		{"differences", false, number, format.Uncompressed,
			data(format.DeltaBinaryPacked, 1, "\x80\x01\x04\x80\x80\x80\x80\x04\x00")},
		{"lengths", false, text, format.Uncompressed,
			data(format.DeltaLengthByteArray, 1, "\x80\x01\x04\x80\x80\x80\x80\x04\x00")},
		{"values that share a long beginning", false, text, format.Uncompressed,
			data(format.DeltaByteArray, 1, "\x80\x01\x04\x01\x80\x80\x80\x80\x08\x80\x01\x04\x01\x02a")},
		{"values that share nothing", true, text, format.Uncompressed,
			data(format.DeltaByteArray, 1, "\x80\x01\x04\x01\x00\x80\x01\x04\x01\x02a")},
		{"a dictionary of wide values", false, fixed, format.Uncompressed, coded(1, "\x01\x02\x00",
			onePage(format.DictionaryPage, format.Plain, 1<<14, string(make([]byte, 1<<21))))},
		{"Snappy that says 4 GiB", false, number, format.Snappy, plain("\xff\xff\xff\xff\x0f\x00")},
		{"LZ4 that is none", false, number, format.Lz4Raw, plain("\xff\xff\xff\xff\x0f\x00")},
		{"Zstandard that says 2 GiB", false, number, format.Zstd,
			plain("\x28\xb5\x2f\xfd\x80\x00\x00\x00\x00\x80\x03\x00\x00")},
		{"Gzip of more than it says", false, number, format.Gzip, plain(bomb.String())},
	} {
		file := hostile(c.of, c.codec, c.page)
		var err error
		over := torture.Guarded(64<<20, func() {
			var f File
			if f, err = openParquet(bytes.NewReader(file), int64(len(file)), columnC); err == nil {
				err = readTo(f, NewTexts(f.Type(), new([]string)))
			}
		})
		if over != nil {
			t.Errorf("%s: %v", c.what, over)
		}
		if (err == nil) != c.well {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}

// A hostilePage is a header and a body.
type hostilePage struct {
	head format.PageHeader
	body string
}

// onePage is a page that says that it has so many values, and its body 4 bytes without compression.
func onePage(kind format.PageType, e format.Encoding, values int32, body string) hostilePage {
	head := format.PageHeader{Type: kind, UncompressedPageSize: 4, CompressedPageSize: int32(len(body))}
	if kind == format.DictionaryPage {
		head.DictionaryPageHeader = thrift.New(format.DictionaryPageHeader{NumValues: values, Encoding: e})
	} else {
		head.DataPageHeader = thrift.New(format.DataPageHeader{NumValues: values, Encoding: e,
			DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE})
	}
	return hostilePage{head, body}
}

// hostile is a file of a column c with the rows of its last page.
func hostile(of format.SchemaElement, codec format.CompressionCodec, pages []hostilePage) []byte {
	of.Name = "c"
	if !of.RepetitionType.Valid {
		of.RepetitionType = thrift.New(format.Required)
	}
	file := []byte("PAR1")
	for _, p := range pages {
		head, err := thrift.Marshal(&compact, p.head)
		if err != nil {
			panic(err)
		}
		file = append(append(file, head...), p.body...)
	}
	rows := int64(pages[len(pages)-1].head.DataPageHeader.V.NumValues)
	chunk := format.ColumnMetaData{Type: of.Type.V, PathInSchema: []string{"c"}, Codec: codec, NumValues: rows,
		DataPageOffset: 4, TotalCompressedSize: int64(len(file) - 4)}
	footer, err := thrift.Marshal(&compact, format.FileMetaData{NumRows: rows,
		Schema:    []format.SchemaElement{{Name: "root", NumChildren: thrift.New[int32](1)}, of},
		RowGroups: []format.RowGroup{{NumRows: rows, Columns: []format.ColumnChunk{{MetaData: chunk}}}}})
	if err != nil {
		panic(err)
	}
	return append(binary.LittleEndian.AppendUint32(append(file, footer...), uint32(len(footer))), "PAR1"...)
}
