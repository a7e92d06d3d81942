package judge

import "math/bits"

// An Index numbers keys from 0 on, by their first appearance.
type Index struct {
	Key   []uint64 // by number
	slot  []int32  // one more than the number; 0 where there is none
	shift int
}

// Reset forgets all keys, and makes room for so many.
func (x *Index) Reset(keys int) {
	width := bits.Len(uint(keys + keys/2 + 64))
	if cap(x.slot) < 1<<width {
		x.slot = make([]int32, 1<<width)
	}
	x.Key, x.slot, x.shift = x.Key[:0], x.slot[:1<<width], 64-width
	clear(x.slot)
}

// at is the place of a key, or the free one where it would stand.
func (x *Index) at(key uint64) *int32 {
	for at := key * 0x9e3779b97f4a7c15 >> x.shift; ; at++ {
		e := &x.slot[at&uint64(len(x.slot)-1)]
		if *e == 0 || x.Key[*e-1] == key {
			return e
		}
	}
}

// Add is the number of a key, a new one where it has none.
func (x *Index) Add(key uint64) int32 {
	e := x.at(key)
	if *e == 0 {
		x.Key = append(x.Key, key)
		*e = int32(len(x.Key))
	}
	return *e - 1
}

// Find is the number of a key, -1 where it has none.
func (x *Index) Find(key uint64) int32 { return *x.at(key) - 1 }
