package table

import (
	"math"
	"slices"
)

// numbers gives the cells of one private column in one unit numbers, by their values: places in a
// tally, or letters. It asks for the number of a value once, as far as it remembers.
type numbers struct {
	*PrivateColumn
	of     func(text []byte, n int64) (int32, error) // the number of a text, or of what else a value is
	null   int32
	bins   *Binner // nil without bins
	binned []int32 // the numbers of the bins that were met, by place
	known  []int32 // of null, then by code below Entries; unknown where it was not looked up
	recent Recent  // of other codes
}

const unknown = math.MinInt32

func newNumbers(c *PrivateColumn, null int32, of func(text []byte, n int64) (int32, error)) *numbers {
	l := &numbers{PrivateColumn: c, of: of, null: null}
	if bins := c.Type.Bins; bins != nil {
		l.bins = NewBinner(bins)
	}
	return l
}

// newLetters gives cells their letters; that of the rest, or Unseen, to a value that is not listed.
func newLetters(c *PrivateColumn, in *Alphabet) *numbers {
	letter := in.Index()
	return newNumbers(c, in.Null(), func(text []byte, n int64) (int32, error) {
		if at, ok := letter[Value{string(text), n}]; ok {
			return at, nil
		}
		return in.rest, nil
	})
}

// put puts the numbers of cells into dst, and says whether some of them are negative. Cells
// that are in no bin get less than nullBin.
func (l *numbers) put(dst []int32, v *Values) (negative bool, err error) {
	defer Guard("decoding a column", &err)
	if l.known == nil {
		l.known = slices.Repeat([]int32{unknown}, v.Entries+1)
		l.known[0] = l.null
	}
	if l.gather(dst, v.Code) {
		return false, nil
	}
	for i, code := range v.Code {
		switch {
		case code < 0:
			dst[i] = l.null
		case int(code) >= v.Entries:
			dst[i], err = l.lately(v, i)
		default:
			if l.known[code+1] == unknown {
				l.known[code+1], err = l.look(v, i)
			}
			dst[i] = l.known[code+1]
		}
		if err != nil {
			return true, err
		}
	}
	return true, nil
}

// gather puts what is known of codes into dst, and says whether that is all, and none of it negative.
func (l *numbers) gather(dst, code []int32) bool {
	sign, known := int32(0), l.known
	dst = dst[:len(code)]
	for i, c := range code {
		at := uint32(c + 1)
		if at >= uint32(len(known)) {
			return false
		}
		dst[i] = known[at]
		sign |= dst[i]
	}
	return sign >= 0
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
