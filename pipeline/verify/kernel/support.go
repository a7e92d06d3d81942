package kernel

import "math/bits"

// A Support is B_x, the outputs that a letter may have, a bit per cell.
type Support struct {
	inputs, outputs, words int
	bit                    []uint64
}

// NewSupport allows nothing.
func NewSupport(inputs, outputs int) *Support {
	words := (outputs + 63) / 64
	return &Support{inputs, outputs, words, make([]uint64, inputs*words)}
}

// Allow lets x become y.
func (s *Support) Allow(x, y int) { s.bit[x*s.words+y/64] |= 1 << (y % 64) }

// Has reports whether x may become y.
func (s *Support) Has(x, y int) bool { return s.bit[x*s.words+y/64]>>(y%64)&1 == 1 }

// Each visits what x may become, in ascending order.
func (s *Support) Each(x int, f func(y int)) {
	for i, w := range s.bit[x*s.words : (x+1)*s.words] {
		for ; w != 0; w &= w - 1 {
			f(i*64 + bits.TrailingZeros64(w))
		}
	}
}

// Uniform makes every allowed output of a letter equally likely.
func (s *Support) Uniform() []Row {
	rows := make([]Row, s.inputs)
	for x := range rows {
		s.Each(x, func(y int) {
			rows[x].Output, rows[x].Weight = append(rows[x].Output, int32(y)), append(rows[x].Weight, 1)
			rows[x].Total++
		})
	}
	return rows
}
