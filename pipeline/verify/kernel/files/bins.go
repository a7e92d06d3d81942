package files

import (
	"fmt"
	"math/big"
	"strings"
)

// Bins are what the values of a column are put into. Which bin a value is in, and what is
// written for it, is told by whoever opens a file: that as many records are in it as are counted
// is proven.
type Bins struct {
	name   string // of the cells
	text   bool   // bins are published as text, else as values
	by     Binning
	values *Bins // of a column that holds what is published; nil of such a one
}

// A Binning tells bins: where the bin of a label lies among all, and what bin a cell is in.
type Binning interface {
	Place(label string) (at int64, ok bool)
	// Cell is what is stored for a label of a value, of a float its bits.
	Cell(label string) (cell *big.Int, ok bool)
	// Begin has what finds the bins of cells of a type, by one reader.
	Begin(t Type) Finder
}

// A Finder finds the bins of cells, and numbers these as they are met; of a cell in none the
// number is negative. A cell is a number, of a float its bits, or bytes: a text, or a decimal
// in two's complement.
type Finder interface {
	Find(number int64, bytes []byte) int32
	Label(at int) string
}

// NewBins are bins of cells of a name, published as text or else as values: docs/bins.md.
func NewBins(of string, text bool, by Binning) *Bins {
	return &Bins{of, text, by, &Bins{name: of, text: text, by: by}}
}

// Compare orders labels as their bins lie; those of no bin come last, by their bytes.
func (b *Bins) Compare(one, other string) int {
	i, isOne := b.by.Place(one)
	j, isOther := b.by.Place(other)
	switch {
	case isOne && (!isOther || i < j):
		return -1
	case isOther && (!isOne || i > j):
		return 1
	}
	return strings.Compare(one, other)
}

// of reports whether cells of type t are what the bins are of.
func (b *Bins) of(t Type) bool {
	is := func(kind Kind) bool { return strings.HasPrefix(b.name, kinds[kind]) }
	if t.Kind == Text { // numbers or dates that are written
		return is(Decimal) || is(Timestamp)
	}
	return kinds[t.Kind] != "" && is(t.Kind)
}

// Holds reports whether a column of type t holds the values that are published of bins.
func (b *Bins) Holds(t Type) bool {
	name := ""
	switch t.Kind {
	case Float:
		name = fmt.Sprintf("float%d", t.Bits)
	case Timestamp:
		name = map[int64]string{1: "timestamp[s]", 1e3: "timestamp[ms]", 1e6: "timestamp[us]", 1e9: "timestamp[ns]"}[t.Ticks]
	case Decimal:
		digits, _, _ := strings.Cut(strings.TrimPrefix(b.name, "decimal("), ",")
		name = fmt.Sprintf("decimal(%s,%d)", digits, t.Scale)
	}
	return !b.text && name != "" && name == b.name
}

// binned reports whether cells are put into bins, and are no values of these.
func (t Type) binned() bool { return t.Bins != nil && t.Bins.values != nil }

// find is the letter of a cell that is put into bins.
func (l *Letters) find(number int64, bytes []byte) int32 {
	at := l.finder.Find(number, bytes)
	if at < 0 {
		return Stranger
	}
	for len(l.met) <= int(at) {
		l.met = append(l.met, l.key(Key{Bytes: l.finder.Label(len(l.met))}))
	}
	return l.met[at]
}

// one are the letters as one reader looks them up.
func (l *Letters) one() *Letters {
	if !l.Type.binned() {
		return l
	}
	own := *l
	own.finder, own.met = l.Type.Bins.by.Begin(l.Type), nil
	return &own
}
