package page

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	rlepack "github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/format"

	"github.com/tacet-privacy/tacet/io/parquet/meta"
)

// benchValues are as many as a row group often has.
const benchValues = 1 << 20

// indexPage is a dictionary of 1<<width entries and a page of random indices.
func indexPage(b *testing.B, width int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	index := make([]int32, benchValues)
	for i := range index {
		index[i] = int32(r.IntN(1 << width))
	}
	packed, err := (&rlepack.Encoding{BitWidth: width}).EncodeInt32(nil, index)
	if err != nil {
		b.Fatal(err)
	}
	chunk := testPage{typ: format.DictionaryPage, kind: ints(1<<width, plain), body: make([]byte, 4<<width)}.append(nil)
	return testPage{typ: format.DataPage, kind: ints(benchValues, rleDict, rle, rle),
		body: append([]byte{byte(width)}, packed...)}.append(chunk)
}

// plainPages are pages of random strings of four bytes, 16 different ones.
func plainPages() (chunk []byte) {
	const rows = benchValues / 16
	r := rand.New(rand.NewPCG(1, 2))
	for range benchValues / rows {
		var body []byte
		for range rows {
			body = fmt.Appendf(binary.LittleEndian.AppendUint32(body, 4), "L%03d", r.IntN(16))
		}
		chunk = testPage{typ: format.DataPage, kind: ints(rows, plain, rle, rle), body: body}.append(chunk)
	}
	return chunk
}

// BenchmarkReader decodes a chunk.
func BenchmarkReader(b *testing.B) {
	measure := func(name string, chunk []byte, p format.Type, read func(x *Reader) error) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				x := Open(bytes.NewReader(chunk), &meta.Leaf{Path: []string{"a"}, Physical: p},
					&meta.Chunk{Size: int64(len(chunk)), Values: benchValues}, 0)
				err := error(nil)
				for err == nil {
					err = read(x)
				}
				if err != io.EOF {
					b.Fatal(err)
				}
				x.Close()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchValues, "ns/value")
		})
	}
	code := make([]int32, block)
	next := func(x *Reader) error { _, err := x.Next(code); return err }
	for _, width := range []int{4, 5, 8, 10} {
		chunk := indexPage(b, width)
		measure(fmt.Sprintf("next/width=%d", width), chunk, format.Int32, next)
	}
	measure("next/plain", plainPages(), format.ByteArray, next)
}
