package files

import (
	"math"
	"math/big"
	"regexp"
	"slices"
	"sort"
	"strings"
	"time"
)

// A binIndex finds the letters of cells by the bins that letters name.
type binIndex struct {
	typ Type
	all []aBin // ascending
}

// aBin is a bin by its ends, in the units in which cells are stored, and its letter.
type aBin struct {
	from, to end
	letter   int32
}

// An end is a number, and the float nearest to it; nil and infinite where the bin is open.
type end struct {
	at   *big.Rat
	near float64
}

// newBinIndex takes the labels that are bins; others have no cells.
func newBinIndex(t Type, labels []Label) *binIndex {
	x := &binIndex{typ: t}
	endOf := func(v *big.Rat, open int) end {
		if v == nil {
			return end{nil, math.Inf(open)}
		}
		v = new(big.Rat).Mul(v, t.steps())
		near, _ := v.Float64()
		return end{v, near}
	}
	for i, l := range labels {
		if from, to, ok := t.Bins.ends(l.Text); ok && !l.Null {
			x.all = append(x.all, aBin{endOf(from, -1), endOf(to, 1), int32(i)})
		}
	}
	slices.SortFunc(x.all, func(a, b aBin) int { return lower(a.from.at, b.from.at) })
	return x
}

// A cell is a stored number as a float, rounded to the nearest, and as what it was rounded
// from: bits of 64, or where these are too few a rational.
type cell struct {
	near  float64
	bits  int64
	exact *big.Rat
}

// reached reports whether a cell is at or above the end. Rounding is monotone: where floats
// differ numbers do, the same way, and where they are the same the numbers decide.
func (x *binIndex) reached(e end, c *cell) bool {
	switch {
	case e.at == nil:
		return e.near < 0
	case c.near != e.near || math.IsInf(c.near, 0):
		return c.near > e.near || c.near == e.near && c.near > 0
	case c.exact == nil && x.typ.Kind == Float:
		c.exact = new(big.Rat).SetFloat64(c.near)
	case c.exact == nil && x.typ.Unsigned:
		c.exact = new(big.Rat).SetUint64(uint64(c.bits))
	case c.exact == nil:
		c.exact = new(big.Rat).SetInt64(c.bits)
	}
	return c.exact.Cmp(e.at) >= 0
}

// find is the letter of a cell: that of the last bin that does not begin above it, if the
// cell is in it.
func (x *binIndex) find(c cell) int32 {
	at := sort.Search(len(x.all), func(i int) bool { return !x.reached(x.all[i].from, &c) })
	if at == 0 || math.IsNaN(c.near) || x.reached(x.all[at-1].to, &c) {
		return Stranger
	}
	return x.all[at-1].letter
}

// num is the letter of a stored number: of a float its bits.
func (x *binIndex) num(v int64) int32 {
	switch {
	case x.typ.Kind == Float:
		return x.find(cell{near: math.Float64frombits(uint64(v))})
	case x.typ.Unsigned:
		return x.find(cell{near: float64(uint64(v)), bits: v})
	}
	return x.find(cell{near: float64(v), bits: v})
}

// rational is the letter of a number in stored units.
func (x *binIndex) rational(v *big.Rat) int32 {
	near, _ := v.Float64()
	return x.find(cell{near: near, exact: v})
}

// writtenTimes are the ways in which a cell of text may say a time, in UTC; fractions
// of the second may follow.
var writtenTimes = []string{"2006-01-02", "2006-01-02T15:04:05", "2006-01-02T15:04:05Z", "2006-01-02 15:04:05",
	"2006-01-02 15:04:05Z"}

var aNumber = regexp.MustCompile(`^[-+]?[0-9]+(\.[0-9]+)?$`)

// written is the letter of a cell of text that says a number or a time.
func (x *binIndex) written(text string) int32 {
	if x.typ.Bins.kind == "decimal" && aNumber.MatchString(text) {
		v, _ := new(big.Rat).SetString(strings.TrimPrefix(text, "+"))
		return x.rational(v)
	}
	for _, layout := range writtenTimes {
		if t, err := time.Parse(layout, text); err == nil && x.typ.Bins.kind == "timestamp" {
			return x.rational(seconds(t))
		}
	}
	return Stranger
}

// signed is a number in two's complement, big-endian.
func signed(b []byte) *big.Int {
	n := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0]&0x80 != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return n
}
