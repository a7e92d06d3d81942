package table

import (
	"slices"
	"sync"
)

// letters gives the cells of one private column in one unit their letters.
type letters struct {
	*PrivateColumn
	lexicon *ColumnLexicon
	bins    *binLetters  // nil without bins
	entry   *codeLetters // by code below Entries, unknown where it was not looked up
	wide    []int32      // by code, where Entries are too many for entry
	recent  Recent       // of other codes
}

// codeLetters holds letters by the lower half of a code, in which null is the
// last: a table that needs no bounds to be checked.
type codeLetters [1 << 16]int32

var codeTables = sync.Pool{New: func() any { return new(codeLetters) }}

func newLetters(c *PrivateColumn, of *ColumnLexicon) *letters {
	l := &letters{PrivateColumn: c, lexicon: of}
	if bins := c.Type.Bins; bins != nil {
		l.bins = &binLetters{Binner: NewBinner(bins), lexicon: of}
	}
	return l
}

// close gives buffers back.
func (l *letters) close() {
	if l.entry != nil {
		codeTables.Put(l.entry)
		l.entry = nil
	}
}

// put puts the letters of cells, the first of which is in this row, into dst.
func (l *letters) put(dst []int32, v *Values, row int64) (err error) {
	defer guard(&err)
	if l.bins != nil {
		l.bins.put(dst, v)
	} else if l.putEntries(dst, v) {
		return nil
	}
	if i := slices.Index(dst, Unseen); i >= 0 {
		return UnseenError(l.Name, row+int64(i))
	}
	return nil
}

// putEntries puts the letters of cells; it is false where some may have none.
func (l *letters) putEntries(dst []int32, v *Values) bool {
	if l.entry == nil && l.wide == nil {
		l.begin(v.Entries)
	}
	known := l.wide
	if known == nil {
		if entries, all := l.entry.gather(dst, v.Code, int32(v.Entries)); entries && all {
			return true
		}
		known = l.entry[:]
	}
	for i, code := range v.Code {
		switch {
		case code < 0:
			dst[i] = l.lexicon.Null
		case int(code) >= v.Entries:
			dst[i] = l.lately(v, i)
		default:
			if known[code] == unknown {
				known[code] = l.lexicon.look(v, i, l.Type.Kind)
			}
			dst[i] = known[code]
		}
	}
	return false
}

// begin makes the tables ready.
func (l *letters) begin(entries int) {
	if entries >= len(l.entry) { // the last place is that of null
		l.wide = slices.Repeat([]int32{unknown}, entries)
		return
	}
	l.entry = codeTables.Get().(*codeLetters)
	for i := range entries {
		l.entry[i] = unknown
	}
	l.entry[len(l.entry)-1] = l.lexicon.Null
}

// gather are the letters of codes. It reports whether all codes are below entries, and
// whether all letters are known and not negative.
func (t *codeLetters) gather(dst, code []int32, entries int32) (below, known bool) {
	sign, letter := int32(-1), int32(0)
	dst = dst[:len(code)]
	for len(code) >= 4 && len(dst) >= 4 {
		c, d := code[:4:4], dst[:4:4]
		d[0], d[1], d[2], d[3] = t[uint16(c[0])], t[uint16(c[1])], t[uint16(c[2])], t[uint16(c[3])]
		sign &= (c[0] - entries) & (c[1] - entries) & (c[2] - entries) & (c[3] - entries)
		letter |= d[0] | d[1] | d[2] | d[3]
		code, dst = code[4:], dst[4:]
	}
	for i, c := range code {
		dst[i] = t[uint16(c)]
		sign, letter = sign&(c-entries), letter|dst[i]
	}
	return sign < 0, letter >= 0
}

// lately is the letter of row i.
func (l *letters) lately(v *Values, i int) int32 {
	key, short := v.key(i, l.Type.Kind)
	at, ok := l.recent.Get(key)
	if short && ok {
		return at
	}
	at = l.lexicon.look(v, i, l.Type.Kind)
	if short {
		l.recent.Put(key, at)
	}
	return at
}

// look is the letter of row i, which is not null.
func (l *ColumnLexicon) look(v *Values, i int, k Kind) int32 {
	var at int32
	var ok bool
	if k <= Binary {
		at, ok = l.Text[string(v.Bytes(i))]
	} else {
		at, ok = l.Ints[v.Int(i)]
	}
	if !ok {
		return l.Rest
	}
	return at
}
