package shares

import (
	"cmp"
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// A tariff is one of optimum, with the shares that outputs are to have.
type tariff struct {
	*optimum.Tariff
	share []float64 // pi_y
}

func (k *task) tariff(price []float64) *tariff {
	t := &tariff{k.Tariff(price, k.weight), make([]float64, len(k.share))}
	for y, c := range k.share {
		t.share[y] = float64(c) / float64(k.Prior.Total())
	}
	return t
}

// bound is sum P_x A_x + c + sum pi_y s_y + most limit at a factor, the base c
// being the best: a bound of weight, up to rounding. A limit below 0 stands for
// none: then no s_y is above 1, and its negative bounds a shift.
func (t *tariff) bound(factor, limit float64) float64 {
	worth := make([]float64, len(t.share))
	var used []int
	for y := range worth {
		if worth[y] = t.Worth(y, factor); !math.IsInf(worth[y], -1) {
			used = append(used, y)
		}
	}
	if len(used) == 0 {
		return math.Inf(-1)
	}
	slices.SortFunc(used, func(a, b int) int { return cmp.Compare(worth[b], worth[a]) })
	c := worth[used[0]] - 1
	if limit >= 0 {
		mass := limit
		for _, y := range used {
			if c = worth[y]; mass+t.share[y] > 1 {
				break
			}
			mass += t.share[y]
		}
	}
	sum := t.Base + c
	for _, y := range used {
		sum += t.share[y] * math.Max(0, worth[y]-c)
	}
	if limit >= 0 {
		sum += limit * math.Max(0, worth[used[0]]-c)
	}
	return sum
}

// crossing is the largest factor of low..high at which the bound stays below the
// goal; low where none is.
func (t *tariff) crossing(limit, goal, low, high float64) float64 {
	if !(t.bound(high, limit) >= goal) {
		return high
	}
	for range 60 {
		mid := math.Sqrt(low * high)
		if !(mid > low && mid < high) {
			break
		}
		if t.bound(mid, limit) < goal {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}
