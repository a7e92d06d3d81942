package files

import "strings"

// kinds are what plans call the kinds of numbers.
var kinds = map[Kind]string{Integer: "integer", Date: "date", Timestamp: "timestamp", Float: "float",
	Decimal: "decimal"}

// Bins are what the values of a column are put into: docs/bins.md. Which bin a value is in is told
// by whoever opens a file: that as many records are in it as are counted is proven.
type Bins struct {
	Of    string                                 // name of the cells
	Place func(label string) (at int64, ok bool) // where the bin of a label lies among all
	// Begin has what finds the labels of the bins that cells of a type are in, for one reader. A cell is a
	// number, of a float its bits, or bytes: a text, or a decimal in two's complement.
	Begin func(t Type) func(number int64, bytes []byte) (label string, ok bool)
}

// Compare orders labels as their bins lie; those of no bin come last, by their bytes.
func (b *Bins) Compare(one, other string) int {
	i, isOne := b.Place(one)
	j, isOther := b.Place(other)
	switch {
	case isOne && (!isOther || i < j):
		return -1
	case isOther && (!isOne || i > j):
		return 1
	}
	return strings.Compare(one, other)
}

// are reports whether cells of type t are what the bins are of.
func (b *Bins) are(t Type) bool {
	if t.Kind == Text { // numbers or dates that are written
		return b.Of == kinds[Decimal] || b.Of == kinds[Timestamp]
	}
	return kinds[t.Kind] != "" && b.Of == kinds[t.Kind]
}

// one are the letters as one reader looks them up.
func (l *Letters) one() *Letters {
	if l.Type.Bins == nil {
		return l
	}
	own, bin := *l, l.Type.Bins.Begin(l.Type)
	own.find = func(number int64, bytes []byte) int32 {
		label, ok := bin(number, bytes)
		if !ok {
			return Stranger
		}
		return l.key(Key{Bytes: label})
	}
	return &own
}
