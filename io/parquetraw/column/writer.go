package column

import (
	"errors"
	"io"
	"sync"
)

// ErrLetter is a letter that the alphabet written does not have: null in a
// required column, or a number out of range.
var ErrLetter = errors.New("a letter outside the output alphabet")

// Written is what a finished chunk turned out to be.
type Written struct {
	Size       int64 // bytes, headers included
	Dictionary int64 // bytes of them that are the dictionary page
	Rows       int64
	Nulls      int64
	Pages      int64 // of data
}

// A Writer writes one chunk, page by page. It is not compressed and holds
// no statistics, and every page carries a checksum. Its bytes depend on the
// letters, not on how they are split between calls of Write.
type Writer struct {
	Written
	out  io.WriterAt
	at   int64
	most int64 // bytes that were reserved
	code *Coding
	*pageBuffers
	rows    int // in the page at hand
	defined int // of them
	packed  int // of these, the first ones; the others are in ids
}

// pageBuffers hold one page.
type pageBuffers struct {
	bits  []byte // indices that are packed
	ids   []byte // index of every value that is no null, 16 bits each, where they are not
	level []byte // one bit per row: 1 is a value
	body  []byte // the page as it will be written, its header right-aligned in the first maxPageHeader bytes
}

var pages = sync.Pool{New: func() any {
	return &pageBuffers{
		bits:  make([]byte, 2*pageRows+packSlack),
		ids:   make([]byte, 2*pageRows+2),
		level: make([]byte, pageRows/8),
		body:  make([]byte, maxPageHeader+4+maxRunHeader+pageRows/8+1+maxRunHeader+2*pageRows+packSlack),
	}
}}

// NewWriter begins a chunk of that many rows at an offset of out, where
// Reserve bytes are free for it, and writes its dictionary.
func NewWriter(out io.WriterAt, at, rows int64, c *Coding) (*Writer, error) {
	w := &Writer{out: out, at: at, most: c.Reserve(rows), code: c}
	if err := w.put(c.page); err != nil {
		return nil, err
	}
	w.Dictionary = w.Size
	w.pageBuffers = pages.Get().(*pageBuffers)
	return w, nil
}

// Write appends letters of the alphabet.
func (w *Writer) Write(letter []int32) error {
	for len(letter) > 0 {
		n := min(len(letter), pageRows-w.rows)
		some := letter[:n]
		if w.packed == w.rows {
			some = w.pack(some)
		}
		if err := w.gather(some); err != nil {
			return err
		}
		letter = letter[n:]
		if w.rows == pageRows {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// Close writes the last page.
func (w *Writer) Close() error {
	if w.rows > 0 {
		if err := w.flush(); err != nil {
			return err
		}
	}
	w.Discard()
	return nil
}

// Discard gives the buffers back. It may be called more than once.
func (w *Writer) Discard() {
	if w.pageBuffers != nil {
		pages.Put(w.pageBuffers)
		w.pageBuffers = nil
	}
}

// put writes b behind what was written.
func (w *Writer) put(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	if int64(len(b)) > w.most-w.Size {
		panic("column: more rows than were reserved")
	}
	_, err := w.out.WriteAt(b, w.at+w.Size)
	w.Size += int64(len(b))
	return err
}
