package column

import (
	"encoding/binary"
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
	defined int // of them, and in ids
}

// pageBuffers hold one page.
type pageBuffers struct {
	ids   []byte // index of every value that is no null, 16 bits each
	level []byte // one bit per row: 1 is a value
	body  []byte // the page as it will be written, its header right-aligned in the first maxPageHeader bytes
}

var pages = sync.Pool{New: func() any {
	return &pageBuffers{
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
		if err := w.some(letter[:n]); err != nil {
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

// some takes letters that fit into the page, up to 64 at a time so that their
// levels are one word.
func (w *Writer) some(letter []int32) error {
	for len(letter) > 0 {
		shift := uint(w.rows) % 64
		n := min(len(letter), 64-int(shift))
		ids := w.ids[2*w.defined : 2*(w.defined+n)+2]
		defined, word := n, ^uint64(0)>>(64-uint(n))
		all, strange := gather(ids, letter[:n], w.code.index)
		if strange {
			return ErrLetter
		}
		if !all {
			defined, word = squeeze(ids, letter[:n], w.code.index)
		}
		lane := w.level[w.rows/64*8:][:8]
		if shift > 0 {
			word = word<<shift | binary.LittleEndian.Uint64(lane)
		}
		binary.LittleEndian.PutUint64(lane, word)
		w.defined += defined
		w.rows += n
		letter = letter[n:]
	}
	return nil
}

// gather looks up the index of every letter. all is false where one is null,
// strange true where one does not exist. Letters wider than the table are
// found at the end, by the bits that they have above it.
func gather(ids []byte, letter []int32, index *[1 << 16]uint32) (all, strange bool) {
	and, or, wide := ^uint32(0), uint32(0), uint32(0)
	for len(letter) >= 4 && len(ids) >= 8 {
		a, b, c, d := uint32(letter[0]+1), uint32(letter[1]+1), uint32(letter[2]+1), uint32(letter[3]+1)
		wide |= a | b | c | d
		a, b, c, d = index[uint16(a)], index[uint16(b)], index[uint16(c)], index[uint16(d)]
		and &= a & b & c & d
		or |= a | b | c | d
		binary.LittleEndian.PutUint64(ids, uint64(uint16(a))|uint64(uint16(b))<<16|uint64(uint16(c))<<32|uint64(d)<<48)
		letter, ids = letter[4:], ids[8:]
	}
	for i, l := range letter {
		wide |= uint32(l + 1)
		e := index[uint16(l+1)]
		and &= e
		or |= e
		binary.LittleEndian.PutUint16(ids[2*i:], uint16(e))
	}
	return and&isDefined != 0, or&noLetter|wide>>16 != 0
}

// squeeze is gather with nulls left out, by not moving on behind them; it
// returns how many others there are and their bits.
func squeeze(ids []byte, letter []int32, index *[1 << 16]uint32) (defined int, word uint64) {
	for i, l := range letter {
		e := index[uint16(l+1)]
		binary.LittleEndian.PutUint16(ids[2*defined:], uint16(e))
		e = e >> 16 & 1
		word |= uint64(e) << (uint(i) & 63)
		defined += int(e)
	}
	return defined, word
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
