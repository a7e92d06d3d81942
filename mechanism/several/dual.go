package several

import (
	"fmt"
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// A Dual proves that no mechanism of a support has a factor of Lower or less
// under all priors at once. With T = Lower, take for output y its prices Z^k and
// n_x = (W_x + T sum_k P^k_x Z^k)^+ for the letters of S_y. Where for every set A of
// priors the n_x of the letters that are possible under none but these add up to
// sum over A of Z^k at the most, the n_x can be dealt out to priors of their
// letters without any Z^k being passed, and for every column v of factor T
//
//	W.v <= sum_x n_x v_x - T sum_k Z^k q^k(v) <= 0.
//
// Rows that sum to 1 would give sum_x W_x, which is more than 0.
type Dual struct {
	Weight []int64      // W_x by letter, 0 where no prior has the letter
	Price  [][]*big.Int // Z^k >= 0 by output and prior, the first one first
	Lower  *big.Rat
}

// maxPriors is the most priors of which a dual looks at every set.
const maxPriors = 8

// Verify recomputes in exact arithmetic what the dual claims of the least factor
// under p and also.
func (d *Dual) Verify(p mechanism.Prior, also []mechanism.Prior, s *mechanism.Support) error {
	t := newTask(p, also, s)
	switch {
	case d.Lower == nil || d.Lower.Sign() <= 0:
		return fmt.Errorf("dual: no lower bound")
	case len(t.prior) != 1+len(also) || len(t.prior) > maxPriors:
		return fmt.Errorf("dual: a prior has no records, or there are more than %d", maxPriors)
	case len(d.Weight) != s.Inputs() || len(d.Price) != s.Outputs():
		return fmt.Errorf("dual: %d weights and %d prices for %d letters and %d outputs", len(d.Weight), len(d.Price),
			s.Inputs(), s.Outputs())
	}
	sum, weight := new(big.Int), make([]int64, len(t.letter))
	for i, x := range t.letter {
		weight[i] = d.Weight[x]
		sum.Add(sum, big.NewInt(weight[i]))
	}
	if sum.Sign() <= 0 {
		return fmt.Errorf("dual: the weights do not add up to more than 0")
	}
	proof := t.newProof(d.Lower)
	for y, price := range d.Price {
		if len(t.column[y]) > 0 && !proof.priced(y, weight, price) {
			return fmt.Errorf("dual: the prices of output %d do not prove that no mechanism has factor %s", y,
				d.Lower.RatString())
		}
	}
	return nil
}

// priced reports whether these prices prove that output y adds nothing above 0.
func (p *proof) priced(y int, weight []int64, price []*big.Int) bool {
	if len(price) != len(p.prior) {
		return false
	}
	for _, z := range price {
		if z == nil || z.Sign() < 0 {
			return false
		}
	}
	need := make([]*big.Int, len(p.under))
	for c := range need {
		need[c] = new(big.Int)
	}
	for _, i := range p.column[y] {
		c := p.class[i]
		need[c].Add(need[c], p.need(i, weight[i], price))
	}
	left := new(big.Int)
	for set := 1; set < 1<<len(p.prior); set++ {
		left.SetInt64(0)
		for k, z := range price {
			if set>>k&1 == 1 {
				left.Add(left, z)
			}
		}
		left.Mul(left, p.unit)
		for c, under := range p.under {
			inside := true
			for _, k := range under {
				inside = inside && set>>k&1 == 1
			}
			if inside {
				left.Sub(left, need[c])
			}
		}
		if left.Sign() < 0 {
			return false
		}
	}
	return true
}

// dual is the proof of f with these weights by place in letter and prices by
// output; nil where it fails.
func (l *leastSearch) dual(f *big.Rat, weight []int64, price [][]*big.Int) *Dual {
	if len(l.prior) != len(l.all) {
		return nil
	}
	d := &Dual{Weight: make([]int64, l.support.Inputs()), Price: price, Lower: f}
	for i, x := range l.letter {
		d.Weight[x] = weight[i]
	}
	for y := range d.Price {
		if d.Price[y] == nil { // no letter gives it
			d.Price[y] = make([]*big.Int, len(l.prior))
			for k := range d.Price[y] {
				d.Price[y][k] = new(big.Int)
			}
		}
	}
	if d.Verify(l.all[0], l.all[1:], l.support) != nil {
		return nil
	}
	return d
}

// slack is the share by which a dual proves less than the certificate of one
// prior that it is made of.
const slack = 1e-9

// under is a dual that proves about as much as a certificate under prior k does
// alone: below its factor the weights W >= 0 with sum Y let no column have as much
// as Y q^k(v), so that W - (Y - a little) P^k lets none have more than 0.
func (l *leastSearch) under(k int, c optimum.Certificate) *Dual {
	f := new(big.Rat).SetFloat64(rounded(c.Lower) * (1 - slack))
	if c.Weight == nil || f == nil || len(l.prior) != len(l.all) {
		return nil
	}
	weight, sum := make([]int64, len(l.letter)), int64(0)
	for _, x := range l.letter {
		sum += c.Weight[x]
	}
	for _, kept := range []float64{1e-13, 1e-12, 1e-11, 1e-10} { // of what the weights are above 0
		whole := big.NewInt(sum - int64(math.Ceil(float64(sum)*kept)))
		total := big.NewInt(l.prior[k].Total())
		for i, x := range l.letter {
			part := new(big.Int).Mul(whole, big.NewInt(l.count[k][i]))
			quo, rem := part.DivMod(part, total, new(big.Int))
			weight[i] = c.Weight[x] - quo.Int64()
			if rem.Sign() > 0 {
				weight[i]--
			}
		}
		if price := l.prices(f, weight); price != nil {
			if d := l.dual(f, weight, price); d != nil {
				return d
			}
		}
	}
	return nil
}

// prices are those by output, under one prior each, with which these weights
// refuse f; nil where they do not.
func (l *leastSearch) prices(f *big.Rat, weight []int64) [][]*big.Int {
	proof, price := l.newProof(f), make([][]*big.Int, len(l.column))
	for y, column := range l.column {
		if len(column) == 0 {
			continue
		}
		if price[y] = proof.holds(y, weighed(column, weight), nil, nil, nil); price[y] == nil {
			return nil
		}
	}
	return price
}
