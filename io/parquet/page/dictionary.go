package page

import (
	"encoding/binary"
	"slices"

	"github.com/parquet-go/parquet-go/format"

	"github.com/tacet-privacy/tacet/io/parquet/meta"
)

const (
	// maxValue bounds one value and maxText all that are handed out at once, in bytes.
	maxValue = 1 << 20
	maxText  = 64 << 20
)

// A dictionary numbers the values of a chunk: first the entries of its
// dictionary page, used or not, then other values one by one. The libraries
// have no such numbers: they hand out values.
type dictionary struct {
	physical format.Type
	length   int  // of FixedLen values
	read     bool // a dictionary page was read
	fixed    int  // its entries
	entries  int  // bytes of text that they take
	ints     []int64
	text     []byte   // each value behind its length in 4 bytes
	at       []uint32 // where in text a value's length stands
}

func newDictionary(l *meta.Leaf) *dictionary {
	d := &dictionary{physical: l.Physical, length: int(l.Length)}
	switch l.Physical {
	case format.Boolean:
		d.ints = []int64{0, 1}
	case format.Int96: // 12 bytes that are stored like any
		d.physical, d.length = format.FixedLenByteArray, 12
	}
	return d
}

// size counts the codes.
func (d *dictionary) size() int {
	if d.bytewise() {
		return len(d.at)
	}
	return len(d.ints)
}

// readPage takes the entries of a dictionary page, PLAIN encoded. It keeps b.
func (d *dictionary) readPage(b []byte, values int64) error {
	d.read = true
	width := int64(d.width())
	if d.physical == format.ByteArray {
		width = 4
	}
	if width == 0 {
		return meta.Unsupported("write it without dictionary encoding", "a dictionary of booleans is not supported")
	}
	if values > int64(len(b))/width {
		return meta.Damaged("the dictionary is shorter than its header says")
	}
	d.fixed = int(values)
	switch d.physical {
	case format.FixedLenByteArray:
		for i := range values {
			d.add(b[i*width : (i+1)*width])
		}
	case format.Int32, format.Int64, format.Float, format.Double:
		d.ints = make([]int64, values)
		readInts(d.ints, b, int(width))
	case format.ByteArray:
		d.text, d.at = b, make([]uint32, values)
		pos := 0
		for i := range d.at {
			if len(b)-pos < 4 {
				return meta.Damaged("the dictionary is shorter than its header says")
			}
			d.at[i] = uint32(pos)
			n := binary.LittleEndian.Uint32(b[pos:])
			if uint64(n) > uint64(len(b)-pos-4) {
				return meta.Damaged("the dictionary is shorter than its header says")
			}
			pos += 4 + int(n)
		}
		d.text = b[:pos:pos]
	}
	d.entries = len(d.text)
	return nil
}

func (d *dictionary) bytes(code int32) []byte {
	at := d.at[code]
	n := binary.LittleEndian.Uint32(d.text[at:])
	return d.text[at+4 : at+4+n]
}

// width is how many bytes a value takes, 0 where that is not fixed.
func (d *dictionary) width() int {
	switch d.physical {
	case format.Int32, format.Float:
		return 4
	case format.Int64, format.Double:
		return 8
	case format.FixedLenByteArray:
		return d.length
	}
	return 0
}

// bytewise reports whether values are bytes, not numbers.
func (d *dictionary) bytewise() bool {
	return d.physical == format.ByteArray || d.physical == format.FixedLenByteArray
}

// add appends a value of bytes.
func (d *dictionary) add(v []byte) {
	d.at = append(d.at, uint32(len(d.text)))
	d.text = append(binary.LittleEndian.AppendUint32(d.text, uint32(len(v))), v...)
}

// codeOfBytes gives a value a code of its own.
func (d *dictionary) codeOfBytes(v []byte) (int32, error) {
	if len(v) > maxValue || len(d.text)-d.entries+len(v) > maxText {
		return 0, meta.Unsupported("write it with shorter values",
			"values of %d MiB in all or one of %d MiB are not supported", maxText>>20, maxValue>>20)
	}
	d.add(v)
	return int32(len(d.at) - 1), nil
}

// newInts makes room for numbers that get a code of their own each.
func (d *dictionary) newInts(code []int32) []int64 {
	from := len(d.ints)
	d.ints = slices.Grow(d.ints, len(code))[:from+len(code)]
	for i := range code {
		code[i] = int32(from + i)
	}
	return d.ints[from:]
}

// readInts reads numbers of 4 or 8 bytes.
func readInts(to []int64, b []byte, width int) {
	if width == 8 {
		for i := range to {
			to[i] = int64(binary.LittleEndian.Uint64(b[8*i:]))
		}
		return
	}
	for i := range to {
		to[i] = int64(int32(binary.LittleEndian.Uint32(b[4*i:])))
	}
}

// forget drops the values that stand outside the dictionary page.
func (d *dictionary) forget() {
	switch {
	case d.bytewise():
		d.at, d.text = d.at[:d.fixed], d.text[:d.entries]
	case d.physical != format.Boolean:
		d.ints = d.ints[:d.fixed]
	}
}
