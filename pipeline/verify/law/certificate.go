package law

import (
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/subject"
	"github.com/tacet-privacy/tacet/pipeline/verify/verdict"
)

// CheckCertificate proves lower_factor: no mechanism with this support has a
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
func CheckCertificate(v *subject.View) {
	const name = "certificate"
	c := v.Plan.Certificate
	lower, ok := exact.Fraction(c.Lower)
	upper, ok2 := exact.Fraction(c.Upper)
	var w verdict.Faults
	if !ok || !ok2 {
		w.Addf("lower_factor or upper_factor is no fraction in lowest terms")
	} else {
		w.Match(lower.Cmp(exact.One) >= 0, "a lower_factor below 1, which")
		if lower.Cmp(upper) > 0 {
			w.Addf("lower_factor is above upper_factor")
		}
		if v.Most != nil && upper.Cmp(v.Most) > 0 {
			w.Addf("upper_factor is above the factor that this plan reaches")
		}
	}
	d := v.Report.Design
	w.Match(d.Lower == c.Lower && d.Upper == c.Upper && d.Kind == v.Plan.Mechanism.Kind && d.Stopped == v.Plan.Mechanism.Stopped, "the report's design, which the plan has otherwise")
	v.Settle("bracket", w, "1 <= lower_factor <= upper_factor <= the factor reached")
	switch {
	case !ok:
		v.Skip(name, "lower_factor cannot be read")
		return
	case v.Empty() || lower.Cmp(exact.One) <= 0 && len(c.Pi) == 0:
		v.Add(name, lower.Cmp(exact.One) <= 0, "%s", verdict.Either(lower.Cmp(exact.One) <= 0, "lower_factor is 1, which needs no proof", "there are no letters and lower_factor is above 1"))
		return
	case v.Allow == nil:
		v.Skip(name, "the support that the floor leaves is not known")
		return
	}
	mass := mass(v)
	single := lower.Cmp(letterBound(v, mass)) <= 0
	if len(c.Pi) == 0 {
		v.Add(name, single, "%s", verdict.Either(single, "one letter alone proves lower_factor", "lower_factor is above what any one letter proves, and there are no weights"))
		return
	}
	weight, why := weights(v)
	if why == "" && !single {
		if y := unproven(v, weight, mass, lower); y >= 0 {
			why = "the weights do not prove lower_factor: a mechanism below it is not excluded"
		}
	}
	v.Add(name, why == "", "%s", verdict.Either(why == "", "the weights prove that no mechanism at this floor has a factor below lower_factor", why))
}

// mass is n P(S_y) of every output.
func mass(v *subject.View) []int64 {
	mass := make([]int64, len(v.Plan.Outputs))
	for x, c := range v.Count {
		v.Allow.Each(x, func(y int) { mass[y] += c })
	}
	return mass
}

// letterBound is max_x min over y in B_x of n/c(S_y), x with records.
func letterBound(v *subject.View, mass []int64) *big.Rat {
	bound := big.NewRat(1, 1)
	for x, c := range v.Count {
		if c == 0 {
			continue
		}
		most := int64(0)
		v.Allow.Each(x, func(y int) { most = max(most, mass[y]) })
		if most > 0 && bound.Cmp(big.NewRat(v.Total, most)) < 0 {
			bound = big.NewRat(v.Total, most)
		}
	}
	return bound
}

func weights(v *subject.View) (weight []int64, why string) {
	if len(v.Plan.Certificate.Pi) != len(v.Plan.Inputs) {
		return nil, "there is not one weight per input"
	}
	sum := int64(0)
	for x, s := range v.Plan.Certificate.Pi {
		w, ok := exact.Whole(s)
		if !ok || w > exact.MaxTotal-sum {
			return nil, "the weights are no numbers, or their sum is above 2^62"
		}
		if w > 0 && v.Count[x] == 0 {
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
func unproven(v *subject.View, weight, mass []int64, bound *big.Rat) int {
	var by []int // letters with records by falling density
	sum := int64(0)
	for x, c := range v.Count {
		if c > 0 {
			by, sum = append(by, x), sum+weight[x]
		}
	}
	slices.SortStableFunc(by, func(a, b int) int {
		switch {
		case exact.Less(weight[b], v.Count[a], weight[a], v.Count[b]):
			return -1
		case exact.Less(weight[a], v.Count[b], weight[b], v.Count[a]):
			return 1
		}
		return 0
	})
	n, Y := big.NewInt(v.Total), big.NewInt(sum)
	p, q := bound.Num(), bound.Denom()
	nq := new(big.Int).Mul(n, q)
	for y := range v.Plan.Outputs {
		times := func(a int64) *big.Int { return new(big.Int).Mul(p, big.NewInt(a)) }
		if times(mass[y]).Cmp(nq) <= 0 {
			continue
		}
		// The densest letters of S_y up to the mass n q/p; f is the last.
		c, pi, f, densest := int64(0), int64(0), -1, -1
		for _, x := range by {
			if !v.Allow.Has(x, y) {
				continue
			}
			if densest < 0 {
				densest = x
			}
			if f = x; times(c+v.Count[x]).Cmp(nq) >= 0 {
				break
			}
			c, pi = c+v.Count[x], pi+weight[x]
		}
		// f_y = [p Pi c_f + W_f (n q - p C)] / (q c_f), compared with Y.
		value := times(pi)
		value.Mul(value, big.NewInt(v.Count[f]))
		rest := new(big.Int).Sub(nq, times(c))
		value.Add(value, rest.Mul(rest, big.NewInt(weight[f])))
		limit := new(big.Int).Mul(Y, q)
		switch value.Cmp(limit.Mul(limit, big.NewInt(v.Count[f]))) {
		case -1:
			continue
		case 1:
			return y
		}
		// Equal: the greatest density n W/c is above Y, or those of density Y are few.
		if exact.Less(sum, v.Count[densest], weight[densest], v.Total) {
			continue
		}
		level := int64(0)
		for _, x := range by {
			if v.Allow.Has(x, y) && !exact.Less(weight[x], v.Total, sum, v.Count[x]) && !exact.Less(sum, v.Count[x], weight[x], v.Total) {
				level += v.Count[x]
			}
		}
		if times(level).Cmp(nq) > 0 {
			return y
		}
	}
	return -1
}
