package arrow

import (
	"hash/maphash"
	"math/bits"
)

// A wordIndex finds the place of a 64-bit key: an integer, or a short text as
// arrowraw packs it. It is several times as fast as a map of strings, where
// most rows end.
type wordIndex struct {
	key   []uint64
	at    []int32 // -1 where a slot is free
	used  int
	odd   uint64 // factor of the hash, drawn so that no file can be made to collide
	shift int
}

func newWordIndex() *wordIndex {
	w := &wordIndex{odd: maphash.String(maphash.MakeSeed(), "") | 1}
	w.resize(64)
	return w
}

// get is the place of key, -1 where it has none.
func (w *wordIndex) get(key uint64) int32 {
	mask := len(w.key) - 1
	for slot := int(key * w.odd >> w.shift); ; slot++ {
		slot &= mask
		if w.key[slot] == key || w.at[slot] < 0 {
			return w.at[slot]
		}
	}
}

// put gives a new key its place.
func (w *wordIndex) put(key uint64, at int32) {
	if w.used++; 2*w.used > len(w.key) {
		w.resize(2 * len(w.key))
	}
	w.insert(key, at)
}

func (w *wordIndex) insert(key uint64, at int32) {
	mask := len(w.key) - 1
	slot := int(key * w.odd >> w.shift)
	for w.at[slot] >= 0 {
		slot = (slot + 1) & mask
	}
	w.key[slot], w.at[slot] = key, at
}

func (w *wordIndex) resize(size int) {
	key, at := w.key, w.at
	w.key, w.at = make([]uint64, size), make([]int32, size)
	w.shift = 64 - bits.TrailingZeros(uint(size))
	for slot := range w.at {
		w.at[slot] = -1
	}
	for slot := range at {
		if at[slot] >= 0 {
			w.insert(key[slot], at[slot])
		}
	}
}
