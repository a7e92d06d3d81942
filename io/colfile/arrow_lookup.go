package colfile

import (
	"slices"
	"sync"

	"github.com/tacet-privacy/tacet/io/arrowraw"
)

// An arrowLookup gives the cells of one column their letters in one alphabet.
type arrowLookup struct {
	lexicon *columnLexicon
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
	last *arrowLookup
}

// lookup is that of the alphabet in, whose lexicon is given.
func (c *arrowColumn) lookup(in *Alphabet, lexicon *columnLexicon) (*arrowLookup, error) {
	c.built.Lock()
	defer c.built.Unlock()
	if c.built.last != nil && c.built.last.lexicon == lexicon {
		return c.built.last, nil
	}
	l := &arrowLookup{lexicon: lexicon}
	if c.dict != nil {
		d, err := c.dict()
		if err != nil {
			return nil, err
		}
		l.byIndex(d, c.typ)
	} else if value := in.Values(); c.typ.Kind > Binary && len(value) > 0 && !l.byPosition(value) || c.typ.Kind <= Binary {
		l.byWord(value, c.typ)
	}
	c.built.last = l
	return l, nil
}

// byIndex looks letters up by dictionary index.
func (l *arrowLookup) byIndex(d *arrowDictionary, t Type) {
	l.letter = make([]int32, len(d.value))
	for i, v := range d.value {
		letter, ok := l.lexicon.null, d.isNull(i)
		switch {
		case ok:
		case t.Kind <= Binary:
			letter, ok = l.lexicon.text[v.Bytes]
		default:
			letter, ok = l.lexicon.ints[v.Int]
		}
		if !ok {
			letter, l.strange = unseen, true
		}
		l.letter[i] = letter
	}
}

// byPosition looks integers up by position where they lie close together.
func (l *arrowLookup) byPosition(value []Value) bool {
	least, most := value[0].Int, value[0].Int
	for _, v := range value {
		least, most = min(least, v.Int), max(most, v.Int)
	}
	spread := uint64(most) - uint64(least)
	if spread >= maxDense {
		return false
	}
	l.base, l.letter = least, slices.Repeat([]int32{unseen}, int(spread)+1)
	for i, v := range value {
		l.letter[v.Int-least] = int32(i)
	}
	return true
}

func (l *arrowLookup) byWord(value []Value, t Type) {
	l.words = newWordIndex()
	for i, v := range value {
		key := uint64(v.Int)
		if t.Kind <= Binary {
			if key = arrowraw.PackBytes([]byte(v.Bytes)); key == arrowraw.Unpacked {
				continue // found in the lexicon
			}
		}
		l.words.put(key, int32(i))
	}
}
