package mechanism

import (
	"fmt"
	"math"
	"math/bits"
)

// A Floor says which outputs an order allows: those of rank at least Rank,
// or of value at least Value. An output of value -Inf is allowed by no floor.
type Floor struct {
	ByValue bool
	Rank    int     // h, 1..M; used unless ByValue
	Value   float64 // tau; used when ByValue
}

// RankFloor allows u(x,y) >= h.
func RankFloor(h int) Floor { return Floor{Rank: h} }

// ValueFloor allows u'(x,y) >= tau.
func ValueFloor(tau float64) Floor { return Floor{ByValue: true, Value: tau} }

// Allows reports whether an output of this rank and value meets the floor.
func (f Floor) Allows(rank uint16, value float64) bool {
	if math.IsInf(value, -1) {
		return false
	}
	if f.ByValue {
		return value >= f.Value
	}
	return int(rank) >= f.Rank
}

// String is "rank >= 5" or "utility >= -4".
func (f Floor) String() string {
	if f.ByValue {
		return fmt.Sprintf("utility >= %v", f.Value)
	}
	return fmt.Sprintf("rank >= %d", f.Rank)
}

// A Support is the 0/1 pattern of a mechanism: B_x, the outputs allowed for
// letter x, and S_y, the letters that may give y. It is a bit per cell.
type Support struct {
	inputs, outputs int
	words           int // per row
	bit             []uint64
	size            []int32
}

// NewSupport has no cell allowed.
func NewSupport(inputs, outputs int) *Support {
	words := (outputs + 63) / 64
	return &Support{inputs, outputs, words, make([]uint64, inputs*words), make([]int32, inputs)}
}

// SupportOf is the support that floor f leaves of order o.
func SupportOf(o Order, f Floor) *Support {
	s := NewSupport(o.Inputs(), o.Outputs())
	rank, value := make([]uint16, s.outputs), make([]float64, s.outputs)
	if f.ByValue {
		rank = nil
	}
	for x := range s.inputs {
		o.Row(x, rank, value)
		for y := range value {
			var r uint16
			if rank != nil {
				r = rank[y]
			}
			if f.Allows(r, value[y]) {
				s.Allow(x, y)
			}
		}
	}
	return s
}

// Inputs is N.
func (s *Support) Inputs() int { return s.inputs }

// Outputs is M.
func (s *Support) Outputs() int { return s.outputs }

// Allow adds y to B_x.
func (s *Support) Allow(x, y int) {
	w := &s.bit[x*s.words+y/64]
	if m := uint64(1) << (y % 64); *w&m == 0 {
		*w |= m
		s.size[x]++
	}
}

// Allowed reports whether y is in B_x.
func (s *Support) Allowed(x, y int) bool {
	return s.bit[x*s.words+y/64]>>(y%64)&1 == 1
}

// Size is |B_x|.
func (s *Support) Size(x int) int { return int(s.size[x]) }

// AppendRow appends the outputs of B_x in ascending order.
func (s *Support) AppendRow(to []uint16, x int) []uint16 {
	for i, w := range s.bit[x*s.words : (x+1)*s.words] {
		for ; w != 0; w &= w - 1 {
			to = append(to, uint16(i*64+bits.TrailingZeros64(w)))
		}
	}
	return to
}

// Mass is n P(S_y) for every output y: the records that may give y.
func (s *Support) Mass(p Prior) []int64 {
	mass := make([]int64, s.outputs)
	var row []uint16
	for x := range s.inputs {
		if p.Count(x) == 0 {
			continue
		}
		row = s.AppendRow(row[:0], x)
		for _, y := range row {
			mass[y] += p.Count(x)
		}
	}
	return mass
}

// Empty returns the first letter with no allowed output, -1 if every letter
// has one.
func (s *Support) Empty() int {
	for x, k := range s.size {
		if k == 0 {
			return x
		}
	}
	return -1
}
