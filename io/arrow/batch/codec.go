package batch

import (
	"bytes"
	"encoding/binary"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

const (
	maxBuffer = 2 << 30   // bytes of one decompressed buffer
	maxWindow = 128 << 20 // bytes of a zstd window
)

// Decompress undoes the compression of one buffer: its length, then its
// bytes. An empty buffer stays empty.
func Decompress(c Codec, raw []byte) ([]byte, error) {
	if c == None || len(raw) == 0 {
		return raw, nil
	}
	if len(raw) < 8 {
		return nil, Errorf("a compressed buffer without its length")
	}
	n := int64(binary.LittleEndian.Uint64(raw))
	raw = raw[8:]
	switch {
	case n == RawPrefix:
		return raw, nil
	case n < 0 || n > maxBuffer:
		return nil, Errorf("a compressed buffer of impossible length")
	case c == LZ4Frame:
		r := lz4Readers.Get().(*lz4.Reader)
		defer lz4Readers.Put(r)
		r.Reset(bytes.NewReader(raw))
		return inflate(r, n, len(raw))
	}
	r := zstdReaders.Get().(*zstd.Decoder)
	defer zstdReaders.Put(r)
	if err := r.Reset(bytes.NewReader(raw)); err != nil {
		return nil, Errorf("a compressed buffer is corrupt")
	}
	return inflate(r, n, len(raw))
}

// inflate reads exactly n bytes. It believes n only as far as the compressed
// bytes make it likely, and grows from there.
func inflate(r io.Reader, n int64, compressed int) ([]byte, error) {
	buf := make([]byte, min(n, 1<<20+256*int64(compressed)))
	have := 0
	for {
		got, err := io.ReadFull(r, buf[have:])
		have += got
		if err != nil {
			return nil, Errorf("a compressed buffer is corrupt or shorter than it says")
		}
		if int64(have) == n {
			break
		}
		buf = append(buf, make([]byte, min(n-int64(have), int64(have)))...)
	}
	if more, _ := io.ReadFull(r, make([]byte, 1)); more > 0 {
		return nil, Errorf("a compressed buffer is longer than it says")
	}
	return buf, nil
}

var lz4Readers = sync.Pool{New: func() any { return lz4.NewReader(nil) }}

var zstdReaders = sync.Pool{New: func() any {
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		panic("page: " + err.Error()) // the options are constants
	}
	return r
}}
