package optimum

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/interior"
)

// A Proof bounds what no mechanism of a support within a factor passes, see the package. All
// its numbers are in units of 2^-Scale, and any numbers prove something: kappa_y is at
// most m + t sum_x P_x (w_xy - A_x - m)^+ for any level m, since
// w_xy - A_x <= m + (w_xy - A_x - m)^+ and P.v = 1, v <= t.
type Proof struct {
	Price []int64 // A_x, by letter
	Level []int64 // m, by output
	Base  int64   // c
	Scale int
}

// numberLimit bounds prices, levels and weights in units of 2^-Scale, so that
// their differences fit an int64.
const numberLimit = int64(1) << 60

var errProof = errors.New("proof: it does not suit the problem")

// Shift is the least shift that any mechanism within factor t has, as far as the
// proof goes. It fails on a proof of another problem, and on one for which an
// output is worth more than 1.
func (f *Proof) Shift(g Problem, t *big.Rat) (*big.Rat, error) {
	sum, most, err := f.sum(g, t, nil)
	if err != nil {
		return nil, err
	}
	if most.Cmp(one) > 0 {
		return nil, fmt.Errorf("proof: an output is worth %s, and 1 is the most", most.FloatString(12))
	}
	return sum.Neg(sum), nil
}

// Weight is the largest expected weight of any mechanism within factor t and the
// shift limit, nil for none, as far as the proof goes.
func (f *Proof) Weight(g Problem, t, limit *big.Rat, w mechanism.Weights) (*big.Rat, error) {
	if limit == nil { // no shift is above 1
		g.Stands, limit = nil, one
	}
	sum, most, err := f.sum(g, t, w)
	if err != nil {
		return nil, err
	}
	most.Mul(most, limit)
	return sum.Add(sum, most), nil
}

// sum is sum_x P_x A_x + c + sum_y pi_y s_y, and most the largest s_y.
func (f *Proof) sum(g Problem, t *big.Rat, w mechanism.Weights) (sum, most *big.Rat, err error) {
	n, m := g.Support.Inputs(), g.Support.Outputs()
	if f == nil || len(f.Price) != n || len(f.Level) != m || g.Prior.Letters() != n || g.Prior.Total() == 0 {
		return nil, nil, errProof
	}
	if f.Scale < -1000 || f.Scale > 1000 || !within(f.Base) {
		return nil, nil, errProof
	}
	if g.Stands != nil {
		if _, err := mechanism.StandsFor(n, m, g.Stands); err != nil {
			return nil, nil, err
		}
	}
	total := new(big.Int)
	over := make([]big.Int, m) // sum_x c_x (w_xy - A_x - level)^+
	value := make([]float64, m)
	var output []uint16
	var count, v big.Int
	for x, a := range f.Price {
		if !within(a) {
			return nil, nil, errProof
		}
		if g.Prior.Count(x) == 0 {
			continue
		}
		count.SetInt64(g.Prior.Count(x))
		total.Add(total, v.Mul(&count, v.SetInt64(a)))
		if w != nil {
			w(x, value)
		}
		output = g.Support.AppendRow(output[:0], x)
		for _, y := range output {
			worth := math.Ceil(math.Ldexp(value[y], f.Scale))
			if !(math.Abs(worth) <= float64(numberLimit)) || !within(f.Level[y]) {
				return nil, nil, errProof
			}
			if gain := int64(worth) - a; gain > f.Level[y] {
				over[y].Add(&over[y], v.Mul(&count, v.SetInt64(gain-f.Level[y])))
			}
		}
	}
	// In units of 2^-Scale / (d n^2), t being r/d.
	r, d, all := t.Num(), t.Denom(), big.NewInt(g.Prior.Total())
	unit := new(big.Int).Mul(d, all) // of s_y
	sumInt := new(big.Int).Mul(total, unit)
	sumInt.Add(sumInt, v.Mul(unit, all).Mul(&v, big.NewInt(f.Base)))
	mostInt := new(big.Int)
	for y, mass := range g.Support.Mass(g.Prior) {
		if mass == 0 || v.Mul(r, big.NewInt(mass)).Cmp(unit) < 0 {
			continue
		}
		s := over[y].Mul(&over[y], r)
		s.Add(s, v.Mul(unit, v.SetInt64(f.Level[y]-f.Base)))
		if s.Sign() <= 0 {
			continue
		}
		if s.Cmp(mostInt) > 0 {
			mostInt.Set(s)
		}
		if g.Stands != nil && g.Stands[y] >= 0 {
			sumInt.Add(sumInt, v.Mul(s, big.NewInt(g.Prior.Count(g.Stands[y]))))
		}
	}
	scale := power(-f.Scale)
	sum = new(big.Rat).SetFrac(sumInt, new(big.Int).Mul(unit, all))
	most = new(big.Rat).SetFrac(mostInt, unit)
	return sum.Mul(sum, scale), most.Mul(most, scale), nil
}

func within(v int64) bool { return v >= -numberLimit && v <= numberLimit }

// proof makes one of prices in floats, by place in letter: levels are the gains
// at which the columns of factor t are full, and the base is the best for a shift, or for a
// weight within the limit of it, nil for none. It is nil where numbers are too large.
func (k *Pattern) proof(price []float64, t, limit *big.Rat) *Proof {
	top := 1.0 // an output is worth at most that where the shift is made least
	if k.weights != nil {
		top = k.top
	}
	for _, a := range price {
		if math.IsNaN(a) || math.Abs(a) > 1e150 {
			return nil
		}
		top = math.Max(top, math.Abs(a))
	}
	f := &Proof{Price: make([]int64, k.Prior.Letters()), Level: make([]int64, len(k.Column)), Scale: Scale(2 * top)}
	for i, x := range k.Letter {
		f.Price[x] = int64(math.Ldexp(price[i], f.Scale))
	}
	n := k.Prior.Total()
	full, tf := math.Ceil(float64(n)/rounded(t)), rounded(t)
	worth := make([]float64, len(k.Column)) // kappa_y in units
	var items []interior.Item[int64]
	var used []int
	for y, rows := range k.Column {
		if !k.live(y, t) {
			continue
		}
		items = items[:0]
		for i, j := range rows {
			gain := int64(math.Ceil(math.Ldexp(k.weight(y, i), f.Scale))) - f.Price[k.Letter[j]]
			items = append(items, interior.Item[int64]{Gain: gain, Mass: k.Count[j]})
		}
		interior.Greedy(items)
		mass := 0.0
		for _, v := range items {
			f.Level[y] = v.Gain
			if mass += float64(v.Mass); mass >= full {
				break
			}
		}
		over := 0.0
		for _, v := range items {
			if v.Gain <= f.Level[y] {
				break
			}
			over += float64(v.Mass) / float64(n) * float64(v.Gain-f.Level[y])
		}
		worth[y] = float64(f.Level[y]) + tf*over
		used = append(used, y)
	}
	if len(used) == 0 {
		return nil
	}
	slices.SortFunc(used, func(a, b int) int {
		switch {
		case worth[a] > worth[b]:
			return -1
		case worth[a] < worth[b]:
			return 1
		}
		return a - b
	})
	base := worth[used[0]] - math.Ldexp(1, f.Scale)
	if k.weights != nil && limit == nil {
		base = worth[used[0]]
	} else if limit != nil {
		mass := rounded(limit)
		for _, y := range used {
			base = worth[y]
			if mass += float64(k.share[y]) / float64(n); mass > 1 {
				break
			}
		}
	}
	if !(math.Abs(base) <= float64(numberLimit)) {
		return nil
	}
	f.Base = int64(math.Ceil(base))
	return f
}

// provenShift is the bound of a shift that prices prove, nil where they prove
// none.
func (k *Pattern) provenShift(price []float64, t *big.Rat) (*Proof, *big.Rat) {
	f := k.proof(price, t, nil)
	if f == nil {
		return nil, nil
	}
	if _, most, err := f.sum(k.problem(), t, nil); err == nil && most.Cmp(one) > 0 {
		// What floats left above 1 is taken off again.
		above := most.Sub(most, one).Mul(most, power(f.Scale))
		f.Base += new(big.Int).Quo(above.Num(), above.Denom()).Int64() + 1
	}
	v, err := f.Shift(k.problem(), t)
	if err != nil {
		return nil, nil
	}
	return f, v
}

// atLeast fails where less was proven than claimed.
func atLeast(proven, claimed *big.Rat) error {
	if claimed == nil || claimed.Cmp(proven) > 0 {
		return fmt.Errorf("proof: %s is claimed, and %s proven", text(claimed), text(proven))
	}
	return nil
}

func text(v *big.Rat) string {
	if v == nil {
		return "nothing"
	}
	return v.FloatString(12)
}
