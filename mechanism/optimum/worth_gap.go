package optimum

import (
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
)

// gap is Upper - Value in shares of the range of the weights that s allows to
// letters with records. What is below 1e-12 of the largest weight is rounding.
func (v *Worth) Gap(p mechanism.Prior, s *mechanism.Support, w mechanism.Weights) float64 {
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
