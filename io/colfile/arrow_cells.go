package colfile

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/tacet-privacy/tacet/io/arrowraw"
)

// arrowCells is what every letter of an output column is written as. The
// entry behind the last one is a null's: zeros.
type arrowCells struct {
	typ   arrowraw.Type
	width int      // bytes of a fixed value or a view; 0 for booleans and for text with offsets
	fixed []byte   // by letter
	text  [][]byte // by letter, where there are offsets
	data  []byte   // what views refer to
}

// inlineView is how many bytes a view holds itself.
const inlineView = 12

// newArrowCells lays out the values for columns of type t.
func newArrowCells(t arrowraw.Type, value []Value) *arrowCells {
	c := &arrowCells{typ: t}
	switch t.Code {
	case arrowraw.Utf8View, arrowraw.BinaryView:
		c.width = 16
		for _, v := range value {
			c.fixed = append(c.fixed, c.view(v.Bytes)...)
		}
	case arrowraw.Int, arrowraw.Date:
		c.width = 4
		if t.Code == arrowraw.Int {
			c.width = int(t.Num[0]) / 8
		}
		for _, v := range value {
			word := binary.LittleEndian.AppendUint64(nil, uint64(v.Int))
			c.fixed = append(c.fixed, word[:c.width]...)
		}
	case arrowraw.Bool:
		for _, v := range value {
			c.fixed = append(c.fixed, byte(v.Int))
		}
		c.fixed = append(c.fixed, 0)
	default:
		for _, v := range value {
			c.text = append(c.text, []byte(v.Bytes))
		}
		c.text = append(c.text, nil)
	}
	c.fixed = append(c.fixed, make([]byte, c.width)...)
	return c
}

// view is the 16 bytes of a string view; long strings go to data.
func (c *arrowCells) view(s string) []byte {
	v := make([]byte, 16)
	binary.LittleEndian.PutUint32(v, uint32(len(s)))
	if len(s) <= inlineView {
		copy(v[4:], s)
		return v
	}
	copy(v[4:8], s)
	binary.LittleEndian.PutUint32(v[12:], uint32(len(c.data)))
	c.data = append(c.data, s...)
	return v
}

// An arrowColumnWriter builds the buffers of one column of one record batch.
// All of them are new.
type arrowColumnWriter struct {
	*arrowCells
	letters int32 // a letter from here on is null
	rows    int64 // that will be
	len     int   // that are
	nulls   int
	valid   []byte // nil while there is no null
	fixed   []byte // values, bits of booleans, offsets or views
	data    []byte
}

// newColumn starts a column of exactly rows rows; letters counts those that
// are not null.
func (c *arrowCells) newColumn(rows int64, letters int) *arrowColumnWriter {
	size := rows * int64(c.width)
	switch {
	case c.text != nil:
		size = (rows + 1) * c.offsetWidth()
	case c.width == 0:
		size = (rows + 7) / 8
	}
	return &arrowColumnWriter{arrowCells: c, letters: int32(letters), rows: rows, fixed: make([]byte, size), data: c.data}
}

func (c *arrowCells) offsetWidth() int64 {
	if c.typ.Code == arrowraw.LargeUtf8 || c.typ.Code == arrowraw.LargeBinary {
		return 8
	}
	return 4
}

// append writes the next letters. It reports whether they fit the offsets.
func (w *arrowColumnWriter) append(letter []int32) bool {
	w.mark(letter)
	switch {
	case w.text != nil:
		return w.appendText(letter)
	case w.width == 0:
		for i, l := range letter {
			row := w.len + i
			w.fixed[row>>3] |= w.arrowCells.fixed[w.entry(l)] << (row & 7)
		}
	case w.width == 1:
		dst := w.fixed[w.len:][:len(letter)]
		for i, l := range letter {
			dst[i] = w.arrowCells.fixed[w.entry(l)]
		}
	case w.width == 4:
		dst := w.fixed[4*w.len:][:4*len(letter)]
		for i, l := range letter {
			copy(dst[4*i:4*i+4], w.arrowCells.fixed[4*w.entry(l):])
		}
	default:
		for i, l := range letter {
			copy(w.fixed[(w.len+i)*w.width:][:w.width], w.arrowCells.fixed[w.entry(l)*w.width:])
		}
	}
	w.len += len(letter)
	return true
}

func (w *arrowColumnWriter) appendText(letter []int32) bool {
	for i, l := range letter {
		w.data = append(w.data, w.text[w.entry(l)]...)
		if row := w.len + i + 1; w.offsetWidth() == 8 {
			binary.LittleEndian.PutUint64(w.fixed[8*row:], uint64(len(w.data)))
		} else {
			binary.LittleEndian.PutUint32(w.fixed[4*row:], uint32(len(w.data)))
		}
	}
	w.len += len(letter)
	return w.offsetWidth() == 8 || len(w.data) <= math.MaxInt32
}

// entry is where a letter's cell is.
func (w *arrowColumnWriter) entry(l int32) int {
	if l < 0 {
		l = w.letters
	}
	return int(l)
}

// mark sets the bits of the rows that are not null, from the first null on.
func (w *arrowColumnWriter) mark(letter []int32) {
	nulls := 0
	for _, l := range letter {
		if uint32(l) >= uint32(w.letters) {
			nulls++
		}
	}
	w.nulls += nulls
	if w.valid == nil {
		if nulls == 0 {
			return
		}
		w.valid = make([]byte, (w.rows+7)/8)
		copy(w.valid, bytes.Repeat([]byte{0xff}, w.len/8))
		for row := w.len &^ 7; row < w.len; row++ {
			w.valid[row>>3] |= 1 << (row & 7)
		}
	}
	for i, l := range letter {
		if uint32(l) < uint32(w.letters) {
			row := w.len + i
			w.valid[row>>3] |= 1 << (row & 7)
		}
	}
}

// column is the finished column.
func (w *arrowColumnWriter) column() arrowraw.NewColumn {
	c := arrowraw.NewColumn{
		Nodes:   []arrowraw.Node{{Rows: int64(w.len), Nulls: int64(w.nulls)}},
		Buffers: []arrowraw.Part{{New: w.valid}, {New: w.fixed}},
	}
	switch {
	case w.text != nil:
		c.Buffers = append(c.Buffers, arrowraw.Part{New: w.data})
	case w.width == 16 && len(w.data) > 0:
		c.Buffers = append(c.Buffers, arrowraw.Part{New: w.data})
		c.Variadic = []int64{1}
	case w.width == 16:
		c.Variadic = []int64{0}
	}
	return c
}
