package composition

import (
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
)

// Common is n P(S_y1 & ... & S_yk), the records whose letter may give every one
// of these outputs. Of k fresh releases of a mechanism whose columns are
// constant where they are not 0, such as M*(h), the outputs together have the
// factor n / Common; it is 0 where no letter gives them all.
func Common(p mechanism.Prior, m *mechanism.Mechanism, outputs []int) int64 {
	mass := int64(0)
	for x := range m.Inputs() {
		if p.Count(x) > 0 && givesAll(m.Row(x).Output, outputs) {
			mass += p.Count(x)
		}
	}
	return mass
}

func givesAll(row []uint16, outputs []int) bool {
	for _, y := range outputs {
		if _, ok := slices.BinarySearch(row, uint16(y)); !ok {
			return false
		}
	}
	return true
}
