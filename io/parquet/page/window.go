package page

import (
	"fmt"
	"io"
	"sync"

	"github.com/tacet-privacy/tacet/io/parquet/meta"
)

// slack is how many bytes must lie behind what is bit-unpacked: the unpacking
// code loads whole words.
const slack = 64

// readAhead is how many bytes are read at once, at least.
const readAhead = 256 << 10

// buffers are those of finished chunks.
var buffers sync.Pool

// buffer returns n bytes of any content with slack behind them, using old if
// that is large enough.
func buffer(old []byte, n int) []byte {
	if cap(old) >= n+slack {
		return old[:n]
	}
	return make([]byte, n, n+min(n/4, readAhead)+slack)
}

// A window slides over the bytes of a chunk. What it hands out is valid until
// the next call of peek.
type window struct {
	r        io.ReaderAt
	pos, end int64  // in the file: what comes next, and the chunk's end
	base     []byte // bytes read
	low      int    // where in base pos is
}

// peek returns at least the next n bytes, or all that are left in the chunk.
func (w *window) peek(n int) ([]byte, error) {
	n = int(min(int64(n), w.end-w.pos))
	have := w.base[w.low:]
	if len(have) >= n {
		return have, nil
	}
	want := int(min(int64(max(n, readAhead)), w.end-w.pos))
	fresh := w.base[:0]
	if cap(fresh) < want+slack {
		fresh = buffer(nil, want)
	}
	fresh = fresh[:want]
	kept := copy(fresh, have)
	w.base, w.low = fresh, 0
	if err := meta.ReadFull(w.r, fresh[kept:], w.pos+int64(kept)); err != nil {
		return nil, fmt.Errorf("reading a page: %w", err)
	}
	return fresh, nil
}

// skip moves past n bytes that peek has returned.
func (w *window) skip(n int) {
	w.pos += int64(n)
	w.low += n
}
