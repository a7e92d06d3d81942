package table_test

import (
	"bytes"
	"fmt"
	"testing"

	arrowparquet "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"

	"github.com/tacet-privacy/tacet/io/table"
)

func TestParquetCodecs(t *testing.T) {
	c := []cells{makeCells(table.Type{Kind: table.Text}, 9000, 700, nullPatterns[5].null),
		makeCells(table.Type{Kind: table.Integer, Bits: 64, Unsigned: false}, 9000, 70, nil)}
	for _, codec := range []compress.Compression{compress.Codecs.Uncompressed, compress.Codecs.Snappy,
		compress.Codecs.Gzip, compress.Codecs.Zstd, compress.Codecs.Brotli} {
		for _, v := range []arrowparquet.DataPageVersion{arrowparquet.DataPageV1, arrowparquet.DataPageV2} {
			t.Run(fmt.Sprint(codec, v), func(t *testing.T) {
				file := writeArrowGo(t, 5000, c, arrowparquet.WithCompression(codec),
					arrowparquet.WithDataPageVersion(v), arrowparquet.WithDataPageSize(2000))
				checkFile(t, file, []string{"a", "b"}, c...)
			})
		}
	}
}

func TestParquetPageSizesDoNotAlign(t *testing.T) {
	c := []cells{
		makeCells(table.Type{Kind: table.Text}, 20000, 40, nullPatterns[4].null),
		makeCells(table.Type{Kind: table.Date}, 20000, 20, nil),
		makeCells(table.Type{Kind: table.Boolean}, 20000, 2, nullPatterns[6].null),
		makeCells(table.Type{Kind: table.Integer, Bits: 64, Unsigned: true}, 20000, 33, nullPatterns[1].null),
	}
	for _, size := range []int{64, 1000, 50000} {
		checkFile(t, writeParquetGo(t, 7001, &parquet.Plain, c, parquet.PageBufferSize(size)),
			[]string{"a", "b", "c", "d"}, c...)
		checkFile(t, writeArrowGo(t, 7001, c, arrowparquet.WithDataPageSize(int64(size)),
			arrowparquet.WithBatchSize(13)), []string{"a", "b", "c", "d"}, c...)
	}
}

func TestParquetDeltaEncodings(t *testing.T) {
	for _, p := range nullPatterns {
		for _, rows := range []int{1, 2, 31, 128, 129, 9000} {
			text, small, big := makeCells(table.Type{Kind: table.Text}, rows, 900, p.null),
				makeCells(table.Type{Kind: table.Integer, Bits: 32, Unsigned: false}, rows, 900, p.null),
				makeCells(table.Type{Kind: table.Integer, Bits: 64, Unsigned: false}, rows, 900, p.null)
			for _, e := range []encoding.Encoding{&parquet.DeltaLengthByteArray, &parquet.DeltaByteArray} {
				checkFile(t, writeParquetGo(t, 1<<20, e, []cells{text}, parquet.PageBufferSize(2000)), []string{"a"},
					text)
			}
			checkFile(t, writeParquetGo(t, 1<<20, &parquet.DeltaBinaryPacked, []cells{small, big},
				parquet.PageBufferSize(2000)), []string{"a", "b"}, small, big)
			for _, e := range []arrowparquet.Encoding{arrowparquet.Encodings.DeltaLengthByteArray,
				arrowparquet.Encodings.DeltaByteArray} {
				checkFile(t, writeArrowGo(t, 1<<20, []cells{text}, arrowparquet.WithDictionaryDefault(false),
					arrowparquet.WithEncoding(e)), []string{"a"}, text)
			}
			checkFile(t, writeArrowGo(t, 1<<20, []cells{small, big}, arrowparquet.WithDictionaryDefault(false),
				arrowparquet.WithEncoding(arrowparquet.Encodings.DeltaBinaryPacked)), []string{"a", "b"}, small, big)
		}
	}
}

// A dictionary may hold values that no row has: they are no letters.
func TestParquetUnusedDictionaryEntriesAreNoLetters(t *testing.T) {
	file := writeArrowDictionary(t, []string{"ghost", "b", "spectre", "a"}, []int32{1, 3, 3, 1, 1})
	if !bytes.Contains(file, []byte("spectre")) {
		t.Fatal("the dictionary has no unused entries")
	}
	c := cells{typ: table.Type{Kind: table.Text}, value: []table.Value{{Bytes: "b"}, {Bytes: "a"}, {Bytes: "a"},
		{Bytes: "b"}, {Bytes: "b"}}}
	checkFile(t, file, []string{"a"}, c)
}
