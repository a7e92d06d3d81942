package files

import (
	"bytes"
	"encoding/binary"
	"slices"
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
	for _, c := range []struct {
		what  string
		of    format.SchemaElement
		codec format.CompressionCodec
		page  []hostilePage
		well  bool
	}{
		{"a plain page", number, format.Uncompressed, plain("\x07\x00\x00\x00"), true},
		{"a page by a dictionary", number, format.Uncompressed,
			append(data(format.RLEDictionary, 1, "\x01\x02\x00"), dictionary), true},
		{"a run and a group that is filled up", number, format.Uncompressed,
			append(data(format.RLEDictionary, 2, "\x01\x02\x00\x03\x00"), dictionary), true},
		{"a run of places", number, format.Uncompressed,
			append(data(format.RLEDictionary, 1, "\x01"+long+"\x00"), dictionary), false},
		{"groups of no bits", number, format.Uncompressed,
			append(data(format.RLEDictionary, 1, "\x00\xff\xff\xff\x7f"), dictionary), false},
		{"a run behind others", number, format.Uncompressed,
			append(data(format.RLEDictionary, 1, "\x01\x02\x00"+long+"\x00"), dictionary), true},
		{"a run of levels", nulls, format.Uncompressed, plain("\x06\x00\x00\x00" + long + "\x01\x07\x00\x00\x00"), false},
		{"a run of booleans", truth, format.Uncompressed, data(format.RLE, 1, "\x06\x00\x00\x00"+long+"\x01"), false},
		{"a run of numbers", number, format.Uncompressed, data(format.RLE, 1, long), false},
		{"differences", number, format.Uncompressed,
			data(format.DeltaBinaryPacked, 1, "\x80\x01\x04\x80\x80\x80\x80\x04\x00"), false},
		{"lengths", text, format.Uncompressed,
			data(format.DeltaLengthByteArray, 1, "\x80\x01\x04\x80\x80\x80\x80\x04\x00"), false},
		{"values that share a long beginning", text, format.Uncompressed, data(format.DeltaByteArray, 1,
			"\x80\x01\x04\x01\x80\x80\x80\x80\x08\x80\x01\x04\x01\x02a"), false},
		{"values that share nothing", text, format.Uncompressed,
			data(format.DeltaByteArray, 1, "\x80\x01\x04\x01\x00\x80\x01\x04\x01\x02a"), true},
		{"a dictionary of wide values", fixed, format.Uncompressed,
			append(data(format.RLEDictionary, 1, "\x01\x02\x00"),
				onePage(format.DictionaryPage, format.Plain, 1<<14, string(make([]byte, 1<<21)))), false},
		{"Snappy that says 4 GiB", number, format.Snappy, plain("\xff\xff\xff\xff\x0f\x00"), false},
		{"LZ4 that is none", number, format.Lz4Raw, plain("\xff\xff\xff\xff\x0f\x00"), false},
		{"Zstandard that says 2 GiB", number, format.Zstd,
			plain("\x28\xb5\x2f\xfd\x80\x00\x00\x00\x00\x80\x03\x00\x00"), false},
		{"Gzip of more than it says", number, format.Gzip, plain(bomb.String()), false},
	} {
		slices.Reverse(c.page)
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
	file = append(binary.LittleEndian.AppendUint32(append(file, footer...), uint32(len(footer))), "PAR1"...)
	return file
}
