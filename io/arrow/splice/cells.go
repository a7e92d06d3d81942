package splice

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/io/arrow/batch"
	"github.com/tacet-privacy/tacet/io/table"
)

// columnCells is what every letter of an output column is written as. Cell l+1
// is that of letter l; the first and the last are a null's, which is written
// by letter -1 or by the null letter.
type columnCells struct {
	typ   batch.Type
	width int      // bytes of a fixed value or a view; 0 for booleans and for text with offsets
	word  []uint64 // cells of up to 8 bytes
	wide  []byte   // cells of more bytes, one after the other
	text  []string // where there are offsets
	data  []byte   // what views refer to
}

// newColumnCells lays out the values for columns of type t.
func newColumnCells(t batch.Type, value []table.Value) *columnCells {
	c := &columnCells{typ: t, width: fixedWidth(t)}
	switch {
	case c.views():
		c.width = 16
		c.wide = make([]byte, (len(value)+2)*c.width)
		for l, v := range value {
			c.setView(c.wide[(l+1)*c.width:], v.Bytes)
		}
		return c
	case c.width > 8:
		c.wide = make([]byte, (len(value)+2)*c.width)
		for l, v := range value {
			copy(c.wide[(l+1)*c.width:], v.Bytes)
		}
		return c
	case c.width == 0 && t.Code != batch.Bool:
		c.text = make([]string, len(value)+2)
		for l, v := range value {
			c.text[l+1] = v.Bytes
		}
		return c
	}
	c.word = make([]uint64, len(value)+2)
	per := int64(1)
	if t.Code == batch.Date && t.Num[0] == batch.Millisecond {
		per = batch.PerDay
	}
	for l, v := range value {
		c.word[l+1] = uint64(v.Int * per)
	}
	return c
}

// views reports whether cells are views of strings.
func (c *columnCells) views() bool {
	return c.typ.Code == batch.Utf8View || c.typ.Code == batch.BinaryView
}

// fixedWidth is how many bytes each value of a type of numbers takes, 0 for others.
func fixedWidth(t batch.Type) int {
	switch t.Code {
	case batch.Int:
		return int(t.Num[0]) / 8
	case batch.FloatingPoint:
		return 2 << (t.Num[0] & 3)
	case batch.Decimal:
		return int(t.Num[2]) / 8
	case batch.Date:
		return 4 << (t.Num[0] & 1)
	case batch.Timestamp:
		return 8
	}
	return 0
}

// setView makes v begin with the view of s; long strings go to data.
func (c *columnCells) setView(v []byte, s string) {
	binary.LittleEndian.PutUint32(v, uint32(len(s)))
	if v = v[:16]; len(s) <= len(v)-4 {
		copy(v[4:], s)
		return
	}
	copy(v[4:8], s)
	binary.LittleEndian.PutUint32(v[12:], uint32(len(c.data)))
	c.data = append(c.data, s...)
}

// A columnWriter builds the buffers of one column of one record batch.
// All of them are new.
type columnWriter struct {
	*columnCells
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
func (c *columnCells) newColumn(rows int64, letters int) *columnWriter {
	size := rows * int64(c.width)
	switch {
	case c.text != nil:
		size = (rows + 1) * c.offsetWidth()
	case c.width == 0:
		size = (rows + 7) / 8
	}
	return &columnWriter{columnCells: c, letters: int32(letters), rows: rows, fixed: make([]byte, size), data: c.data}
}

func (c *columnCells) offsetWidth() int64 {
	if c.typ.Code == batch.LargeUtf8 || c.typ.Code == batch.LargeBinary {
		return 8
	}
	return 4
}

// append writes the next letters, all of which are from -1 up to the null
// letter; valid says that none is null. It reports whether they fit the offsets.
func (w *columnWriter) append(letter []int32, valid bool) bool {
	if !valid || w.valid != nil {
		w.mark(letter)
	}
	dst := w.fixed[w.len*w.width:]
	switch w.width {
	case 1:
		for i, l := range letter {
			dst[i] = byte(w.word[l+1])
		}
	case 2:
		rest := letter
		for ; len(rest) >= 4; rest, dst = rest[4:], dst[8:] {
			a, b, c, d := w.word[rest[0]+1], w.word[rest[1]+1], w.word[rest[2]+1], w.word[rest[3]+1]
			binary.LittleEndian.PutUint64(dst, a&0xffff|b&0xffff<<16|c&0xffff<<32|d<<48)
		}
		for i, l := range rest {
			binary.LittleEndian.PutUint16(dst[2*i:], uint16(w.word[l+1]))
		}
	case 4:
		for i, l := range letter {
			binary.LittleEndian.PutUint32(dst[4*i:], uint32(w.word[l+1]))
		}
	case 8:
		for i, l := range letter {
			binary.LittleEndian.PutUint64(dst[8*i:], w.word[l+1])
		}
	case 16, 32:
		for i, l := range letter {
			copy(dst[w.width*i:][:w.width], w.wide[w.width*int(l+1):])
		}
	default:
		if w.text != nil {
			return w.appendText(letter)
		}
		for i, l := range letter {
			row := w.len + i
			w.fixed[row>>3] |= byte(w.word[l+1]) << (row & 7)
		}
	}
	w.len += len(letter)
	return true
}

func (w *columnWriter) appendText(letter []int32) bool {
	size := 0
	for _, l := range letter {
		size += len(w.text[l+1])
	}
	w.data = slices.Grow(w.data, size)
	wide := w.offsetWidth() == 8
	for i, l := range letter {
		w.data = append(w.data, w.text[l+1]...)
		if row := w.len + i + 1; wide {
			binary.LittleEndian.PutUint64(w.fixed[8*row:], uint64(len(w.data)))
		} else {
			binary.LittleEndian.PutUint32(w.fixed[4*row:], uint32(len(w.data)))
		}
	}
	w.len += len(letter)
	return wide || len(w.data) <= math.MaxInt32
}

// mark sets the bits of the rows that are not null, from the first null on.
func (w *columnWriter) mark(letter []int32) {
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
func (w *columnWriter) column() Column {
	c := Column{
		Nodes:   []batch.Node{{Rows: int64(w.len), Nulls: int64(w.nulls)}},
		Buffers: []Part{{New: w.valid}, {New: w.fixed}},
	}
	switch {
	case w.text != nil:
		c.Buffers = append(c.Buffers, Part{New: w.data})
	case w.views() && len(w.data) > 0:
		c.Buffers = append(c.Buffers, Part{New: w.data})
		c.Variadic = []int64{1}
	case w.views():
		c.Variadic = []int64{0}
	}
	return c
}
