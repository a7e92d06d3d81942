package verify

import "math/bits"

// A support is B_x, the outputs that a letter may have, a bit per cell.
type support struct {
	inputs, outputs, words int
	bit                    []uint64
}

func newSupport(inputs, outputs int) *support {
	words := (outputs + 63) / 64
	return &support{inputs, outputs, words, make([]uint64, inputs*words)}
}

func (s *support) allow(x, y int)    { s.bit[x*s.words+y/64] |= 1 << (y % 64) }
func (s *support) has(x, y int) bool { return s.bit[x*s.words+y/64]>>(y%64)&1 == 1 }
func (s *support) each(x int, f func(y int)) {
	for i, w := range s.bit[x*s.words : (x+1)*s.words] {
		for ; w != 0; w &= w - 1 {
			f(i*64 + bits.TrailingZeros64(w))
		}
	}
}

// uniform makes every allowed output of a letter equally likely.
func (s *support) uniform() []row {
	rows := make([]row, s.inputs)
	for x := range rows {
		s.each(x, func(y int) {
			rows[x].output, rows[x].weight = append(rows[x].output, int32(y)), append(rows[x].weight, 1)
			rows[x].total++
		})
	}
	return rows
}
