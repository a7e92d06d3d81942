package optimum

import (
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism/interior"
)

// A tariff holds what prices make of every output, for many factors: the gains
// w_xy - A_x of its letters by falling size with their prefix sums.
type tariff struct {
	base  float64 // sum P_x A_x
	start []int   // where an output's entries begin
	gain  []float64
	mass  []float64 // prefix sums of P_x, that of the entry included
	sum   []float64 // prefix sums of P_x gain, that of the entry included
}

func (l *ledger) tariff(price []float64) *tariff {
	n := float64(l.Prior.Total())
	t := &tariff{start: []int{0}}
	for i, a := range price {
		t.base += float64(l.Count[i]) / n * a
	}
	var items []interior.Item[float64]
	for y, rows := range l.Column {
		items = items[:0]
		for k, i := range rows {
			items = append(items, interior.Item[float64]{Gain: l.cell[y][k] - price[i], Mass: float64(l.Count[i]) / n})
		}
		interior.Greedy(items)
		mass, sum := 0.0, 0.0
		for _, v := range items {
			mass += v.Mass
			sum += v.Mass * v.Gain
			t.gain, t.mass, t.sum = append(t.gain, v.Gain), append(t.mass, mass), append(t.sum, sum)
		}
		t.start = append(t.start, len(t.gain))
	}
	return t
}

// bound is the utility that no mechanism of the factor exceeds, up to
// roundings: see Worth.
func (t *tariff) bound(factor float64) float64 {
	most := math.Inf(-1)
	full := 1 / factor
	for y, from := range t.start[:len(t.start)-1] {
		mass := t.mass[from:t.start[y+1]]
		if len(mass) == 0 || mass[len(mass)-1] < full*(1-1e-12) {
			continue
		}
		f, _ := slices.BinarySearch(mass, full)
		f = min(f, len(mass)-1)
		before := 0.0
		if f > 0 {
			before = mass[f-1]
			most = math.Max(most, factor*(t.sum[from+f-1]+(full-before)*t.gain[from+f]))
			continue
		}
		most = math.Max(most, t.gain[from])
	}
	return t.base + most
}

// slope is the growth of the largest utility with the factor where output y
// occurs with probability law[y] and these prices are the best.
func (t *tariff) slope(factor float64, law []float64) float64 {
	sum := 0.0
	for y, from := range t.start[:len(t.start)-1] {
		mass := t.mass[from:t.start[y+1]]
		if f, _ := slices.BinarySearch(mass, 1/factor); f > 0 && f < len(mass) {
			sum += law[y] * (t.sum[from+f-1] - mass[f-1]*t.gain[from+f])
		}
	}
	return sum
}

// needed is the least factor of low..high at which the prices leave the goal
// possible.
func (t *tariff) needed(goal, low, high float64) float64 {
	for range 60 {
		mid := math.Sqrt(low * high)
		if !(mid > low && mid < high) || t.bound(low) >= goal {
			break
		}
		if t.bound(mid) >= goal {
			high = mid
		} else {
			low = mid
		}
	}
	return low
}
