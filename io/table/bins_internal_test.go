package table

import "math/big"

// Ends are those of the bin that is called so, nil where it is open; ok is false where none is.
func (b *Bins) Ends(label string) (from, to *big.Rat, ok bool) {
	id, ok := b.Place(label)
	if ok {
		from, to = b.ends(id)
	}
	return from, to, ok
}
