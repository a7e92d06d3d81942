package arrow

import (
	"slices"
	"sync"

	"github.com/tacet-privacy/tacet/io/arrowraw/decode"
	"github.com/tacet-privacy/tacet/io/colfile/letter"
)

// A letterLookup gives the cells of one column their letters in one alphabet.
type letterLookup struct {
	lexicon *letter.ColumnLexicon
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
func (c *privateColumn) lookup(in *letter.Alphabet, lexicon *letter.ColumnLexicon) (*letterLookup, error) {
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
	} else if value := in.Values(); c.Type.Kind > letter.Binary && len(value) > 0 && !l.byPosition(value) || c.Type.Kind <= letter.Binary {
		l.byWord(value, c.Type)
	}
	c.built.last = l
	return l, nil
}

// byIndex looks letters up by dictionary index.
func (l *letterLookup) byIndex(d *dictionary, t letter.Type) {
	l.letter = make([]int32, len(d.value))
	for i, v := range d.value {
		at, ok := l.lexicon.Null, d.isNull(i)
		switch {
		case ok:
		case t.Kind <= letter.Binary:
			at, ok = l.lexicon.Text[v.Bytes]
		default:
			at, ok = l.lexicon.Ints[v.Int]
		}
		if !ok {
			at, l.strange = letter.Unseen, true
		}
		l.letter[i] = at
	}
}

// byPosition looks integers up by position where they lie close together.
func (l *letterLookup) byPosition(value []letter.Value) bool {
	least, most := value[0].Int, value[0].Int
	for _, v := range value {
		least, most = min(least, v.Int), max(most, v.Int)
	}
	spread := uint64(most) - uint64(least)
	if spread >= maxDense {
		return false
	}
	l.base, l.letter = least, slices.Repeat([]int32{letter.Unseen}, int(spread)+1)
	for i, v := range value {
		l.letter[v.Int-least] = int32(i)
	}
	return true
}

func (l *letterLookup) byWord(value []letter.Value, t letter.Type) {
	l.words = newWordIndex()
	for i, v := range value {
		key := uint64(v.Int)
		if t.Kind <= letter.Binary {
			if key = decode.PackBytes([]byte(v.Bytes)); key == decode.Unpacked {
				continue // found in the lexicon
			}
		}
		l.words.put(key, int32(i))
	}
}
