package mechanism

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
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
// letter x, and S_y, the letters that may give y. It is a bit per cell, or the parts
// into which a value floor parts a tree.
type Support struct {
	parts           *Partition // nil where there is a bit per cell
	inputs, outputs int
	words           int // per row
	bit             []uint64
	size            []int32
}

// NewSupport has no cell allowed.
func NewSupport(inputs, outputs int) *Support {
	words := (outputs + 63) / 64
	return &Support{inputs: inputs, outputs: outputs, words: words, bit: make([]uint64, inputs*words),
		size: make([]int32, inputs)}
}

// SupportOf is the support that floor f leaves of order o.
func SupportOf(o Order, f Floor) *Support {
	if t, ok := o.(*Tree); ok && f.ByValue {
		return SupportOfParts(t.Cut(f.Value))
	}
	if n, ok := o.(Nearby); ok {
		return supportOf(n, f)
	}
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

// SupportOfParts allows every letter the outputs of its part.
func SupportOfParts(p *Partition) *Support {
	return &Support{inputs: len(p.In), outputs: len(p.Out), parts: p}
}

// Parts are those of the support; nil where it has none.
func (s *Support) Parts() *Partition { return s.parts }

// Inputs is N.
func (s *Support) Inputs() int { return s.inputs }

// Outputs is M.
func (s *Support) Outputs() int { return s.outputs }

// Allow adds y to B_x. The support must not be of parts.
func (s *Support) Allow(x, y int) {
	w := &s.bit[x*s.words+y/64]
	if m := uint64(1) << (y % 64); *w&m == 0 {
		*w |= m
		s.size[x]++
	}
}

// Allowed reports whether y is in B_x.
func (s *Support) Allowed(x, y int) bool {
	if s.parts != nil {
		return s.parts.In[x] >= 0 && s.parts.In[x] == s.parts.Out[y]
	}
	return s.bit[x*s.words+y/64]>>(y%64)&1 == 1
}

// Size is |B_x|.
func (s *Support) Size(x int) int {
	if s.parts != nil {
		return len(s.parts.Row(x))
	}
	return int(s.size[x])
}

// AppendRow appends the outputs of B_x in ascending order.
func (s *Support) AppendRow(to []uint16, x int) []uint16 {
	if s.parts != nil {
		return append(to, s.parts.Row(x)...)
	}
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
	if s.parts != nil {
		part := s.parts.Mass(p)
		for y, c := range s.parts.Out {
			if c >= 0 {
				mass[y] = part[c]
			}
		}
		return mass
	}
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
	if s.parts != nil {
		return slices.Index(s.parts.In, -1)
	}
	for x, k := range s.size {
		if k == 0 {
			return x
		}
	}
	return -1
}

// A NoOutputError says that a floor, or the order itself, leaves an input
// letter without any output.
type NoOutputError struct {
	Letter int   // the first such letter
	Floor  Floor // what was asked for
}

func (e *NoOutputError) Error() string {
	return fmt.Sprintf("mechanism: letter %d has no allowed output (%v)", e.Letter, e.Floor)
}

// Safe is the utility-safe mechanism M*(h) [SO, Theorem 1]: uniform on B_x,
// the outputs that f allows for x. Where all B_x are equally large its factor
// is 1 / min P(S_y), the least for this support under the worst prior; on
// rows of unequal size the theorem does not speak and Leakage says what it
// is. It fails with *NoOutputError.
func Safe(p Prior, o Order, f Floor) (*Mechanism, error) {
	if p.Letters() != o.Inputs() {
		panic("mechanism: prior and order differ in letters")
	}
	return Uniform(SupportOf(o, f), f)
}

// Uniform is uniform on what s allows each letter; f is what a failure, a
// *NoOutputError, says was asked for.
func Uniform(s *Support, f Floor) (*Mechanism, error) {
	if x := s.Empty(); x >= 0 {
		return nil, &NoOutputError{x, f}
	}
	row := make([]Row, s.Inputs())
	if s.parts != nil {
		for x, c := range s.parts.In {
			row[x] = UniformRow(s.parts.Set[c])
		}
		return New(s.Outputs(), row)
	}
	for x := range row {
		row[x] = UniformRow(s.AppendRow(make([]uint16, 0, s.Size(x)), x))
	}
	return New(s.Outputs(), row)
}
