package arrow

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/tacet-privacy/tacet/io/table"
)

// A codec is how the buffers of a message are compressed, as Message.fbs numbers it.
type codec int8

const (
	none codec = iota - 1
	lz4Frame
	zstandard
)

const (
	rawPrefix = -1        // stands in place of the length of a buffer that is stored as it is
	maxBuffer = 2 << 30   // bytes of one buffer without compression
	maxWindow = 128 << 20 // bytes of a zstd window
)

// A budget bounds what messages may take in memory: zstandard makes gigabytes of a few hundred
// kilobytes, and the lengths that a message states are believed.
type budget struct {
	stored int64 // bytes of the messages in the file
	taken  int64 // bytes that they take so far
	most   int64 // bytes that they may take whatever is stored
}

const (
	likely   = 100       // times what is stored may be taken
	unlikely = 256 << 20 // bytes that all messages may take at once whatever is stored
	unasked  = 64 << 20  // bytes of which nobody asks whether there is memory
)

// add takes so many bytes more, or refuses them.
func (b *budget) add(n int64) {
	const hint = "write it in smaller record batches"
	b.taken += n
	if b.taken > b.most && b.taken/likely > b.stored {
		panic(table.Errorf(hint, "a message of %d KiB takes %d MiB of memory and more, above %d times its size",
			b.stored>>10+1, b.taken>>20, likely))
	}
	if b.taken <= unasked {
		return
	}
	if free := table.FreeMemory(); b.taken > free/2 {
		panic(table.Errorf(hint, "a record batch takes %d MiB of memory and more, and %d MiB are free", b.taken>>20,
			free>>20))
	}
}

// claim is how long a compressed buffer says that it is without compression.
func claim(raw []byte) int {
	hold(len(raw) >= 8, "a compressed buffer without its length")
	n := int64(binary.LittleEndian.Uint64(raw))
	if n == rawPrefix {
		return len(raw) - 8
	}
	hold(n >= 0 && n <= maxBuffer, "a compressed buffer of impossible length")
	return int(n)
}

// decompress appends what a compressed buffer, its length before it, is without compression.
func (c codec) decompress(to, raw []byte) []byte {
	n := claim(raw)
	to = slices.Grow(to, n)
	plain := to[len(to) : len(to)+n]
	from := bytes.NewReader(raw[8:])
	var r io.Reader
	switch {
	case int64(binary.LittleEndian.Uint64(raw)) == rawPrefix:
		r = from
	case c == zstandard:
		z := zstdReaders.Get().(*zstd.Decoder)
		defer zstdReaders.Put(z)
		hold(z.Reset(from) == nil, "a compressed buffer is corrupt")
		r = z
	default:
		l := lz4Readers.Get().(*lz4.Reader)
		defer lz4Readers.Put(l)
		l.Reset(from)
		r = l
	}
	_, err := io.ReadFull(r, plain)
	more, _ := io.ReadFull(r, make([]byte, 1))
	hold(err == nil && more == 0, "a compressed buffer is corrupt or not as long as it says")
	return to[:len(to)+n]
}

var lz4Readers = sync.Pool{New: func() any { return lz4.NewReader(nil) }}

// Streams are decoded, since a decoder of whole buffers holds on to the last one.
var zstdReaders = sync.Pool{New: func() any {
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		panic("arrow: " + err.Error()) // the options are constants
	}
	return r
}}
