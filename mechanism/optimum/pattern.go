package optimum

import (
	"cmp"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
)

// A Pattern is a support restricted to the letters with records, by columns, with what outputs
// stand for and the weights of its cells.
type Pattern struct {
	Prior   mechanism.Prior
	Also    []mechanism.Prior // under which factors are counted, too
	Support *mechanism.Support
	Letter  []int     // the letters with records, ascending
	Count   []int64   // their counts
	Column  [][]int32 // S_y as places in letter, ascending; may be empty
	Mass    []int64   // n P(S_y)

	stands  []int             // as in Problem
	share   []int64           // n pi_y
	weights mechanism.Weights // nil where there are none
	cell    [][]float64       // of the weights, by output, like Column
	top     float64           // largest |w|
	span    float64           // largest less smallest w
}

// NewPattern looks at s by columns. The priors must have as many letters as s.
func NewPattern(p mechanism.Prior, s *mechanism.Support, also ...mechanism.Prior) *Pattern {
	if p.Letters() != s.Inputs() {
		panic("mechanism: prior and support differ in letters")
	}
	t := &Pattern{Prior: p, Also: also, Support: s, Column: make([][]int32, s.Outputs()), Mass: s.Mass(p),
		share: make([]int64, s.Outputs())}
	var row []uint16
	for x := range p.Letters() {
		if p.Count(x) == 0 {
			continue
		}
		row = s.AppendRow(row[:0], x)
		for _, y := range row {
			t.Column[y] = append(t.Column[y], int32(len(t.Letter)))
		}
		t.Letter = append(t.Letter, x)
		t.Count = append(t.Count, p.Count(x))
	}
	return t
}

// patternOf is that of a problem, with weights, nil for none.
func patternOf(g Problem, w mechanism.Weights) (*Pattern, error) {
	if x := g.Support.Empty(); x >= 0 {
		return nil, &mechanism.NoOutputError{Letter: x}
	}
	t := NewPattern(g.Prior, g.Support, g.Also...)
	if t.stands = g.Stands; g.Stands != nil || w == nil {
		if _, err := mechanism.StandsFor(g.Prior.Letters(), g.Support.Outputs(), g.Stands); err != nil {
			return nil, err
		}
	}
	for y, x := range g.Stands {
		if x >= 0 {
			t.share[y] = g.Prior.Count(x)
		}
	}
	if w == nil {
		return t, nil
	}
	return t, t.weigh(w)
}

func (t *Pattern) problem() Problem { return Problem{t.Prior, t.Also, t.Support, t.stands} }

// live reports whether output y can be used within factor f: f P(S_y) >= 1.
func (t *Pattern) live(y int, f *big.Rat) bool {
	if len(t.Column[y]) == 0 {
		return false
	}
	mass := new(big.Int).Mul(f.Num(), big.NewInt(t.Mass[y]))
	return mass.Cmp(new(big.Int).Mul(f.Denom(), big.NewInt(t.Prior.Total()))) >= 0
}

// weight is w_xy of the i-th letter of column y; 0 where there are none.
func (t *Pattern) weight(y, i int) float64 {
	if t.weights == nil {
		return 0
	}
	return t.cell[y][i]
}

// Cells is the number of allowed cells.
func (t *Pattern) Cells() int {
	sum := 0
	for _, rows := range t.Column {
		sum += len(rows)
	}
	return sum
}

// EstimateBytes is about the memory that Least and Largest need for a
// support of this many cells: 25 floats per cell, four dense matrices.
func EstimateBytes(inputs, outputs, cells int) int64 {
	n, m, c := int64(inputs), int64(outputs), int64(cells)
	return 8*(25*c+2*n*m+2*n*n+40*(n+m)) + 16*c
}

// optimalBytes and FitCells, which is N M, bound what is given to the
// solver unasked.
const (
	FitCells     = 1 << 20
	optimalBytes = 2 << 30
)

// Fits reports whether an alphabet is small enough for Least and
// Largest to be tried unasked.
func Fits(inputs, outputs int) bool {
	cells := inputs * outputs
	return cells <= FitCells && EstimateBytes(inputs, outputs, cells) <= optimalBytes
}

// Affords reports whether the float solver stays within limit bytes, 0 meaning 4 GiB.
func (t *Pattern) Affords(limit int64) bool {
	return EstimateBytes(len(t.Letter), len(t.Column), t.Cells()) <= cmp.Or(limit, 4<<30)
}

// priors are all under which factors are counted.
func (t *Pattern) priors() []mechanism.Prior { return append([]mechanism.Prior{t.Prior}, t.Also...) }

// FactorOf is the exact factor of m, the largest under any prior; nil where m is no
// mechanism of the support.
func (t *Pattern) FactorOf(m *mechanism.Mechanism) *big.Rat {
	if m == nil || m.Inputs() != t.Support.Inputs() || m.Outputs() != t.Support.Outputs() {
		return nil
	}
	if _, _, ok := m.Within(t.Support); !ok {
		return nil
	}
	return m.Factor(t.priors()...)
}
