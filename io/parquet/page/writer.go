package page

import (
	"encoding/binary"
	"errors"
	"io"
	"sync"

	"github.com/tacet-privacy/tacet/io/parquet/meta"
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
		panic("page: more rows than were reserved")
	}
	_, err := w.out.WriteAt(b, w.at+w.Size)
	w.Size += int64(len(b))
	return err
}

// pack takes letters that fit into a page without nulls so far and returns
// those from the first null on, or the last few.
func (w *Writer) pack(letter []int32) []int32 {
	n := packLetters(w.bits[packedSize(w.packed, w.code.width):], letter, w.code.index, w.code.width)
	w.rows += n
	w.defined += n
	w.packed += n
	return letter[n:]
}

// gather takes letters that fit into the page, up to 64 at a time so that
// their levels are one word.
func (w *Writer) gather(letter []int32) error {
	if len(letter) > 0 && w.packed == w.rows { // the first ones that are not packed
		lanes := w.level[:(w.rows+63)/64*8]
		for i := range lanes {
			lanes[i] = 0
			if i < w.rows/8 {
				lanes[i] = 0xff
			}
		}
	}
	for len(letter) > 0 {
		shift := uint(w.rows) % 64
		n := min(len(letter), 64-int(shift))
		ids := w.ids[2*w.defined : 2*(w.defined+n)+2]
		defined, word := n, ^uint64(0)>>(64-uint(n))
		nulls, strange := gather(ids, letter[:n], w.code.index)
		if strange {
			return ErrLetter
		}
		if nulls {
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

// gather looks up the index of every letter. nulls is true where one is null,
// strange where one does not exist. Letters wider than the table are found at
// the end, by the bits that they have above it.
func gather(ids []byte, letter []int32, index *[1 << 16]uint32) (nulls, strange bool) {
	or, wide := uint32(0), uint32(0)
	for len(letter) >= 4 && len(ids) >= 8 {
		a, b, c, d := uint32(letter[0]), uint32(letter[1]), uint32(letter[2]), uint32(letter[3])
		wide |= (a + 1) | (b + 1) | (c + 1) | (d + 1)
		a, b, c, d = index[uint16(a)], index[uint16(b)], index[uint16(c)], index[uint16(d)]
		or |= a | b | c | d
		binary.LittleEndian.PutUint64(ids, uint64(uint16(a))|uint64(uint16(b))<<16|uint64(uint16(c))<<32|uint64(d)<<48)
		letter, ids = letter[4:], ids[8:]
	}
	for i, l := range letter {
		wide |= uint32(l + 1)
		e := index[uint16(l)]
		or |= e
		binary.LittleEndian.PutUint16(ids[2*i:], uint16(e))
	}
	return or&isNull != 0, or&noLetter|wide>>16 != 0
}

// squeeze is gather with nulls left out, by not moving on behind them; it
// returns how many others there are and their bits.
func squeeze(ids []byte, letter []int32, index *[1 << 16]uint32) (defined int, word uint64) {
	for i, l := range letter {
		e := index[uint16(l)]
		binary.LittleEndian.PutUint16(ids[2*defined:], uint16(e))
		e = ^e >> 16 & 1
		word |= uint64(e) << (uint(i) & 63)
		defined += int(e)
	}
	return defined, word
}

const (
	// pageRows is the page plan: every page but the last of a chunk has as
	// many rows, at most 136 KiB.
	pageRows = 1 << 16
	// maxPageHeader bounds the headers that are written, in bytes: nine numbers
	// of at most five bytes and a handful for the fields.
	maxPageHeader = 64
	// maxRunHeader bounds the header of a run, a number below 1<<17, with the
	// value of a repeated run.
	maxRunHeader = 4
)

// flush writes the page at hand: a data page in version 1, the form that
// every reader knows.
func (w *Writer) flush() error {
	b := w.body[:maxPageHeader]
	if w.code.optional {
		b = w.appendLevels(b)
	}
	encoding := meta.PlainEncoding
	if w.code.Physical != meta.Boolean {
		encoding = meta.RLEDictionary
		b = append(b, byte(w.code.width))
	}
	if w.defined > 0 {
		if encoding == meta.RLEDictionary {
			b = appendPackedRun(b, w.defined)
		}
		b = append(b, w.bits[:packedSize(w.packed, w.code.width)]...)
		// Unused places of the last group are zeros, not what stood there.
		end := (w.defined + 7) / 8 * 8
		clear(w.ids[2*w.defined : min(2*end, len(w.ids))])
		size := packedSize(w.defined-w.packed, w.code.width)
		pack(b[len(b):len(b)+size+packSlack], w.ids[2*w.packed:2*end], w.code.width)
		b = b[:len(b)+size]
	}
	body := b[maxPageHeader:]
	head := pageHeader(meta.DataPage, body, 5,
		meta.Numbered(int64(w.rows), int64(encoding), int64(meta.RLE), int64(meta.RLE)))
	start := maxPageHeader - len(head)
	copy(b[start:], head)
	w.Rows += int64(w.rows)
	w.Nulls += int64(w.rows - w.defined)
	w.Pages++
	w.rows, w.defined, w.packed = 0, 0, 0
	return w.put(b[start:])
}

// appendLevels writes the definition levels: one repeated run where all are
// the same, bits otherwise.
func (w *Writer) appendLevels(b []byte) []byte {
	at := len(b)
	b = append(b, 0, 0, 0, 0)
	switch w.defined {
	case w.rows:
		b = append(binary.AppendUvarint(b, uint64(w.rows)<<1), 1)
	case 0:
		b = append(binary.AppendUvarint(b, uint64(w.rows)<<1), 0)
	default:
		b = appendPackedRun(b, w.rows)
		b = append(b, w.level[:(w.rows+7)/8]...)
	}
	binary.LittleEndian.PutUint32(b[at:], uint32(len(b)-at-4))
	return b
}

// appendPackedRun writes the header of n bit-packed values.
func appendPackedRun(b []byte, n int) []byte {
	return binary.AppendUvarint(b, uint64(n+7)/8<<1|1)
}
