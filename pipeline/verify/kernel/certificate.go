package kernel

import (
	"math/big"
	"slices"
)

// certificate proves lower_factor: no mechanism with this support has a
// smaller factor. With weights W by letter (plan.certificate.pi):
//
// Write a mechanism of factor T as columns p_xy = q_y v_xy, sum_x P_x v_xy = 1,
// 0 <= v_xy <= T, v_xy = 0 off S_y. Rows sum to 1, so sum_y q_y sum_x W_x v_xy
// = sum_x W_x =: Y, and some output that occurs has sum_x W_x v_xy >= Y. So no
// mechanism has a factor below L if for every y and every T < L: either
// T P(S_y) < 1, when no such v exists, or f_y(T) < Y, where
//
//	f_y(T) = max { sum_x W_x v_x : sum_x P_x v_x = 1, 0 <= v_x <= T, v = 0 off S_y }.
//
// f_y(T) is the mean of the densest 1/T of mass, density W_x/P_x. So with h(m) the weight of the
// densest mass m of S_y, less m Y, this is h(m) < 0 for 1/L < m <= P(S_y). As h(0) = 0 and h is
// concave, it is decided at 1/L:
//
//   - L P(S_y) <= 1: no mass is left, and below L nothing exists; or
//   - h(1/L) < 0; or
//   - h(1/L) = 0, and h falls: what comes next has a density below Y.
//
// The last is needed: W proportional to P gives f_y(T) = Y at every T. A
// letter without records may have no weight, since P_x = 0 bounds no v_x.
//
// A mechanism that is held to two priors, a declared or smoothed one and the
// records' own, is held to the first, too, and so the same weights prove it.
//
// Without weights the bound is that of one letter: its outputs leak at least
// 1/P(S_y) each, so L = max_x min over y in B_x of n/c(S_y).
func (p *proof) certificate(prior, records []int64) {
	const name = "certificate"
	c := p.Plan.Certificate
	lower, ok := Fraction(c.Lower)
	upper, ok2 := Fraction(c.Upper)
	var w Faults
	switch {
	case !ok || !ok2:
		w.Addf("lower_factor or upper_factor is no fraction in lowest terms")
	case lower.Cmp(one) < 0 || lower.Cmp(upper) > 0:
		w.Addf("lower_factor is below 1, or above upper_factor")
	case p.Made.Most != nil && upper.Cmp(p.reached()) > 0:
		w.Addf("upper_factor is above the factor that this plan reaches")
	}
	p.Settle("bracket", w, "1 <= lower_factor <= upper_factor <= the factor reached")
	switch {
	case !ok:
		p.Skip(name, "lower_factor cannot be read")
		return
	case p.Plan.Empty() || lower.Cmp(one) <= 0 && len(c.Pi) == 0:
		p.Add(name, lower.Cmp(one) <= 0, "%s", Either(lower.Cmp(one) <= 0, "lower_factor is 1, which needs no proof",
			"there are no values and lower_factor is above 1"))
		return
	case p.Allow == nil:
		p.Skip(name, "the support that the floor leaves is not known")
		return
	}
	counts := [][]int64{prior}
	if p.Plan.held() {
		counts = append(counts, records)
	}
	w = nil
	switch single := lower.Cmp(one) <= 0 || p.single(lower, counts...); {
	case len(c.Pi) == 0 && !single:
		w.Addf("lower_factor is above what any one value proves, and there are no weights")
	case len(c.Pi) > 0:
		if weight, why := p.weights(prior); why != "" {
			w.Addf("%s", why)
		} else if !single && p.unproven(weight, prior, lower) {
			w.Addf("the weights do not prove lower_factor: a mechanism below it is not excluded")
		}
	}
	p.Settle(name, w, "no mechanism at this floor has a factor below lower_factor: a value, or the weights, prove it")
}

// reached is the factor under all priors that the plan is held to.
func (p *proof) reached() *big.Rat {
	if p.Plan.held() {
		return larger(p.Made.Most, p.tell(recordsOf).Most)
	}
	return p.Made.Most
}

// massOf is n P(S_y) of every output.
func (p *proof) massOf(count []int64) []int64 {
	mass := make([]int64, len(p.Plan.Outputs))
	for x, c := range count {
		p.Allow.Each(x, func(y int) { mass[y] += c })
	}
	return mass
}

// single reports whether a letter proves the bound L alone: L P(S_y) <= 1 for every output that
// it may have, under one of the priors that it occurs in.
func (p *proof) single(bound *big.Rat, counts ...[]int64) bool {
	mass, edge := make([][]int64, len(counts)), make([]int64, len(counts))
	for k, count := range counts {
		mass[k], edge[k] = p.massOf(count), wholes(part(sum(count), bound))
	}
	for x := range p.Plan.Inputs {
		outputs, proven := 0, 0
		p.Allow.Each(x, func(y int) {
			outputs++
			for k, count := range counts {
				if count[x] > 0 && mass[k][y] <= edge[k] {
					proven++
					break
				}
			}
		})
		if outputs > 0 && proven == outputs {
			return true
		}
	}
	return false
}

// part is n/f.
func part(n int64, f *big.Rat) *big.Rat { return new(big.Rat).Quo(big.NewRat(n, 1), f) }

// wholes is the whole part of a fraction.
func wholes(f *big.Rat) int64 { return new(big.Int).Quo(f.Num(), f.Denom()).Int64() }

func (p *proof) weights(prior []int64) (weight []int64, why string) {
	weight, ok := Wholes(p.Plan.Certificate.Pi, len(prior))
	switch {
	case !ok:
		return nil, "there is not one weight, which is a number, per input, or their sum is above 2^62"
	case sum(weight) == 0:
		return nil, "all weights are 0"
	}
	for x, w := range weight {
		if w > 0 && prior[x] == 0 {
			return nil, "a value without records has a weight"
		}
	}
	return weight, ""
}

// unproven reports whether the weights leave factors below the bound possible for some
// output. Masses are counted in records.
func (p *proof) unproven(weight, count []int64, bound *big.Rat) bool {
	n, all := sum(count), sum(weight)
	var by []int // letters with records by falling density
	for x, c := range count {
		if c > 0 {
			by = append(by, x)
		}
	}
	slices.SortStableFunc(by, func(a, b int) int { return products(weight[b], count[a], weight[a], count[b]) })
	edge, mean := part(n, bound), part(all, bound) // 1/L, and Y/L
	whole := wholes(edge)
	for y, mass := range p.massOf(count) {
		if mass <= whole {
			continue
		}
		// The densest letters of S_y up to the edge; f is the first that goes beyond.
		c, w, f := int64(0), int64(0), 0
		for _, f = range by {
			if p.Allow.Has(f, y) {
				if c+count[f] > whole {
					break
				}
				c, w = c+count[f], w+weight[f]
			}
		}
		rest := new(big.Rat).Sub(edge, big.NewRat(c, 1))
		rest.Mul(rest, big.NewRat(weight[f], count[f]))
		h := rest.Add(rest, big.NewRat(w, 1)).Cmp(mean)
		if h > 0 || h == 0 && products(weight[f], n, all, count[f]) >= 0 {
			return true
		}
	}
	return false
}
