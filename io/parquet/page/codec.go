package page

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"

	"github.com/tacet-privacy/tacet/io/parquet/meta"
)

// resembles looks at a page of a codec that is not decoded: whether it is
// compressed so, in one of the framings of LZ4, or begins as a page of LZO does.
func resembles(c format.CompressionCodec, page []byte, plain int) error {
	if plain == 0 {
		return nil
	}
	framed := func() (block []byte, ok bool) { // the sizes of both, of Hadoop
		if len(page) < 8 {
			return nil, false
		}
		all, size := binary.BigEndian.Uint32(page), binary.BigEndian.Uint32(page[4:])
		return page[8:min(len(page), 8+int(size&math.MaxInt32))], int64(all) <= int64(plain) &&
			int64(size) <= int64(len(page)-8) && all > 0
	}
	block, ok := framed()
	if c == format.LZO {
		if !ok {
			return badPage(c, errPageSize)
		}
		return nil
	}
	out := make([]byte, plain)
	if n, err := lz4.UncompressBlock(page, out); err == nil && n == plain {
		return nil
	}
	if c == format.Lz4 && ok {
		if _, err := lz4.UncompressBlock(block, out); err == nil {
			return nil
		}
	}
	if c == format.Lz4 && bytes.HasPrefix(page, []byte{0x04, 0x22, 0x4d, 0x18}) { // a frame of the LZ4 tools
		return nil
	}
	return badPage(c, errPageSize)
}

// unpackers are those of a codec that are not in use.
var unpackers = map[format.CompressionCodec]*sync.Pool{
	format.Gzip:   {New: func() any { return new(gzip.Reader) }},
	format.Brotli: {New: func() any { return new(brotli.Reader) }},
}

var zstdDecoder = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecodeAllCapLimit(true),
		zstd.WithDecoderMaxMemory(maxPage))
	if err != nil {
		panic(err) // the options are constants
	}
	return d
})

// decompress fills dst, whose length is what the page header promises.
func decompress(c format.CompressionCodec, dst, src []byte) error {
	if len(dst) == 0 && len(src) == 0 { // of nulls alone; nothing that was compressed is something
		return nil
	}
	switch c {
	case format.Uncompressed:
		if len(src) != len(dst) {
			return errPageSize
		}
		copy(dst, src)
		return nil
	case format.Snappy:
		if n, err := snappy.DecodedLen(src); err != nil || n != len(dst) {
			return errPageSize
		}
		_, err := snappy.Decode(dst, src)
		return badPage(c, err)
	case format.Zstd:
		out, err := zstdDecoder().DecodeAll(src, dst[:0:len(dst)])
		if err == nil && len(out) != len(dst) {
			return errPageSize
		}
		return badPage(c, err)
	case format.Gzip, format.Brotli:
		r := unpackers[c].Get().(interface {
			io.Reader
			Reset(from io.Reader) error
		})
		defer unpackers[c].Put(r)
		if err := r.Reset(bytes.NewReader(src)); err != nil {
			return badPage(c, err)
		}
		return fill(c, dst, r)
	}
	return meta.CheckCodec(c)
}

// fill reads exactly dst from r.
func fill(c format.CompressionCodec, dst []byte, r io.Reader) error {
	if _, err := io.ReadFull(r, dst); err != nil {
		return badPage(c, err)
	}
	var more [1]byte
	if _, err := io.ReadFull(r, more[:]); err != io.EOF { // brotli may read nothing first
		return errPageSize
	}
	return nil
}

var errPageSize = meta.Damaged("a page is not as long as its header says")

// badPage leaves the codec's own words out: they may quote data.
func badPage(c format.CompressionCodec, err error) error {
	if err == nil {
		return nil
	}
	return meta.Damaged("a page holds invalid %s data", c)
}
