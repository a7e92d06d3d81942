package page

import (
	"encoding/binary"
	"errors"
	"io"
	"math/bits"
	"sync"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
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
		if err := w.gather(letter[:n]); err != nil {
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

// gather takes letters that fit into the page, up to 64 at a time so that
// their levels are one word.
func (w *Writer) gather(letter []int32) error {
	for len(letter) > 0 {
		shift := uint(w.rows) % 64
		n := min(len(letter), 64-int(shift))
		ids := w.ids[2*w.defined : 2*(w.defined+n)+2]
		defined, word := n, ^uint64(0)>>(64-uint(n))
		switch found := lookUp(ids, letter[:n], w.code.index); {
		case found&noLetter != 0:
			return ErrLetter
		case found&isNull != 0:
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

// lookUp finds the index of every letter, and is isNull and noLetter where those are among
// them. Letters wider than the table are found by the bits that they have above it.
func lookUp(ids []byte, letter []int32, index *[1 << 16]uint32) (found uint32) {
	wide := int32(0)
	for i, l := range letter {
		found, wide = found|index[uint16(l)], wide|(l+1)
		binary.LittleEndian.PutUint16(ids[2*i:], uint16(index[uint16(l)]))
	}
	if wide>>16 != 0 {
		found |= noLetter
	}
	return found
}

// squeeze looks letters up with nulls left out, by not moving on behind them; it
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
	encoding := format.Plain
	if w.code.Physical != format.Boolean {
		encoding = format.RLEDictionary
		b = append(b, byte(w.code.width))
	}
	if w.defined > 0 {
		if encoding == format.RLEDictionary {
			b = appendPackedRun(b, w.defined)
		}
		// Unused places of the last group are zeros, not what stood there.
		end := (w.defined + 7) / 8 * 8
		clear(w.ids[2*w.defined : 2*end])
		size := packedSize(w.defined, w.code.width)
		pack(b[len(b):len(b)+size+packSlack], w.ids[:2*end], w.code.width)
		b = b[:len(b)+size]
	}
	body := b[maxPageHeader:]
	h := storedHeader{Type: format.DataPage}
	h.DataV1.Values, h.DataV1.Encoding = thrift.New(int32(w.rows)), encoding
	h.DataV1.Levels, h.DataV1.Repeated = format.RLE, format.RLE
	head := h.before(body)
	start := maxPageHeader - len(head)
	copy(b[start:], head)
	w.Rows += int64(w.rows)
	w.Nulls += int64(w.rows - w.defined)
	w.Pages++
	w.rows, w.defined = 0, 0
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

// indexWidth is the bit width of the indices of a dictionary of n entries. It
// is at least 1: width 0 is legal, and rare enough not to be read everywhere.
func indexWidth(n int) uint { return uint(max(1, bits.Len(uint(max(n, 1)-1)))) }

// packedSize is how many bytes n values of that width take, in groups of
// eight.
func packedSize(n int, width uint) int { return (n + 7) / 8 * int(width) }

// packSlack is how many bytes behind the packed ones may be overwritten:
// whole words are stored.
const packSlack = 16

// pack writes the values in src, little-endian 16-bit numbers less than
// 1<<width and a multiple of eight of them, bit-packed to dst, least
// significant bit first. packSlack bytes must lie behind them in dst.
//
// Four values are one word, moved together by multiplying: pairs within 32-bit
// lanes, then the lanes. Package bitpack takes four times as long, with which a run
// of 20 M rows that neither judges nor hashes takes 15 % more.
func pack(dst, src []byte, width uint) {
	if width == 16 {
		copy(dst, src)
		return
	}
	const even = 0x0000ffff0000ffff
	w := width & 15
	pair, quad, octet := uint64(1)<<w, uint64(1)<<(2*w), uint64(1)<<(4*w)
	for len(src) >= 16 && len(dst) >= 16 {
		x, y := binary.LittleEndian.Uint64(src), binary.LittleEndian.Uint64(src[8:])
		x = x&even | (x>>16&even)*pair
		y = y&even | (y>>16&even)*pair
		x = x&0xffffffff | x>>32*quad
		y = y&0xffffffff | y>>32*quad
		high, low := bits.Mul64(y, octet)
		binary.LittleEndian.PutUint64(dst, x|low)
		binary.LittleEndian.PutUint64(dst[8:], high)
		dst, src = dst[w:], src[16:]
	}
}

// appendPackedRun writes the header of n bit-packed values.
func appendPackedRun(b []byte, n int) []byte {
	return binary.AppendUvarint(b, uint64(n+7)/8<<1|1)
}
