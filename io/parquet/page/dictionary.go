package page

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math/bits"

	"github.com/tacet-privacy/tacet/io/parquet/meta"
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
	index    hashIndex
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
	if d.read || d.index.added > 0 || d.loose && len(d.ints)+len(d.at) > 0 {
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

// A hashIndex finds the codes of values that stand outside the dictionary
// page: a table with open addressing, at most a quarter full.
type hashIndex struct {
	slot  []slot
	added int
	shift uint // 64 less the logarithm of the table's length
	seed  maphash.Seed
	odd   uint64 // random, so that no file can be made to collide
}

// A slot is empty where next is 0. Its key is the integer, the bytes of a
// value of up to 7 below their number, or else a hash below 0xff.
type slot struct {
	key  uint64
	next int32 // code+1
}

const longKey = 0xff << 56

func (x *hashIndex) home(key uint64) uint64 { return key * x.odd >> x.shift }

// grow doubles the table when it is a quarter full.
func (x *hashIndex) grow() {
	if 4*x.added < len(x.slot) {
		return
	}
	if x.slot == nil {
		x.seed = maphash.MakeSeed()
		x.odd = maphash.String(x.seed, "") | 1
	}
	old := x.slot
	x.slot = make([]slot, max(1024, 2*len(old)))
	x.shift = 64 - uint(bits.TrailingZeros(uint(len(x.slot))))
	for _, s := range old {
		if s.next != 0 {
			at := x.home(s.key)
			for x.slot[at].next != 0 {
				at = (at + 1) & uint64(len(x.slot)-1)
			}
			x.slot[at] = s
		}
	}
}

// put fills the slot at and makes code d's next.
func (d *dictionary) put(at, key uint64) (int32, error) {
	x := &d.index
	if x.added >= maxDistinct {
		return 0, meta.Unsupported("such a column is not categorical: group its values first",
			"more than 65535 distinct values")
	}
	code := int32(d.fixed + x.added)
	x.slot[at] = slot{key, code + 1}
	x.added++
	x.grow()
	return code, nil
}

func (d *dictionary) codeOfInt(v int64) (int32, error) {
	if d.loose {
		d.ints = append(d.ints, v)
		return int32(len(d.ints) - 1), nil
	}
	x := &d.index
	if x.slot == nil {
		x.grow()
	}
	at := x.home(uint64(v))
	for {
		s := &x.slot[at&uint64(len(x.slot)-1)]
		if s.next == 0 {
			break
		}
		if s.key == uint64(v) {
			return s.next - 1, nil
		}
		at = (at + 1) & uint64(len(x.slot)-1)
	}
	d.ints = append(d.ints, v)
	return d.put(at, uint64(v))
}

func (d *dictionary) codeOfBytes(v []byte) (int32, error) {
	if d.loose {
		return d.looseBytes(v)
	}
	x := &d.index
	if x.slot == nil {
		x.grow()
	}
	key := x.key(v)
	at := x.home(key)
	for {
		s := &x.slot[at&uint64(len(x.slot)-1)]
		if s.next == 0 {
			break
		}
		if s.key == key && (key < longKey || bytes.Equal(d.bytes(s.next-1), v)) {
			return s.next - 1, nil
		}
		at = (at + 1) & uint64(len(x.slot)-1)
	}
	if len(v) > maxValue || len(d.text)+len(v) > maxText {
		return 0, meta.Unsupported("such a column is not categorical: group its values first",
			"values of %d MiB in all or one of %d MiB are not supported", maxText>>20, maxValue>>20)
	}
	d.at = append(d.at, uint32(len(d.text)))
	d.text = append(binary.LittleEndian.AppendUint32(d.text, uint32(len(v))), v...)
	return d.put(at, key)
}

func (x *hashIndex) key(v []byte) uint64 {
	n := len(v)
	if n > 7 {
		return maphash.Bytes(x.seed, v) | longKey
	}
	var k uint64
	if cap(v) >= 8 {
		k = binary.LittleEndian.Uint64(v[:8]) & (1<<(8*n) - 1)
	} else {
		for i, c := range v {
			k |= uint64(c) << (8 * i)
		}
	}
	return k | uint64(n)<<56
}
