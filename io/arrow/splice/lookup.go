package splice

import (
	"hash/maphash"
	"math/bits"
	"slices"
	"sync"

	"github.com/tacet-privacy/tacet/io/arrow/batch"
	"github.com/tacet-privacy/tacet/io/table"
)

// A letterLookup gives the cells of one column their letters in one alphabet.
type letterLookup struct {
	lexicon *table.ColumnLexicon
	letter  []int32    // by dictionary index, or by integer less base
	strange bool       // the dictionary has values that are unseen
	base    int64      // the least integer
	words   *wordIndex // of integers that spread too far for letter, and of short text
}

// maxDense bounds how far integers may spread to be looked up by position.
const maxDense = 1 << 16

// lookups remembers what was built for the lexicon asked for last.
type lookups struct {
	sync.Mutex
	last *letterLookup
}

// lookup is that of the alphabet in, whose lexicon is given.
func (c *privateColumn) lookup(in *table.Alphabet, lexicon *table.ColumnLexicon) (*letterLookup, error) {
	c.built.Lock()
	defer c.built.Unlock()
	if c.built.last != nil && c.built.last.lexicon == lexicon {
		return c.built.last, nil
	}
	l := &letterLookup{lexicon: lexicon}
	if c.dict != nil {
		d, err := c.dict()
		if err != nil {
			return nil, err
		}
		l.byIndex(d, c.Type)
	} else if value := in.Values(); c.Type.Kind > table.Binary && len(value) > 0 && !l.byPosition(value) ||
		c.Type.Kind <= table.Binary {
		l.byWord(value, c.Type)
	}
	c.built.last = l
	return l, nil
}

// byIndex looks letters up by dictionary index.
func (l *letterLookup) byIndex(d *dictionary, t table.Type) {
	l.letter = make([]int32, len(d.value))
	for i, v := range d.value {
		at, ok := l.lexicon.Null, d.isNull(i)
		switch {
		case ok:
		case t.Kind <= table.Binary:
			at, ok = l.lexicon.Text[v.Bytes]
		default:
			at, ok = l.lexicon.Ints[v.Int]
		}
		if !ok {
			at, l.strange = table.Unseen, true
		}
		l.letter[i] = at
	}
}

// byPosition looks integers up by position where they lie close together.
func (l *letterLookup) byPosition(value []table.Value) bool {
	least, most := value[0].Int, value[0].Int
	for _, v := range value {
		least, most = min(least, v.Int), max(most, v.Int)
	}
	spread := uint64(most) - uint64(least)
	if spread >= maxDense {
		return false
	}
	l.base, l.letter = least, slices.Repeat([]int32{table.Unseen}, int(spread)+1)
	for i, v := range value {
		l.letter[v.Int-least] = int32(i)
	}
	return true
}

func (l *letterLookup) byWord(value []table.Value, t table.Type) {
	l.words = newWordIndex()
	for i, v := range value {
		key := uint64(v.Int)
		if t.Kind <= table.Binary {
			if key = batch.PackBytes([]byte(v.Bytes)); key == batch.Unpacked {
				continue // found in the lexicon
			}
		}
		l.words.put(key, int32(i))
	}
}

// A wordIndex finds the place of a 64-bit key: an integer, or a short text as
// package page packs it. It is several times as fast as a map of strings, where
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
