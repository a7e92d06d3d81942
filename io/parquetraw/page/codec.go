package page

import (
	"bytes"
	"fmt"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"

	"github.com/tacet-privacy/tacet/io/parquetraw/fault"
)

// Codec is how pages are compressed.
type Codec int32

// The codecs of parquet.thrift.
const (
	Uncompressed Codec = 0
	Snappy       Codec = 1
	Gzip         Codec = 2
	LZO          Codec = 3
	Brotli       Codec = 4
	LZ4          Codec = 5
	Zstd         Codec = 6
	LZ4Raw       Codec = 7
)

var codecNames = map[Codec]string{
	Uncompressed: "none", Snappy: "Snappy", Gzip: "gzip", LZO: "LZO", Brotli: "Brotli", LZ4: "LZ4", Zstd: "Zstandard", LZ4Raw: "LZ4_RAW",
}

func (c Codec) String() string {
	if s, ok := codecNames[c]; ok {
		return s
	}
	return fmt.Sprintf("codec %d", int32(c))
}

// Check reports why chunks of that codec cannot be decoded, a fault.Error.
// LZ4 and LZ4_RAW cannot: writers disagree on their framing, and a wrong guess
// reads as other data without an error.
func (c Codec) Check() error {
	switch c {
	case Uncompressed, Snappy, Gzip, Brotli, Zstd:
		return nil
	}
	return c.unsupported()
}

func (c Codec) unsupported() error {
	return fault.Unsupported("write it with another codec, zstd for example", "compression %s is not supported", c)
}

var (
	gzipReaders   sync.Pool
	brotliReaders sync.Pool
	zstdDecoder   = sync.OnceValue(func() *zstd.Decoder {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderMaxMemory(maxPage))
		if err != nil {
			panic(err) // the options are constants
		}
		return d
	})
)

// decompress fills dst, whose length is what the page header promises.
func (c Codec) decompress(dst, src []byte) error {
	if len(dst) == 0 {
		return nil
	}
	switch c {
	case Uncompressed:
		if len(src) != len(dst) {
			return errPageSize
		}
		copy(dst, src)
		return nil
	case Snappy:
		if n, err := snappy.DecodedLen(src); err != nil || n != len(dst) {
			return errPageSize
		}
		_, err := snappy.Decode(dst, src)
		return badPage(c, err)
	case Zstd:
		out, err := zstdDecoder().DecodeAll(src, dst[:0:len(dst)])
		if err == nil && len(out) != len(dst) {
			return errPageSize
		}
		return badPage(c, err)
	case Gzip:
		r, ok := gzipReaders.Get().(*gzip.Reader)
		if !ok {
			r = new(gzip.Reader)
		}
		defer gzipReaders.Put(r)
		if err := r.Reset(bytes.NewReader(src)); err != nil {
			return badPage(c, err)
		}
		return c.fill(dst, r)
	case Brotli:
		r, ok := brotliReaders.Get().(*brotli.Reader)
		if !ok {
			r = new(brotli.Reader)
		}
		defer brotliReaders.Put(r)
		if err := r.Reset(bytes.NewReader(src)); err != nil {
			return badPage(c, err)
		}
		return c.fill(dst, r)
	}
	return c.unsupported()
}

// fill reads exactly dst from r.
func (c Codec) fill(dst []byte, r io.Reader) error {
	if _, err := io.ReadFull(r, dst); err != nil {
		return badPage(c, err)
	}
	var more [1]byte
	if n, err := r.Read(more[:]); n != 0 || err != io.EOF {
		return errPageSize
	}
	return nil
}

var errPageSize = fault.Damaged("a page is not as long as its header says")

// badPage leaves the codec's own words out: they may quote data.
func badPage(c Codec, err error) error {
	if err == nil {
		return nil
	}
	return fault.Damaged("a page is no valid %s data", c)
}
