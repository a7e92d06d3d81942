package page

import (
	"fmt"
	"io"
	"sync"

	"github.com/tacet-privacy/tacet/io/parquet/meta"
	"github.com/tacet-privacy/tacet/io/table"
)

// slack is how many bytes must lie behind what is bit-unpacked: the unpacking
// code loads whole words.
const slack = 64

// readAhead is how many bytes of pages are read at once, at least, and headAhead where only
// their headers are read.
const (
	readAhead = 256 << 10
	headAhead = 512
)

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
	ahead    int    // bytes that are read at once, at least
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
	want := int(min(int64(max(n, w.ahead)), w.end-w.pos))
	fresh := w.base[:0]
	if cap(fresh) < want+slack {
		fresh = buffer(nil, want)
	}
	fresh = fresh[:want]
	kept := copy(fresh, have)
	w.base, w.low = fresh, 0
	if err := table.ReadFull(w.r, fresh[kept:], w.pos+int64(kept)); err != nil {
		return nil, fmt.Errorf("reading a page: %w", err)
	}
	return fresh, nil
}

// skip moves past n bytes, whether peek has returned them or not.
func (w *window) skip(n int) {
	w.pos += int64(n)
	if w.low += n; w.low > len(w.base) {
		w.base, w.low = w.base[:0], 0
	}
}

// header takes the header of the next page, which lies in the chunk; so many values are left in it.
func (w *window) header(left int64) (header, error) {
	for size := min(w.ahead, 1<<12); ; size *= 2 {
		b, err := w.peek(size)
		if err != nil {
			return header{}, err
		}
		if len(b) == 0 {
			return header{}, meta.Damaged("its pages have %d values fewer than the column chunk", left)
		}
		h, n, err := parseHeader(b)
		if err == meta.ErrShort && int64(len(b)) < w.end-w.pos && len(b) <= maxHeader {
			size = max(size, len(b))
			continue
		}
		if w.skip(n); err == nil && int64(h.size) > w.end-w.pos {
			err = meta.Damaged("a page reaches beyond its column chunk")
		}
		return h, err
	}
}
