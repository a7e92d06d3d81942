package verify

import (
	"math/big"
	"slices"
)

// checkCertificate proves lower_factor: no mechanism with this support has a
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
// Without weights the bound is that of one letter: its outputs leak at least
// 1/P(S_y) each, so L = max_x min over y in B_x of n/c(S_y).
func (v *verifier) checkCertificate() {
	const name = "certificate"
	c := v.plan.Certificate
	lower, ok := fraction(c.Lower)
	upper, ok2 := fraction(c.Upper)
	var w wrong
	if !ok || !ok2 {
		w.addf("lower_factor or upper_factor is no fraction in lowest terms")
	} else {
		w.match(lower.Cmp(one) >= 0, "a lower_factor below 1, which")
		if lower.Cmp(upper) > 0 {
			w.addf("lower_factor is above upper_factor")
		}
		if v.most != nil && upper.Cmp(v.most) > 0 {
			w.addf("upper_factor is above the factor that this plan reaches")
		}
	}
	d := v.report.Design
	w.match(d.Lower == c.Lower && d.Upper == c.Upper && d.Kind == v.plan.Mechanism.Kind && d.Stopped == v.plan.Mechanism.Stopped, "the report's design, which the plan has otherwise")
	v.settle("bracket", w, "1 <= lower_factor <= upper_factor <= the factor reached")
	switch {
	case !ok:
		v.skip(name, "lower_factor cannot be read")
		return
	case v.empty() || lower.Cmp(one) <= 0 && len(c.Pi) == 0:
		v.add(name, lower.Cmp(one) <= 0, "%s", either(lower.Cmp(one) <= 0, "lower_factor is 1, which needs no proof", "there are no letters and lower_factor is above 1"))
		return
	case v.allow == nil:
		v.skip(name, "the support that the floor leaves is not known")
		return
	}
	mass := v.mass()
	single := lower.Cmp(v.letterBound(mass)) <= 0
	if len(c.Pi) == 0 {
		v.add(name, single, "%s", either(single, "one letter alone proves lower_factor", "lower_factor is above what any one letter proves, and there are no weights"))
		return
	}
	weight, why := v.weights()
	if why == "" && !single {
		if y := v.unproven(weight, mass, lower); y >= 0 {
			why = "the weights do not prove lower_factor: a mechanism below it is not excluded"
		}
	}
	v.add(name, why == "", "%s", either(why == "", "the weights prove that no mechanism at this floor has a factor below lower_factor", why))
}

// mass is n P(S_y) of every output.
func (v *verifier) mass() []int64 {
	mass := make([]int64, len(v.plan.Outputs))
	for x, c := range v.count {
		v.allow.each(x, func(y int) { mass[y] += c })
	}
	return mass
}

// letterBound is max_x min over y in B_x of n/c(S_y), x with records.
func (v *verifier) letterBound(mass []int64) *big.Rat {
	bound := big.NewRat(1, 1)
	for x, c := range v.count {
		if c == 0 {
			continue
		}
		most := int64(0)
		v.allow.each(x, func(y int) { most = max(most, mass[y]) })
		if most > 0 && bound.Cmp(big.NewRat(v.total, most)) < 0 {
			bound = big.NewRat(v.total, most)
		}
	}
	return bound
}

func (v *verifier) weights() (weight []int64, why string) {
	if len(v.plan.Certificate.Pi) != len(v.plan.Inputs) {
		return nil, "there is not one weight per input"
	}
	sum := int64(0)
	for x, s := range v.plan.Certificate.Pi {
		w, ok := whole(s)
		if !ok || w > maxTotal-sum {
			return nil, "the weights are no numbers, or their sum is above 2^62"
		}
		if w > 0 && v.count[x] == 0 {
			return nil, "a letter without records has a weight"
		}
		weight, sum = append(weight, w), sum+w
	}
	if sum == 0 {
		return nil, "all weights are 0"
	}
	return weight, ""
}

// unproven is an output for which the weights leave factors below the bound
// possible, -1 if there is none. Counts c_x stand for P_x = c_x/n, and the
// bound is p/q.
func (v *verifier) unproven(weight, mass []int64, bound *big.Rat) int {
	var by []int // letters with records by falling density
	sum := int64(0)
	for x, c := range v.count {
		if c > 0 {
			by, sum = append(by, x), sum+weight[x]
		}
	}
	slices.SortStableFunc(by, func(a, b int) int {
		switch {
		case less(weight[b], v.count[a], weight[a], v.count[b]):
			return -1
		case less(weight[a], v.count[b], weight[b], v.count[a]):
			return 1
		}
		return 0
	})
	n, Y := big.NewInt(v.total), big.NewInt(sum)
	p, q := bound.Num(), bound.Denom()
	nq := new(big.Int).Mul(n, q)
	for y := range v.plan.Outputs {
		times := func(a int64) *big.Int { return new(big.Int).Mul(p, big.NewInt(a)) }
		if times(mass[y]).Cmp(nq) <= 0 {
			continue
		}
		// The densest letters of S_y up to the mass n q/p; f is the last.
		c, pi, f, densest := int64(0), int64(0), -1, -1
		for _, x := range by {
			if !v.allow.has(x, y) {
				continue
			}
			if densest < 0 {
				densest = x
			}
			if f = x; times(c+v.count[x]).Cmp(nq) >= 0 {
				break
			}
			c, pi = c+v.count[x], pi+weight[x]
		}
		// f_y = [p Pi c_f + W_f (n q - p C)] / (q c_f), compared with Y.
		value := times(pi)
		value.Mul(value, big.NewInt(v.count[f]))
		rest := new(big.Int).Sub(nq, times(c))
		value.Add(value, rest.Mul(rest, big.NewInt(weight[f])))
		limit := new(big.Int).Mul(Y, q)
		switch value.Cmp(limit.Mul(limit, big.NewInt(v.count[f]))) {
		case -1:
			continue
		case 1:
			return y
		}
		// Equal: the greatest density n W/c is above Y, or those of density Y are few.
		if less(sum, v.count[densest], weight[densest], v.total) {
			continue
		}
		level := int64(0)
		for _, x := range by {
			if v.allow.has(x, y) && !less(weight[x], v.total, sum, v.count[x]) && !less(sum, v.count[x], weight[x], v.total) {
				level += v.count[x]
			}
		}
		if times(level).Cmp(nq) > 0 {
			return y
		}
	}
	return -1
}
