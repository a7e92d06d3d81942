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
// f_y(T) is the mean of the densest 1/T of mass, density W_x/P_x: it grows
// with T, strictly so until 1/T is within the letters of the greatest density
// of S_y, and is constant from there. At T = L this is decided by
//
//   - L P(S_y) <= 1: below L nothing exists; or
//   - f_y(L) < Y; or
//   - f_y(L) = Y and f_y is not constant just below L: some density in S_y is
//     above Y, or L P(letters of density Y) <= 1.
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
	why := ""
	switch single := lower.Cmp(letterBound(p.Allow, len(p.Plan.Outputs), counts...)) <= 0; {
	case len(c.Pi) == 0 && !single:
		why = "lower_factor is above what any one value proves, and there are no weights"
	case len(c.Pi) > 0:
		var weight []int64
		if weight, why = p.weights(prior); why == "" && !single && p.unproven(weight, prior, lower) {
			why = "the weights do not prove lower_factor: a mechanism below it is not excluded"
		}
	}
	p.Add(name, why == "", "%s", Either(why == "", "no mechanism at this floor has a factor below lower_factor: a "+
		"value, or the weights, prove it", why))
}

// reached is the factor under all priors that the plan is held to.
func (p *proof) reached() *big.Rat {
	if p.Plan.held() {
		return larger(p.Made.Most, p.tell(recordsOf).Most)
	}
	return p.Made.Most
}

// massOf is n P(S_y) of every output.
func massOf(allow *Support, outputs int, count []int64) []int64 {
	mass := make([]int64, outputs)
	for x, c := range count {
		allow.Each(x, func(y int) { mass[y] += c })
	}
	return mass
}

// letterBound is max_x min over y in B_x of n/c(S_y), x with records; under several priors,
// of the larger under those that x occurs in.
func letterBound(allow *Support, outputs int, counts ...[]int64) *big.Rat {
	var mass [][]int64
	var total []int64
	for _, c := range counts {
		mass, total = append(mass, massOf(allow, outputs, c)), append(total, sum(c))
	}
	bound := [2]int64{1, 1}
	above := func(a, b [2]int64) bool { return less(b[0], a[1], a[0], b[1]) }
	for x := range counts[0] {
		least := [2]int64{1, 0} // above all
		allow.Each(x, func(y int) {
			cost := [2]int64{1, 1}
			for k, c := range counts {
				if f := [2]int64{total[k], mass[k][y]}; c[x] > 0 && above(f, cost) {
					cost = f
				}
			}
			if above(least, cost) {
				least = cost
			}
		})
		if least[1] > 0 && above(least, bound) {
			bound = least
		}
	}
	return big.NewRat(bound[0], bound[1])
}

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
// output. Counts c_x stand for P_x = c_x/n, and the bound is p/q.
func (p *proof) unproven(weight, count []int64, bound *big.Rat) bool {
	n64, all, mass := sum(count), sum(weight), massOf(p.Allow, len(p.Plan.Outputs), count)
	var by []int // letters with records by falling density
	for x, c := range count {
		if c > 0 {
			by = append(by, x)
		}
	}
	slices.SortStableFunc(by, func(a, b int) int {
		switch {
		case less(weight[b], count[a], weight[a], count[b]):
			return -1
		case less(weight[a], count[b], weight[b], count[a]):
			return 1
		}
		return 0
	})
	n, Y := big.NewInt(sum(count)), big.NewInt(all)
	num, q := bound.Num(), bound.Denom()
	nq := new(big.Int).Mul(n, q)
	for y := range p.Plan.Outputs {
		times := func(a int64) *big.Int { return new(big.Int).Mul(num, big.NewInt(a)) }
		if times(mass[y]).Cmp(nq) <= 0 {
			continue
		}
		// The densest letters of S_y up to the mass n q/p; f is the last.
		c, pi, f, densest := int64(0), int64(0), -1, -1
		for _, x := range by {
			if !p.Allow.Has(x, y) {
				continue
			}
			if densest < 0 {
				densest = x
			}
			if f = x; times(c+count[x]).Cmp(nq) >= 0 {
				break
			}
			c, pi = c+count[x], pi+weight[x]
		}
		// f_y = [p Pi c_f + W_f (n q - p C)] / (q c_f), compared with Y.
		value := times(pi)
		value.Mul(value, big.NewInt(count[f]))
		rest := new(big.Int).Sub(nq, times(c))
		value.Add(value, rest.Mul(rest, big.NewInt(weight[f])))
		limit := new(big.Int).Mul(Y, q)
		switch value.Cmp(limit.Mul(limit, big.NewInt(count[f]))) {
		case -1:
			continue
		case 1:
			return true
		}
		// Equal: the greatest density n W/c is above Y, or those of density Y are few.
		if less(all, count[densest], weight[densest], n64) {
			continue
		}
		level := int64(0)
		for _, x := range by {
			if p.Allow.Has(x, y) && !less(weight[x], n64, all, count[x]) && !less(all, count[x], weight[x],
				n64) {
				level += count[x]
			}
		}
		if times(level).Cmp(nq) > 0 {
			return true
		}
	}
	return false
}
