package files

import "strings"

// Bins are what the values of a column are put into. Which bin a value is in is told by
// whoever opens a file: that as many records are in it as are counted is proven.
type Bins struct {
	name string // of the cells
	by   Binning
}

// A Binning tells bins: where the bin of a label lies among all, and what bin a cell is in.
type Binning interface {
	Place(label string) (at int64, ok bool)
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

// NewBins are bins of cells of a name: docs/bins.md.
func NewBins(of string, by Binning) *Bins { return &Bins{of, by} }

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
	if t.Kind == Text { // numbers or dates that are written
		return b.name == kinds[Decimal] || b.name == kinds[Timestamp]
	}
	return kinds[t.Kind] != "" && b.name == kinds[t.Kind]
}

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
	if l.Type.Bins == nil {
		return l
	}
	own := *l
	own.finder, own.met = l.Type.Bins.by.Begin(l.Type), nil
	return &own
}
