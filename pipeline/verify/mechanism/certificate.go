package mechanism

import (
	"math/big"
	"math/bits"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
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
// A mechanism that is held to two priors, a declared or smoothed one and the
// records' own, is held to the first, too, and so the same weights prove it.
//
// Without weights the bound is that of one letter: its outputs leak at least
// 1/P(S_y) each, so L = max_x min over y in B_x of n/c(S_y).
func CheckCertificate(v *document.View) {
	const name = "certificate"
	c := v.Plan.Certificate
	lower, ok := exact.Fraction(c.Lower)
	upper, ok2 := exact.Fraction(c.Upper)
	var w document.Faults
	if !ok || !ok2 {
		w.Addf("lower_factor or upper_factor is no fraction in lowest terms")
	} else {
		w.Match(lower.Cmp(exact.One) >= 0, "a lower_factor below 1, which")
		if lower.Cmp(upper) > 0 {
			w.Addf("lower_factor is above upper_factor")
		}
		if v.Most != nil && upper.Cmp(reached(v)) > 0 {
			w.Addf("upper_factor is above the factor that this plan reaches")
		}
	}
	m := v.Plan.Method
	v.Expect(&w, Figures{"design.lower_factor": c.Lower, "design.upper_factor": c.Upper, "design.kind": m.Kind,
		"design.stopped": m.Stopped})
	v.Settle("bracket", w, "1 <= lower_factor <= upper_factor <= the factor reached")
	switch {
	case !ok:
		v.Skip(name, "lower_factor cannot be read")
		return
	case v.Empty() || lower.Cmp(exact.One) <= 0 && len(c.Pi) == 0:
		v.Add(name, lower.Cmp(exact.One) <= 0, "%s", document.Either(lower.Cmp(exact.One) <= 0,
			"lower_factor is 1, which needs no proof", "there are no values and lower_factor is above 1"))
		return
	case v.Allow == nil:
		v.Skip(name, "the support that the floor leaves is not known")
		return
	}
	if c.Prices != nil {
		v.Add(name, false, "prices of two priors are no longer read: check it with the version that made the plan")
		return
	}
	single := lower.Cmp(letterBound(v)) <= 0
	if len(c.Pi) == 0 {
		v.Add(name, single, "%s", document.Either(single, "one value alone proves lower_factor",
			"lower_factor is above what any one value proves, and there are no weights"))
		return
	}
	weight, why := weights(v)
	if why == "" && !single {
		if y := unproven(v, weight, mass(v.Allow, len(v.Plan.Outputs), v.Count), lower); y >= 0 {
			why = "the weights do not prove lower_factor: a mechanism below it is not excluded"
		}
	}
	v.Add(name, why == "", "%s", document.Either(why == "",
		"the weights prove that no mechanism at this floor has a factor below lower_factor", why))
}

// reached is the factor under all priors that the plan is held to.
func reached(v *document.View) *big.Rat {
	f := promisedTo(v, crowds(v))
	if own := ownMost(v); v.Held() && own.Cmp(f) > 0 {
		return own
	}
	return f
}

// mass is n P(S_y) of every output.
func mass(allow *exact.Support, outputs int, count []int64) []int64 {
	mass := make([]int64, outputs)
	for x, c := range count {
		allow.Each(x, func(y int) { mass[y] += c })
	}
	return mass
}

// letterBound is that of the support that the floor leaves, under the priors that
// the plan is held to.
func letterBound(v *document.View) *big.Rat {
	counts := [][]int64{v.Count}
	if v.Held() {
		counts = append(counts, v.Sample())
	}
	return LetterBound(v.Allow, len(v.Plan.Outputs), counts...)
}

// LetterBound is max_x min over y in B_x of n/c(S_y), x with records; under
// several priors, of the larger under those that x occurs in.
func LetterBound(allow *exact.Support, outputs int, counts ...[]int64) *big.Rat {
	var masses [][]int64
	var total []int64
	for _, c := range counts {
		masses, total = append(masses, mass(allow, outputs, c)), append(total, exact.Sum(c))
	}
	one := quotient{1, 1}
	bound := one
	for x := range counts[0] {
		least := quotient{1, 0} // above all
		allow.Each(x, func(y int) {
			cost := one
			for k, c := range counts {
				if f := (quotient{total[k], masses[k][y]}); c[x] > 0 && f.above(cost) {
					cost = f
				}
			}
			if least.above(cost) {
				least = cost
			}
		})
		if least.of > 0 && least.above(bound) {
			bound = least
		}
	}
	return big.NewRat(bound.n, bound.of)
}

// A quotient is n/of, n positive; without bound where of is 0.
type quotient struct{ n, of int64 }

func (q quotient) above(p quotient) bool {
	high, low := bits.Mul64(uint64(q.n), uint64(p.of))
	otherHigh, otherLow := bits.Mul64(uint64(p.n), uint64(q.of))
	return high > otherHigh || high == otherHigh && low > otherLow
}

func weights(v *document.View) (weight []int64, why string) {
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
			return nil, "a value without records has a weight"
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
func unproven(v *document.View, weight, mass []int64, bound *big.Rat) int {
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
			if v.Allow.Has(x, y) && !exact.Less(weight[x], v.Total, sum, v.Count[x]) && !exact.Less(sum, v.Count[x], weight[x],
				v.Total) {
				level += v.Count[x]
			}
		}
		if times(level).Cmp(nq) > 0 {
			return y
		}
	}
	return -1
}
