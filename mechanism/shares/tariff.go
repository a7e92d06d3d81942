package shares

import (
	"cmp"
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism/interior"
)

// A tariff holds what prices make of every output, for many factors, in floats:
// the gains w_xy - A_x of its letters by falling size with their prefix sums.
type tariff struct {
	base  float64   // sum P_x A_x
	share []float64 // pi_y
	gain  [][]float64
	mass  [][]float64 // prefix sums of P_x, that of the entry included
	sum   [][]float64 // prefix sums of P_x gain, that of the entry included
}

func (k *task) tariff(price []float64) *tariff {
	n := float64(k.Prior.Total())
	m := len(k.Column)
	t := &tariff{share: make([]float64, m), gain: make([][]float64, m), mass: make([][]float64, m),
		sum: make([][]float64, m)}
	for i, a := range price {
		t.base += float64(k.Count[i]) / n * a
	}
	var items []interior.Item[float64]
	for y, rows := range k.Column {
		t.share[y] = float64(k.share[y]) / n
		items = items[:0]
		for f, i := range rows {
			items = append(items, interior.Item[float64]{Gain: k.weight(y, f) - price[i], Mass: float64(k.Count[i]) / n})
		}
		interior.Greedy(items)
		mass, sum := 0.0, 0.0
		for _, v := range items {
			mass += v.Mass
			sum += v.Mass * v.Gain
			t.gain[y], t.mass[y], t.sum[y] = append(t.gain[y], v.Gain), append(t.mass[y], mass), append(t.sum[y], sum)
		}
	}
	return t
}

// worth is the most that a lift of output y comes to at a factor; -Inf where the
// output cannot be used.
func (t *tariff) worth(y int, factor float64) float64 {
	mass, full := t.mass[y], 1/factor
	if len(mass) == 0 || mass[len(mass)-1] < full*(1-1e-12) {
		return math.Inf(-1)
	}
	f, _ := slices.BinarySearch(mass, full)
	if f = min(f, len(mass)-1); f == 0 {
		return t.gain[y][0]
	}
	return factor * (t.sum[y][f-1] + (full-mass[f-1])*t.gain[y][f])
}

// bound is sum P_x A_x + c + sum pi_y s_y + most limit at a factor, the base c
// being the best: a bound of weight, up to rounding. A limit below 0 stands for
// none: then no s_y is above 1, and its negative bounds a shift.
func (t *tariff) bound(factor, limit float64) float64 {
	worth := make([]float64, len(t.gain))
	var used []int
	for y := range worth {
		if worth[y] = t.worth(y, factor); !math.IsInf(worth[y], -1) {
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
	sum := t.base + c
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
