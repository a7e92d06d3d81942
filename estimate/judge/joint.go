package judge

import (
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
)

// Limits of an exact joint leakage: combinations of outputs, steps, and exact
// comparisons times cells.
const (
	jointOutputs = 1 << 24
	jointSteps   = 1 << 29
	jointTies    = 1 << 22
)

// A Cell is a combination of letters, one per column, and how many records
// hold it.
type Cell struct {
	Letter []int32
	Count  int64
}

// A Joint is the leakage of several columns of one record together, each
// redrawn by its own mechanism: the largest factor by which all outputs of a
// record multiply the chance of any guess of all its letters. The sum of the
// columns' own leakages does not bound it, nor do pairs bound three.
type Joint struct {
	Factor *big.Rat
	Exact  bool    // else Factor is only a bound
	Output []int32 // that reach it; nil where the bound is one over the smallest cell's share
}

// NewJoint computes it from the counts of all combinations that occur. Where
// the combinations of outputs or the steps are too many, the bound is that of
// any mechanism at all: no observation says more than the record itself
// [Saeidian et al. 2023, l <= -log P_min].
func NewJoint(m []*mechanism.Mechanism, cells []Cell) Joint {
	n, least := int64(0), int64(math.MaxInt64)
	for _, c := range cells {
		n, least = n+c.Count, min(least, c.Count)
	}
	if n == 0 {
		return Joint{Factor: big.NewRat(1, 1), Exact: true}
	}
	bound := Joint{Factor: big.NewRat(n, least)}
	outputs, steps := 1, 0
	for _, k := range m {
		if outputs > jointOutputs/max(1, k.Outputs()) {
			return bound
		}
		outputs *= k.Outputs()
	}
	for _, c := range cells {
		ways := 1
		for i, x := range c.Letter {
			ways *= len(m[i].Row(int(x)).Output)
		}
		if steps += ways; steps > jointSteps {
			return bound
		}
	}
	mass, most := spread(m, cells, outputs)
	highest := 0.0
	for at, v := range most {
		if v > 0 {
			highest = max(highest, v/mass[at])
		}
	}
	// Floats choose the combinations that may be the largest, fractions decide.
	// A sum of positive numbers is off by its number of terms at most.
	rounding := 1e-12 + 4e-16*float64(len(cells)+4*len(m))
	best := Joint{Exact: true, Factor: new(big.Rat)}
	tried := 0
	for at, v := range most {
		if v == 0 || v/mass[at] < highest*(1-rounding) {
			continue
		}
		if tried++; tried > 1 && tried > jointTies/len(cells) {
			if f := new(big.Rat).SetFloat64(highest * float64(n) * (1 + rounding)); f.Cmp(bound.Factor) < 0 {
				bound.Factor = f
			}
			bound.Output = best.Output
			return bound
		}
		output := place(m, at)
		if f := factor(m, cells, output, n); f.Cmp(best.Factor) > 0 {
			best.Factor, best.Output = f, output
		}
	}
	return best
}

// spread adds up, for every combination of outputs, the records that give it and the
// largest chance of any cell to do so.
func spread(m []*mechanism.Mechanism, cells []Cell, outputs int) (mass, most []float64) {
	mass, most = make([]float64, outputs), make([]float64, outputs)
	chances := make([][][]float64, len(m)) // by column, letter and place in its row
	for i, k := range m {
		for x := range k.Inputs() {
			r := k.Row(x)
			own := make([]float64, len(r.Output))
			for j := range own {
				own[j] = float64(r.At(j)) / float64(r.Total)
			}
			chances[i] = append(chances[i], own)
		}
	}
	var visit func(c *Cell, column, at int, p float64)
	visit = func(c *Cell, column, at int, p float64) {
		if column == len(m) {
			mass[at] += float64(c.Count) * p
			most[at] = max(most[at], p)
			return
		}
		x := c.Letter[column]
		for j, y := range m[column].Row(int(x)).Output {
			visit(c, column+1, at*m[column].Outputs()+int(y), p*chances[column][x][j])
		}
	}
	for i := range cells {
		visit(&cells[i], 0, 0, 1)
	}
	return mass, most
}

// A Guess is a combination of letters, and the factor by which outputs change
// its chance.
type Guess struct {
	Cell
	Factor *big.Rat
}

// Explain lists the combinations of letters that the outputs of j make
// likelier the most, at most k of them, by factor.
func (j Joint) Explain(m []*mechanism.Mechanism, cells []Cell, k int) []Guess {
	if j.Output == nil {
		return nil
	}
	var all []Guess
	n, sum := int64(0), new(big.Rat)
	for _, c := range cells {
		n += c.Count
		if p := chance(m, c.Letter, j.Output); p.Sign() > 0 {
			all = append(all, Guess{c, p})
			sum.Add(sum, new(big.Rat).Mul(p, big.NewRat(c.Count, 1)))
		}
	}
	slices.SortStableFunc(all, func(a, b Guess) int { return b.Factor.Cmp(a.Factor) })
	all = all[:min(k, len(all))]
	for _, g := range all {
		g.Factor.Quo(g.Factor.Mul(g.Factor, big.NewRat(n, 1)), sum)
	}
	return all
}

// place is the combination of outputs that stands at place at.
func place(m []*mechanism.Mechanism, at int) []int32 {
	output := make([]int32, len(m))
	for i := len(m) - 1; i >= 0; i-- {
		output[i] = int32(at % m[i].Outputs())
		at /= m[i].Outputs()
	}
	return output
}

// factor is n max p / sum c p, exactly.
func factor(m []*mechanism.Mechanism, cells []Cell, output []int32, n int64) *big.Rat {
	sum, most := new(big.Rat), new(big.Rat)
	for _, c := range cells {
		p := chance(m, c.Letter, output)
		if p.Cmp(most) > 0 {
			most.Set(p)
		}
		sum.Add(sum, p.Mul(p, big.NewRat(c.Count, 1)))
	}
	return most.Quo(most.Mul(most, big.NewRat(n, 1)), sum)
}

// chance is the product of p_xy over the columns.
func chance(m []*mechanism.Mechanism, letter, output []int32) *big.Rat {
	p := big.NewRat(1, 1)
	for i, x := range letter {
		r := m[i].Row(int(x))
		at, ok := slices.BinarySearch(r.Output, uint16(output[i]))
		if !ok {
			return new(big.Rat)
		}
		p.Mul(p, big.NewRat(r.At(at), r.Total))
	}
	return p
}
