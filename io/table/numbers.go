package table

import (
	"math"
	"slices"
	"sync"
)

// numbers gives the cells of one private column in one unit numbers, by their values: places in a
// tally, or letters. It asks for the number of a value once, as far as it remembers.
type numbers struct {
	*PrivateColumn
	of     func(text []byte, n int64) (int32, error) // the number of a text, or of what else a value is
	null   int32
	bins   *Binner      // nil without bins
	binned []int32      // the numbers of the bins that were met, by place
	entry  *codeNumbers // by code below Entries, unknown where it was not looked up
	wide   []int32      // by code, where Entries are too many for entry
	recent Recent       // of other codes
}

// codeNumbers holds numbers by the lower half of a code, in which null is the
// last: a table that needs no bounds to be checked.
type codeNumbers [1 << 16]int32

const unknown = math.MinInt32

var codeTables = sync.Pool{New: func() any { return new(codeNumbers) }}

func newNumbers(c *PrivateColumn, null int32, of func(text []byte, n int64) (int32, error)) *numbers {
	l := &numbers{PrivateColumn: c, of: of, null: null}
	if bins := c.Type.Bins; bins != nil {
		l.bins = NewBinner(bins)
	}
	return l
}

// newLetters gives cells their letters, Unseen to a value that has none.
func newLetters(c *PrivateColumn, in *Alphabet) *numbers {
	letter := in.Index()
	return newNumbers(c, in.Null(), func(text []byte, n int64) (int32, error) {
		if at, ok := letter[Value{string(text), n}]; ok {
			return at, nil
		}
		return Unseen, nil
	})
}

// close gives buffers back.
func (l *numbers) close() {
	if l.entry != nil {
		codeTables.Put(l.entry)
		l.entry = nil
	}
}

// put puts the numbers of cells into dst, and says whether some of them may be negative. Cells
// that are in no bin get less than nullBin.
func (l *numbers) put(dst []int32, v *Values) (negative bool, err error) {
	defer Guard("decoding a column", &err)
	if l.entry == nil && l.wide == nil {
		l.begin(v.Entries)
	}
	known := l.wide
	if known == nil {
		if entries, all := l.entry.gather(dst, v.Code, int32(v.Entries)); entries && all {
			return false, nil
		}
		known = l.entry[:]
	}
	for i, code := range v.Code {
		switch {
		case code < 0:
			dst[i] = l.null
		case int(code) >= v.Entries:
			dst[i], err = l.lately(v, i)
		default:
			if known[code] == unknown {
				known[code], err = l.look(v, i)
			}
			dst[i] = known[code]
		}
		if err != nil {
			return true, err
		}
	}
	return true, nil
}

// begin makes the tables ready.
func (l *numbers) begin(entries int) {
	if entries >= len(l.entry) { // the last place is that of null
		l.wide = slices.Repeat([]int32{unknown}, entries)
		return
	}
	l.entry = codeTables.Get().(*codeNumbers)
	for i := range entries {
		l.entry[i] = unknown
	}
	l.entry[len(l.entry)-1] = l.null
}

// gather are the numbers of codes. It reports whether all codes are below entries, and
// whether all numbers are known and not negative.
func (t *codeNumbers) gather(dst, code []int32, entries int32) (below, known bool) {
	sign, number := int32(-1), int32(0)
	dst = dst[:len(code)]
	for i, c := range code {
		dst[i] = t[uint16(c)]
		sign, number = sign&(c-entries), number|dst[i]
	}
	return sign < 0, number >= 0
}

// lately is the number of row i, whose value may have been met lately.
func (l *numbers) lately(v *Values, i int) (int32, error) {
	key, short := v.key(i)
	if at, ok := l.recent.Get(key); short && ok {
		return at, nil
	}
	at, err := l.look(v, i)
	if short {
		l.recent.Put(key, at)
	}
	return at, err
}

// look asks for the number of row i.
func (l *numbers) look(v *Values, i int) (int32, error) {
	switch {
	case l.bins != nil:
		return l.lookInBins(v, i)
	case v.Type.bytewise():
		return l.of(v.Bytes(i), 0)
	}
	return l.of(nil, v.Int(i))
}

// lookInBins asks for the number of the bin of row i, once for each bin.
func (l *numbers) lookInBins(v *Values, i int) (int32, error) {
	at := l.bins.Find(v, i)
	if at < 0 {
		return at, nil
	}
	if int(at) == len(l.binned) {
		number, err := l.of([]byte(l.bins.Label(int(at))), 0)
		if err != nil {
			return 0, err
		}
		l.binned = append(l.binned, number)
	}
	return l.binned[at], nil
}

// key is that of row i in a Recent; ok is false for long texts.
func (v *Values) key(i int) (key uint64, ok bool) {
	if v.Type.bytewise() {
		return ShortKey(v.Bytes(i))
	}
	return uint64(v.Int(i)), true
}
