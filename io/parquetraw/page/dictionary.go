package page

import (
	"encoding/binary"

	"github.com/tacet-privacy/tacet/io/parquetraw/fault"
	"github.com/tacet-privacy/tacet/io/parquetraw/format"
)

const (
	// maxDistinct bounds the values of a chunk that stand outside its
	// dictionary page. Callers stop long before, at their own bound.
	maxDistinct = 1 << 17
	// maxValue bounds one value and maxText all of a chunk, in bytes.
	maxValue = 1 << 20
	maxText  = 64 << 20
)

// A dictionary numbers the values of a chunk: first the entries of its
// dictionary page, used or not, then other values as they come up.
type dictionary struct {
	physical format.Physical
	length   int  // of FixedLen values
	loose    bool // values outside the dictionary page are not looked up
	read     bool // a dictionary page was read
	fixed    int  // its entries
	entries  int  // bytes of text that they take
	ints     []int64
	text     []byte   // each value behind its length in 4 bytes
	at       []uint32 // where in text a value's length stands
	index    hashIndex
}

func newDictionary(c Chunk) *dictionary {
	d := &dictionary{physical: c.Physical, length: c.Width, loose: c.Loose}
	if c.Physical == format.Boolean {
		d.ints = []int64{0, 1}
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
	if d.read || d.index.added > 0 || d.loose && len(d.ints)+len(d.at) > 0 {
		return fault.Damaged("a second dictionary page, or one behind values")
	}
	d.read = true
	width := int64(d.width())
	if d.physical == format.ByteArray {
		width = 4
	}
	if width == 0 {
		return fault.Unsupported("write it without dictionary encoding", "a dictionary of booleans is not supported")
	}
	if values > int64(len(b))/width {
		return fault.Damaged("the dictionary is shorter than its header says")
	}
	d.fixed = int(values)
	switch d.physical {
	case format.FixedLen:
		for i := range values {
			d.add(b[i*width : (i+1)*width])
		}
	case format.Int32, format.Int64, format.Float, format.Float64:
		d.ints = make([]int64, values)
		for i := range d.ints {
			if width == 4 {
				d.ints[i] = int64(int32(binary.LittleEndian.Uint32(b[i*4:])))
			} else {
				d.ints[i] = int64(binary.LittleEndian.Uint64(b[i*8:]))
			}
		}
	case format.ByteArray:
		d.text, d.at = b, make([]uint32, values)
		pos := 0
		for i := range d.at {
			if len(b)-pos < 4 {
				return fault.Damaged("the dictionary is shorter than its header says")
			}
			d.at[i] = uint32(pos)
			n := binary.LittleEndian.Uint32(b[pos:])
			if uint64(n) > uint64(len(b)-pos-4) {
				return fault.Damaged("the dictionary is shorter than its header says")
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
