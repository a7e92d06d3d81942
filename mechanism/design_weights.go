package mechanism

import (
	"math"
	"math/big"
)

// MatchWeights count the records that keep their letter: 1 where output y is
// same[x], 0 elsewhere; same[x] is -1 where letter x is no output. Their
// expected value is the share of records that stay unchanged.
func MatchWeights(same []int) Weights {
	return func(x int, row []float64) {
		clear(row)
		if y := same[x]; y >= 0 {
			row[y] = 1
		}
	}
}

// gap is Upper - Value in shares of the range of the weights that s allows to
// letters with records. What is below 1e-12 of the largest weight is rounding.
func (v *Worth) gap(p Prior, s *Support, w Weights) float64 {
	open, _ := new(big.Rat).Sub(v.Upper, v.Value).Float64()
	low, high := math.Inf(1), math.Inf(-1)
	row := make([]float64, s.Outputs())
	for x := range s.Inputs() {
		if p.Count(x) == 0 {
			continue
		}
		w(x, row)
		for y, k := range row {
			if s.Allowed(x, y) {
				low, high = min(low, k), max(high, k)
			}
		}
	}
	if open <= 1e-12*max(math.Abs(low), math.Abs(high)) || !(low < high) {
		return 0
	}
	return open / (high - low)
}
