package parquetraw

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
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
	physical Physical
	read     bool // a dictionary page was read
	fixed    int  // its entries
	ints     []int64
	text     []byte   // each value behind its length in 4 bytes
	at       []uint32 // where in text a value's length stands
	hashes   []uint64 // of the values that were added
	slots    []int32  // open addressing: code+1 of an added value
	seed     maphash.Seed
	odd      uint64
	last     int64 // the integer that was looked up last, and its code
	lastCode int32
}

func newDictionary(p Physical) *dictionary {
	d := &dictionary{physical: p, seed: maphash.MakeSeed(), lastCode: -1}
	d.odd = maphash.String(d.seed, "") | 1
	if p == Boolean {
		d.ints = []int64{0, 1}
	}
	return d
}

// size counts the codes.
func (d *dictionary) size() int {
	if d.physical == ByteArray {
		return len(d.at)
	}
	return len(d.ints)
}

// readPage takes the entries of a dictionary page, PLAIN encoded. It keeps b.
func (d *dictionary) readPage(b []byte, values int64) error {
	if d.read || len(d.hashes) > 0 {
		return damaged("a second dictionary page, or one behind values")
	}
	d.read = true
	width := map[Physical]int64{Int32: 4, Int64: 8, ByteArray: 4}[d.physical]
	if width == 0 {
		return unsupported("write it without dictionary encoding", "a dictionary of booleans is not supported")
	}
	if values > int64(len(b))/width {
		return damaged("the dictionary is shorter than its header says")
	}
	d.fixed = int(values)
	switch d.physical {
	case Int32, Int64:
		d.ints = make([]int64, values)
		for i := range d.ints {
			if width == 4 {
				d.ints[i] = int64(int32(binary.LittleEndian.Uint32(b[i*4:])))
			} else {
				d.ints[i] = int64(binary.LittleEndian.Uint64(b[i*8:]))
			}
		}
	case ByteArray:
		d.text, d.at = b, make([]uint32, values)
		pos := 0
		for i := range d.at {
			if len(b)-pos < 4 {
				return damaged("the dictionary is shorter than its header says")
			}
			d.at[i] = uint32(pos)
			n := binary.LittleEndian.Uint32(b[pos:])
			if uint64(n) > uint64(len(b)-pos-4) {
				return damaged("the dictionary is shorter than its header says")
			}
			pos += 4 + int(n)
		}
		d.text = b[:pos:pos]
	}
	return nil
}

func (d *dictionary) bytes(code int32) []byte {
	at := d.at[code]
	n := binary.LittleEndian.Uint32(d.text[at:])
	return d.text[at+4 : at+4+n]
}

func (d *dictionary) codeOfBytes(v []byte) (int32, error) {
	hash := maphash.Bytes(d.seed, v)
	for {
		slot := hash
		for len(d.slots) > 0 {
			c := d.slots[slot&uint64(len(d.slots)-1)] - 1
			if c < 0 {
				break
			}
			if d.hashes[int(c)-d.fixed] == hash && bytes.Equal(d.bytes(c), v) {
				return c, nil
			}
			slot++
		}
		if d.grow() {
			continue
		}
		if len(v) > maxValue || len(d.text)+len(v) > maxText {
			return 0, unsupported("such a column is no alphabet; hash or bucket it first", "values of %d MiB in all or one of %d MiB are not supported", maxText>>20, maxValue>>20)
		}
		d.at = append(d.at, uint32(len(d.text)))
		d.text = append(binary.LittleEndian.AppendUint32(d.text, uint32(len(v))), v...)
		return d.add(hash, slot)
	}
}

func (d *dictionary) codeOfInt(v int64) (int32, error) {
	if v == d.last && d.lastCode >= 0 {
		return d.lastCode, nil
	}
	hash := uint64(v) * d.odd
	hash ^= hash >> 32
	for {
		slot := hash
		for len(d.slots) > 0 {
			c := d.slots[slot&uint64(len(d.slots)-1)] - 1
			if c < 0 {
				break
			}
			if d.ints[c] == v {
				d.last, d.lastCode = v, c
				return c, nil
			}
			slot++
		}
		if d.grow() {
			continue
		}
		d.ints = append(d.ints, v)
		return d.add(hash, slot)
	}
}

// add gives the value just appended its code.
func (d *dictionary) add(hash, slot uint64) (int32, error) {
	if len(d.hashes) >= maxDistinct {
		return 0, unsupported("such a column is no alphabet; hash or bucket it first", "more than 65535 distinct values")
	}
	code := int32(d.fixed + len(d.hashes))
	d.hashes = append(d.hashes, hash)
	d.slots[slot&uint64(len(d.slots)-1)] = code + 1
	return code, nil
}

// grow doubles the table when it is half full.
func (d *dictionary) grow() bool {
	if 2*len(d.hashes) < len(d.slots) {
		return false
	}
	d.slots = make([]int32, max(64, 2*len(d.slots)))
	for i, hash := range d.hashes {
		slot := hash
		for d.slots[slot&uint64(len(d.slots)-1)] != 0 {
			slot++
		}
		d.slots[slot&uint64(len(d.slots)-1)] = int32(d.fixed+i) + 1
	}
	return true
}
