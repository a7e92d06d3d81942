package page

import (
	"encoding/binary"

	"github.com/tacet-privacy/tacet/io/parquet/meta"
	"github.com/tacet-privacy/tacet/io/table"
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
// dictionary page, used or not, then other values as they come up. The libraries
// have no such numbers: they hand out values.
type dictionary struct {
	physical meta.Physical
	length   int  // of FixedLen values
	loose    bool // values outside the dictionary page are not looked up
	read     bool // a dictionary page was read
	fixed    int  // its entries
	entries  int  // bytes of text that they take
	ints     []int64
	text     []byte   // each value behind its length in 4 bytes
	at       []uint32 // where in text a value's length stands

	// Codes of values that stand outside the dictionary page.
	recent *table.Recent
	ofInt  map[int64]int32
	ofText map[string]int32
}

func newDictionary(c Chunk) *dictionary {
	d := &dictionary{physical: c.Physical, length: c.Width, loose: c.Loose}
	if c.Physical == meta.Boolean {
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
	if d.read || d.recent != nil || d.loose && len(d.ints)+len(d.at) > 0 {
		return meta.Damaged("a second dictionary page, or one behind values")
	}
	d.read = true
	width := int64(d.width())
	if d.physical == meta.ByteArray {
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
	case meta.FixedLen:
		for i := range values {
			d.add(b[i*width : (i+1)*width])
		}
	case meta.Int32, meta.Int64, meta.Float, meta.Float64:
		d.ints = make([]int64, values)
		for i := range d.ints {
			if width == 4 {
				d.ints[i] = int64(int32(binary.LittleEndian.Uint32(b[i*4:])))
			} else {
				d.ints[i] = int64(binary.LittleEndian.Uint64(b[i*8:]))
			}
		}
	case meta.ByteArray:
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

// next is the code of a value that has none so far.
func (d *dictionary) next() (int32, error) {
	if d.size()-d.fixed >= maxDistinct {
		return 0, meta.Unsupported("such a column is not categorical: group its values first",
			"more than 65535 distinct values")
	}
	return int32(d.size()), nil
}

func (d *dictionary) codeOfInt(v int64) (code int32, err error) {
	if d.loose {
		d.ints = append(d.ints, v)
		return int32(len(d.ints) - 1), nil
	}
	if d.recent == nil {
		d.recent, d.ofInt = new(table.Recent), map[int64]int32{}
	}
	code, ok := d.recent.Get(uint64(v))
	if ok {
		return code, nil
	}
	if code, ok = d.ofInt[v]; !ok {
		if code, err = d.next(); err != nil {
			return 0, err
		}
		d.ints, d.ofInt[v] = append(d.ints, v), code
	}
	d.recent.Put(uint64(v), code)
	return code, nil
}

func (d *dictionary) codeOfBytes(v []byte) (code int32, err error) {
	if d.loose {
		return d.looseBytes(v)
	}
	if d.recent == nil {
		d.recent, d.ofText = new(table.Recent), map[string]int32{}
	}
	key, short := table.ShortKey(v)
	code, ok := d.recent.Get(key)
	if ok && short {
		return code, nil
	}
	if code, ok = d.ofText[string(v)]; !ok {
		if len(v) > maxValue || len(d.text)+len(v) > maxText {
			return 0, meta.Unsupported("such a column is not categorical: group its values first",
				"values of %d MiB in all or one of %d MiB are not supported", maxText>>20, maxValue>>20)
		}
		if code, err = d.next(); err != nil {
			return 0, err
		}
		d.add(v)
		d.ofText[string(v)] = code
	}
	if short {
		d.recent.Put(key, code)
	}
	return code, nil
}
