package optimum

import (
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
)

// LowerBound is a factor that no mechanism with this support goes below: some
// letter x must give an output of B_x, and output y leaks at least 1/P(S_y)
// [SO, Lemma 2], so max over x with records of min over B_x of 1/P(S_y). It is
// 1 where some output is allowed for every letter. Under further priors an
// output leaks at least the most of 1/P(S_y) under any for which the letter
// has records.
func LowerBound(p mechanism.Prior, s *mechanism.Support, also ...mechanism.Prior) (*big.Rat, error) {
	// A letter without records under a prior may use a column that the others leave
	// alone, so that only the priors of the letter itself count.
	prior := append([]mechanism.Prior{p}, also...)
	if x := s.Empty(); x >= 0 {
		return nil, &mechanism.NoOutputError{Letter: x}
	}
	mass := make([][]int64, len(prior))
	for k, p := range prior {
		mass[k] = s.Mass(p)
	}
	bound := fraction{1, 1}
	var row []uint16
	for x := range s.Inputs() {
		var least fraction
		if p := s.Parts(); p != nil {
			row = p.Row(x)[:1] // the letters that give it are those that give the others
		} else {
			row = s.AppendRow(row[:0], x)
		}
		for i, y := range row {
			cost := fraction{1, 1}
			for k, p := range prior {
				if p.Count(x) > 0 {
					if c := (fraction{p.Total(), mass[k][y]}); cost.less(c) {
						cost = c
					}
				}
			}
			if i == 0 || cost.less(least) {
				least = cost
			}
		}
		if bound.less(least) {
			bound = least
		}
	}
	return big.NewRat(bound.num, bound.den), nil
}

// A fraction of positive counts.
type fraction struct{ num, den int64 }

func (f fraction) less(g fraction) bool { return product(f.num, g.den).less(product(g.num, f.den)) }

// UtilityBound is at least the expected utility of every mechanism with this support and
// factor: the least of what is proven by prices a_x between the mean of the best allowed
// utilities and the best of each row. Orders too large for the optimum get only the
// expectation of the latter, up to floating-point rounding, which is allowed for.
func UtilityBound(p mechanism.Prior, o mechanism.Order, s *mechanism.Support, factor *big.Rat) float64 {
	if p.Total() == 0 {
		return 0
	}
	best := bestOf(o, s)
	var mean mechanism.Sum
	magnitude, price := 0.0, make([]float64, 0, s.Inputs())
	for x, c := range p.Counts() {
		if c > 0 {
			v := best(x)
			price = append(price, v)
			magnitude = max(magnitude, math.Abs(v))
			mean.Add(float64(c) / float64(p.Total()) * v)
		}
	}
	bound := mean.Value() + 1e-12*magnitude
	if s.Inputs()*s.Outputs() > FitCells {
		return bound
	}
	k, err := patternOf(Problem{Prior: p, Support: s}, mechanism.ValueWeights(o))
	if err != nil {
		return bound
	}
	part := make([]float64, len(price))
	for _, share := range []float64{0, .5, .8, .95} {
		for i, v := range price {
			part[i] = mean.Value() + share*(v-mean.Value())
		}
		f := k.proof(part, factor, nil)
		if v, err := f.Weight(k.problem(), factor, nil, k.weights); err == nil {
			bound = min(bound, mechanism.FloatUp(v))
		}
	}
	return bound
}

// bestOf is the best utility that a support allows a letter. In orders too large for a table
// a floor allows each letter its best.
func bestOf(o mechanism.Order, s *mechanism.Support) func(x int) float64 {
	if large := s.Inputs()*s.Outputs() > FitCells; large {
		if t, ok := o.(*mechanism.Tree); ok {
			return t.Best
		}
		if near, ok := o.(mechanism.Nearby); ok {
			return func(x int) float64 { return near.Value(x, int(near.Best(x, 1)[0])) }
		}
	}
	value, row := make([]float64, s.Outputs()), []uint16(nil)
	return func(x int) float64 {
		o.Row(x, nil, value)
		row = s.AppendRow(row[:0], x)
		best := math.Inf(-1)
		for _, y := range row {
			best = max(best, value[y])
		}
		return best
	}
}
