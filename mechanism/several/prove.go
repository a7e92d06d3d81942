package several

import (
	"math"
	"math/big"
	"slices"
)

// A proof shows in integers that W.v <= 0 for every column v that output y can
// have within factor T, W being numbers by letter. Such a column is 0 off S_y and
// has v_x <= T q^k(v), q^k(v) = sum_i P^k_i v_i, for every prior k that x is possible
// under. Take Z^gk >= 0 by class g of letters and prior k of it, Z^k the sum over
// g, and n_x = (W_x + T sum_k P^k_x Z^k)^+. Where in every class the n_x add up to
// sum_k Z^gk at the most,
//
//	W.v <= sum_x n_x v_x - T sum_k Z^k q^k(v)
//	    <= sum_g (sum_k Z^gk) T min_k q^k(v) - T sum_k Z^k q^k(v) <= 0.
//
// Z are the prices of a program of floats, rounded; whatever they are, what is
// checked is true.
type proof struct {
	*task
	factor *big.Rat
	common *big.Int   // of the totals
	share  []*big.Int // by prior: T.Num() common / n_k
	unit   *big.Int   // T.Denom() common
}

func (t *task) newProof(f *big.Rat) *proof {
	p := &proof{task: t, factor: f, common: big.NewInt(1)}
	for _, q := range t.prior {
		n := big.NewInt(q.Total())
		g := new(big.Int).GCD(nil, nil, p.common, n)
		p.common.Mul(p.common, n.Quo(n, g))
	}
	for _, q := range t.prior {
		v := new(big.Int).Quo(p.common, big.NewInt(q.Total()))
		p.share = append(p.share, v.Mul(v, f.Num()))
	}
	p.unit = new(big.Int).Mul(f.Denom(), p.common)
	return p
}

// need is n_i times unit.
func (p *proof) need(i int32, weight int64, price []*big.Int) *big.Int {
	v := new(big.Int).Mul(big.NewInt(weight), p.unit)
	term := new(big.Int)
	for k, z := range price {
		if c := p.count[k][i]; c > 0 && z.Sign() > 0 {
			term.Mul(p.share[k], big.NewInt(c))
			v.Add(v, term.Mul(term, z))
		}
	}
	if v.Sign() < 0 {
		v.SetInt64(0)
	}
	return v
}

// holds are prices Z^k by prior with which the proof for output y succeeds, nil
// where it does not: for weights by place in column and the prices of its live
// classes; price is nil where the output is in no program, or is level there.
func (p *proof) holds(y int, weight []int64, of []pair, class []int32, price []int64) []*big.Int {
	rows, out, _ := p.live(y, p.factor)
	at := make(map[int32]int64, len(weight))
	for f, i := range p.column[y] {
		at[i] = weight[f]
	}
	total := make([]*big.Int, len(p.prior))
	for k := range total {
		total[k] = new(big.Int)
	}
	switch {
	case len(rows) == 0:
	case price != nil && len(price) == len(of):
		group := make(map[int32]*big.Int, len(class))
		for _, g := range class {
			group[g] = new(big.Int)
		}
		for f, q := range of {
			z := big.NewInt(price[f])
			total[q.prior].Add(total[q.prior], z)
			group[class[q.class]].Add(group[class[q.class]], z)
		}
		for _, z := range group {
			z.Mul(z, p.unit)
		}
		for _, i := range rows {
			z := group[p.task.class[i]]
			if z == nil || z.Sub(z, p.need(i, at[i], total)).Sign() < 0 {
				return nil
			}
		}
	default:
		if !p.alone(rows, at, total) {
			return nil
		}
	}
	for _, s := range slices.Backward(out) {
		// sum n <= sum (base)^+ + T P(S) Z: with T P(S) < 1 some Z will do.
		base, mass := new(big.Int), int64(0)
		for _, i := range s.row {
			base.Add(base, p.need(i, at[i], total))
			mass += p.count[s.prior][i]
		}
		rest := new(big.Int).Mul(p.share[s.prior], big.NewInt(mass))
		rest.Sub(p.unit, rest)
		if rest.Sign() <= 0 {
			return nil
		}
		z := base.Add(base, rest)
		total[s.prior].Add(total[s.prior], z.Quo(z, rest))
	}
	return total
}

// alone looks for a price under one of the priors, which all rows have that are
// to add something.
func (p *proof) alone(rows []int32, at map[int32]int64, total []*big.Int) bool {
	t := rounded(p.factor)
	for k := range p.prior {
		if slices.ContainsFunc(rows, func(i int32) bool { return p.count[k][i] == 0 && at[i] > 0 }) {
			continue
		}
		// sum (W + T Z P)^+ - Z is convex in Z with its least at 0 or where a
		// term begins.
		best, low := 0.0, math.Inf(1)
		most := 0.0
		value := func(z float64) (v float64) {
			for _, i := range rows {
				v += math.Max(0, float64(at[i])+t*z*p.chance[k][i])
			}
			return v - z
		}
		for _, i := range rows {
			if p.count[k][i] == 0 {
				continue
			}
			z := math.Max(0, -float64(at[i])/(t*p.chance[k][i]))
			most = math.Max(most, z)
			if v := value(z); v < low {
				best, low = z, v
			}
		}
		for _, z := range []float64{best, math.Ceil(most) + 1} {
			if !(z < 0x1p200) {
				continue
			}
			whole, _ := big.NewFloat(math.Ceil(z)).Int(nil)
			total[k].Set(whole)
			left := new(big.Int).Mul(whole, p.unit)
			for _, i := range rows {
				left.Sub(left, p.need(i, at[i], total))
			}
			if left.Sign() >= 0 {
				return true
			}
			total[k].SetInt64(0)
		}
	}
	return false
}
