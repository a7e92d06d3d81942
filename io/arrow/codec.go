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
	maxBuffer = 2 << 30   // bytes of one decompressed buffer
	maxWindow = 128 << 20 // bytes of a zstd window
)

// A budget bounds what one message may take in memory: zstandard makes gigabytes of a few hundred
// kilobytes, and the lengths that a message states are believed by arrow-go.
type budget struct {
	stored int64 // bytes of the message in the file
	taken  int64 // bytes that it takes so far
	most   int64 // bytes that it may take whatever is stored
}

const (
	likely   = 100       // times what is stored may be taken
	unlikely = 256 << 20 // bytes that all messages may take at once whatever is stored
	unasked  = 64 << 20  // bytes of which nobody asks whether there is memory
)

// add takes a compressed buffer, as long as it says it is, or refuses it.
func (b *budget) add(raw []byte) error {
	if len(raw) < 8 {
		return nil
	}
	long := binary.LittleEndian.Uint64(raw)
	if int64(long) == rawPrefix {
		long = uint64(len(raw) - 8)
	}
	b.taken += int64(min(long, maxBuffer+1))
	if b.taken > b.most && b.taken/likely > b.stored {
		return table.Errorf("write it in smaller record batches",
			"a message of %d KiB takes %d MiB of memory and more, above %d times its size", b.stored>>10+1, b.taken>>20,
			likely)
	}
	if b.taken <= unasked {
		return nil
	}
	if free := table.FreeMemory(); b.taken > free/2 {
		return table.Errorf("write it in smaller record batches",
			"a record batch takes %d MiB of memory and more, and %d MiB are free", b.taken>>20, free>>20)
	}
	return nil
}

// decompress appends what a compressed buffer, its length before it, is without
// compression.
func (c codec) decompress(to, raw []byte) ([]byte, error) {
	if len(raw) < 8 {
		return nil, faultf("a compressed buffer without its length")
	}
	n := int64(binary.LittleEndian.Uint64(raw))
	raw = raw[8:]
	switch {
	case n == rawPrefix:
		return append(to, raw...), nil
	case n < 0 || n > maxBuffer:
		return nil, faultf("a compressed buffer of impossible length")
	case c == lz4Frame:
		r := lz4Readers.Get().(*lz4.Reader)
		defer lz4Readers.Put(r)
		r.Reset(bytes.NewReader(raw))
		return inflate(to, r, int(n), len(raw))
	}
	r := zstdReaders.Get().(*zstd.Decoder)
	defer zstdReaders.Put(r)
	if err := r.Reset(bytes.NewReader(raw)); err != nil {
		return nil, faultf("a compressed buffer is corrupt")
	}
	return inflate(to, r, int(n), len(raw))
}

// inflate appends exactly n bytes. It believes n only as far as the compressed bytes make
// it likely, and grows from there.
func inflate(to []byte, r io.Reader, n, compressed int) ([]byte, error) {
	for have, step := 0, 1<<20+256*compressed; have < n; step = have {
		if step = min(n-have, step); have >= unasked {
			step = n - have // what is doubled so far would be copied
		}
		to = slices.Grow(to, step)
		part := to[len(to) : len(to)+step]
		if _, err := io.ReadFull(r, part); err != nil {
			return nil, faultf("a compressed buffer is corrupt or shorter than it says")
		}
		to, have = to[:len(to)+step], have+step
	}
	if more, _ := io.ReadFull(r, make([]byte, 1)); more > 0 {
		return nil, faultf("a compressed buffer is longer than it says")
	}
	return to, nil
}

var lz4Readers = sync.Pool{New: func() any { return lz4.NewReader(nil) }}

var zstdReaders = sync.Pool{New: func() any {
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		panic("arrow: " + err.Error()) // the options are constants
	}
	return r
}}
