package optimum

import (
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism/interior"
)

// bound is the upper bound of the utility within factor t that prices prove
// (see Worth): for every output with t P(S_y) >= 1 the letters by falling
// w_xy - A_x get v = t until P.v reaches 1.
func (l *Weighing) bound(t *big.Rat, price []int64, s int) *big.Rat {
	n := l.Prior.Total()
	num, den := t.Num(), t.Denom()
	// t C <= n exactly when C <= full.
	full := new(big.Int).Quo(new(big.Int).Mul(big.NewInt(n), den), num)
	whole := int64(math.MaxInt64)
	if full.IsInt64() {
		whole = full.Int64()
	}
	exact := new(big.Int).Mul(new(big.Int).Set(full), num).Cmp(new(big.Int).Mul(big.NewInt(n), den)) == 0
	var items []interior.Item[int64]
	var best *big.Int // of den n (kappa_y 2^s) = num sum + (den n - num C) gain_f
	tf, _ := t.Float64()
	near := math.Inf(-1)
	for y, rows := range l.Column {
		if len(rows) == 0 || l.Mass[y] < whole || l.Mass[y] == whole && !exact {
			continue
		}
		items = items[:0]
		for k, i := range rows {
			items = append(items, interior.Item[int64]{Gain: up(l.Cell[y][k], s) - price[l.Letter[i]],
				Mass: l.Count[i]})
		}
		interior.Greedy(items)
		var sum signed
		c, last := int64(0), int64(0)
		for _, v := range items {
			last = v.Gain
			if v.Mass > whole-c {
				break
			}
			sum.add(v.Mass, v.Gain)
			c += v.Mass
		}
		head := sum.float()
		f := tf*head + (float64(n)-tf*float64(c))*float64(last)
		if f < near-1e-9*(math.Abs(tf*head)+float64(n)*math.Abs(float64(last))) {
			continue
		}
		near = math.Max(near, f)
		v := new(big.Int).Mul(num, sum.big())
		rest := new(big.Int).Mul(den, big.NewInt(n))
		rest.Sub(rest, new(big.Int).Mul(num, big.NewInt(c)))
		v.Add(v, rest.Mul(rest, big.NewInt(last)))
		if best == nil || v.Cmp(best) > 0 {
			best = v
		}
	}
	if best == nil {
		return l.Ceiling()
	}
	var sum signed
	for i, x := range l.Letter {
		sum.add(l.Count[i], price[x])
	}
	total := new(big.Rat).SetFrac(best, den)
	total.Add(total, new(big.Rat).SetInt(sum.big()))
	return total.Mul(total, l.unit(big.NewInt(1), s))
}

// prices rounds A_i, by place in letter, to integers at the largest shift
// that holds them and the weights; nil when one is not finite.
func (l *Weighing) prices(a []float64) (price []int64, s int) {
	top := l.Top
	for _, v := range a {
		if math.IsNaN(v) || math.Abs(v) > 1e150 {
			return nil, 0
		}
		top = math.Max(top, math.Abs(v))
	}
	s = Scale(top)
	price = make([]int64, l.Prior.Letters())
	for i, x := range l.Letter {
		price[x] = int64(math.Ldexp(a[i], s))
	}
	return price, s
}

// bounded lowers the upper bound of the utility by what prices prove.
func (o *largestSearch) bounded(a []float64) {
	price, s := o.w.prices(a)
	if price == nil {
		return
	}
	o.price = a
	if b := o.w.bound(o.factor, price, s); b.Cmp(o.worth.Upper) < 0 {
		o.worth.Upper, o.worth.Price, o.worth.Shift = b, price, s
	}
}

// A Tariff holds what prices make of every output, for many factors, in floats: the
// gains w_xy - A_x of its letters by falling size with their prefix sums.
type Tariff struct {
	Base  float64 // sum P_x A_x
	start []int   // where an output's entries begin
	gain  []float64
	mass  []float64 // prefix sums of P_x, that of the entry included
	sum   []float64 // prefix sums of P_x gain, that of the entry included
}

// Tariff takes prices by place in letter, and the weight of the k-th letter of output y.
func (t *Pattern) Tariff(price []float64, weight func(y, k int) float64) *Tariff {
	n := float64(t.Prior.Total())
	f := &Tariff{start: []int{0}}
	for i, a := range price {
		f.Base += float64(t.Count[i]) / n * a
	}
	var items []interior.Item[float64]
	for y, rows := range t.Column {
		items = items[:0]
		for k, i := range rows {
			items = append(items, interior.Item[float64]{Gain: weight(y, k) - price[i], Mass: float64(t.Count[i]) / n})
		}
		interior.Greedy(items)
		mass, sum := 0.0, 0.0
		for _, v := range items {
			mass += v.Mass
			sum += v.Mass * v.Gain
			f.gain, f.mass, f.sum = append(f.gain, v.Gain), append(f.mass, mass), append(f.sum, sum)
		}
		f.start = append(f.start, len(f.gain))
	}
	return f
}

// tariff is that of these weights.
func (l *Weighing) tariff(price []float64) *Tariff {
	return l.Tariff(price, func(y, k int) float64 { return l.Cell[y][k] })
}

// Worth is the most that a column v of output y comes to at a factor; -Inf where the
// output cannot be used.
func (t *Tariff) Worth(y int, factor float64) float64 {
	from, full := t.start[y], 1/factor
	mass := t.mass[from:t.start[y+1]]
	if len(mass) == 0 || mass[len(mass)-1] < full*(1-1e-12) {
		return math.Inf(-1)
	}
	f, _ := slices.BinarySearch(mass, full)
	if f = min(f, len(mass)-1); f == 0 {
		return t.gain[from]
	}
	return factor * (t.sum[from+f-1] + (full-mass[f-1])*t.gain[from+f])
}

// bound is the utility that no mechanism of the factor exceeds, up to
// roundings: see Worth.
func (t *Tariff) bound(factor float64) float64 {
	most := math.Inf(-1)
	for y := range t.start[1:] {
		most = math.Max(most, t.Worth(y, factor))
	}
	return t.Base + most
}

// slope is the growth of the largest utility with the factor where output y
// occurs with probability law[y] and these prices are the best.
func (t *Tariff) slope(factor float64, law []float64) float64 {
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
func (t *Tariff) needed(goal, low, high float64) float64 {
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
