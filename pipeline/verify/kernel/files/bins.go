package files

import (
	"math/big"
	"strings"
)

// Bins are what the values of a column are put into. Everything is a rational: numbers are what
// they are, dates days and timestamps seconds from 1970-01-01 on. What a label means is told
// by whoever opens a file: that a record is in the bin that it was counted in is proven.
type Bins struct {
	kind  string // what the cells are, without more of their type
	exact Type   // of the values that are published, where these are floats, decimals or timestamps
	// ends of the bin that is called so, the lower one included and nil where it is open; ok is
	// false where none is.
	ends func(label string) (from, to *big.Rat, ok bool)
}

// NewBins are bins of cells of a name, published as text or else as values: docs/bins.md.
func NewBins(of string, text bool, ends func(label string) (from, to *big.Rat, ok bool)) *Bins {
	b := &Bins{kind: of, ends: ends}
	if exact, kind, ok := exactOf(of); ok && !text {
		b.kind, b.exact = kind, exact
	}
	return b
}

// Compare orders labels as their bins lie; those of no bin come last, by their bytes.
func (b *Bins) Compare(one, other string) int {
	x, _, isOne := b.ends(one)
	y, _, isOther := b.ends(other)
	switch {
	case isOne && isOther:
		return lower(x, y)
	case isOne:
		return -1
	case isOther:
		return 1
	}
	return strings.Compare(one, other)
}

// lower compares the lower ends of bins.
func lower(a, b *big.Rat) int {
	switch {
	case a == b:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	return a.Cmp(b)
}

// of reports whether cells of type t are what the bins are of.
func (b *Bins) of(t Type) bool {
	if t.Kind == Text { // numbers or dates that are written
		return b.kind == "decimal" || b.kind == "timestamp"
	}
	return b.kind == kinds[t.Kind]
}

// Holds reports whether a column of type t holds the values that are published of bins.
func (b *Bins) Holds(t Type) bool {
	return b.exact.Kind == t.Kind && b.exact.Bits == t.Bits && b.exact.Ticks == t.Ticks && b.exact.Scale == t.Scale
}
