package mechanism

import (
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
)

// A crowd is the records of a stratum with its rows.
type crowd struct {
	rows  []exact.Row
	count []int64
}

// crowds are the records of every stratum, or all where there are none.
func crowds(v *document.View) (all []crowd) {
	if v.Strata == nil {
		return []crowd{{v.Rows, v.Count}}
	}
	for _, g := range v.Strata {
		all = append(all, crowd{g.Rows, g.Count})
	}
	return all
}

// sampled are the records of every stratum, whatever the prior is.
func sampled(v *document.View) (all []crowd) {
	for _, g := range v.Strata {
		all = append(all, crowd{g.Rows, g.Sample})
	}
	return all
}

// ownMost is the largest factor relative to the records, of the observers whom
// epsilon is kept for.
func ownMost(v *document.View) *big.Rat {
	if v.Strata == nil {
		return exact.Most(v.Rows, v.Sample(), exact.Sum(v.Sample()), len(v.Plan.Outputs))
	}
	return promisedTo(v, sampled(v))
}

// MixedFactors are e^l(y) for whoever does not know the stratum; nil where y is
// never produced. The view has strata, and all their records by letter.
func MixedFactors(v *document.View, outputs int) []*big.Rat {
	n := len(v.Count)
	factor := make([]*big.Rat, outputs)
	mean := make([]float64, n*outputs)
	for _, g := range v.Strata {
		for x, r := range g.Rows {
			for i, y := range r.Output {
				if g.Count[x] > 0 {
					mean[x*outputs+int(y)] += float64(g.Count[x]) / float64(v.Count[x]) * (float64(r.Weight[i]) / float64(r.Total))
				}
			}
		}
	}
	for y := range factor {
		var peak *big.Rat
		top := 0.0
		for x := range n {
			top = max(top, mean[x*outputs+y])
		}
		for x := range n {
			if m := mean[x*outputs+y]; m > 0 && m >= top*(1-1e-9) {
				p := records(v, x, y)
				if p.Quo(p, new(big.Rat).SetInt64(v.Count[x])); peak == nil || p.Cmp(peak) > 0 {
					peak = p
				}
			}
		}
		if peak != nil {
			factor[y] = peak.Mul(peak, new(big.Rat).SetInt64(v.Total))
			factor[y].Quo(peak, produced(v, y))
		}
	}
	return factor
}

// records is c_x p(y|x): sum_w c_wx p_w(y|x), exactly.
func records(v *document.View, x, y int) *big.Rat {
	sum := new(big.Rat)
	for _, g := range v.Strata {
		r := g.Rows[x]
		if i, ok := slices.BinarySearch(r.Output, int32(y)); ok && g.Count[x] > 0 {
			f := big.NewRat(g.Count[x], 1)
			sum.Add(sum, f.Mul(f, big.NewRat(r.Weight[i], r.Total)))
		}
	}
	return sum
}

// produced is sum_x c_x p(y|x): numerators are added up by denominator.
func produced(v *document.View, y int) *big.Rat {
	over := map[int64]*big.Int{}
	for _, g := range v.Strata {
		for x, r := range g.Rows {
			if i, ok := slices.BinarySearch(r.Output, int32(y)); ok && g.Count[x] > 0 {
				if over[r.Total] == nil {
					over[r.Total] = new(big.Int)
				}
				k := big.NewInt(g.Count[x])
				over[r.Total].Add(over[r.Total], k.Mul(k, big.NewInt(r.Weight[i])))
			}
		}
	}
	sum := new(big.Rat)
	for total, k := range over {
		sum.Add(sum, new(big.Rat).SetFrac(k, big.NewInt(total)))
	}
	return sum
}

// shifted is the largest p_w(y|x) / q_y of any stratum, letter with records there and
// output: no way of sharing the records of a letter among strata tells more.
func shifted(v *document.View) *big.Rat {
	most := big.NewRat(1, 1)
	for y := range v.Plan.Outputs {
		peak := new(big.Rat)
		for _, g := range v.Strata {
			for x, r := range g.Rows {
				if i, ok := slices.BinarySearch(r.Output, int32(y)); ok && g.Count[x] > 0 {
					if p := big.NewRat(r.Weight[i], r.Total); p.Cmp(peak) > 0 {
						peak = p
					}
				}
			}
		}
		if peak.Sign() == 0 {
			continue
		}
		f := peak.Mul(peak, new(big.Rat).SetInt64(v.Total))
		if f.Quo(f, produced(v, y)); f.Cmp(most) > 0 {
			most = f
		}
	}
	return most
}

// checkObserved recomputes what stratum and output tell together, and what the
// stratum tells alone, which is nothing where it is not published.
func checkObserved(v *document.View, shown bool) {
	var w document.Faults
	var together, alone *big.Rat
	if shown {
		together, alone = togetherOf(sampled(v), len(v.Plan.Outputs))
	}
	expectOwn(v, &w)
	v.Expect(&w, Figures{"strata.together_factor?": together, "strata.together_nats?": together,
		"strata.alone_factor?": alone, "strata.alone_nats?": alone})
	v.Settle("stratum and output", w, "%s", document.Either(shown,
		"what whoever sees both learns, and what the stratum tells alone, exactly", "the stratum is not published"))
}

// expectOwn recomputes what is told relative to the records of the strata, where the
// prior is something else.
func expectOwn(v *document.View, w *document.Faults) {
	if v.Plan.Prior == nil {
		v.Expect(w, Figures{"strata.own": nil})
		return
	}
	all, outputs := sampled(v), len(v.Plan.Outputs)
	known, overall := knownOf(all, outputs), overallOf(all, outputs)
	v.Expect(w, Figures{"strata.own": Figures{"given_factor": known, "given_nats": known, "overall_factor": overall,
		"overall_nats": overall}})
}

// togetherOf is the largest P(x|s,y) / P(x), and the largest P(x|s) / P(x).
// Of each stratum and letter it is n/c_x times the largest share of the letter
// among the records of the stratum that are published alike. Floats choose
// which are compared as fractions.
func togetherOf(all []crowd, outputs int) (together, alone *big.Rat) {
	const close = 1e-9
	var letters []int64
	n := int64(0)
	for _, s := range all {
		if letters == nil {
			letters = make([]int64, len(s.count))
		}
		for x, c := range s.count {
			letters[x] += c
			n += c
		}
	}
	one := big.NewRat(1, 1)
	together, alone = one, one
	topBoth, topAlone := 0.0, 0.0
	for pass := range 2 {
		for _, s := range all {
			size := exact.Sum(s.count)
			mass := make([]float64, outputs)
			var whole []*big.Rat // c_k p(y|k) added up, exactly; by need
			for x, r := range s.rows {
				for i, y := range r.Output {
					mass[y] += float64(s.count[x]) * float64(r.Weight[i]) / float64(r.Total)
				}
			}
			for x, c := range s.count {
				if c == 0 {
					continue
				}
				lone := float64(c) / float64(size) * float64(n) / float64(letters[x])
				if pass == 0 {
					topAlone = max(topAlone, lone)
				} else if lone >= topAlone*(1-close) {
					f := big.NewRat(c, size)
					if f.Mul(f, big.NewRat(n, letters[x])); f.Cmp(alone) > 0 {
						alone = f
					}
				}
				r := s.rows[x]
				for i, y := range r.Output {
					both := float64(c) * float64(r.Weight[i]) / float64(r.Total) / mass[y] * float64(n) / float64(letters[x])
					if pass == 0 {
						topBoth = max(topBoth, both)
						continue
					}
					if both < topBoth*(1-close) {
						continue
					}
					if whole == nil {
						whole = make([]*big.Rat, outputs)
					}
					if whole[y] == nil {
						whole[y] = massOf(s, y)
					}
					f := new(big.Rat).Mul(big.NewRat(c, 1), big.NewRat(r.Weight[i], r.Total))
					f.Quo(f, whole[y])
					if f.Mul(f, big.NewRat(n, letters[x])); f.Cmp(together) > 0 {
						together = f
					}
				}
			}
		}
	}
	return together, alone
}

// massOf is the number of records of a stratum that are expected to be y.
func massOf(s crowd, y int32) *big.Rat {
	sum := new(big.Rat)
	for x, r := range s.rows {
		if i, ok := slices.BinarySearch(r.Output, y); ok && s.count[x] > 0 {
			f := big.NewRat(s.count[x], 1)
			sum.Add(sum, f.Mul(f, big.NewRat(r.Weight[i], r.Total)))
		}
	}
	return sum
}

// promisedTo is the larger of the factors that are promised: for whoever knows the
// stratum and, unless that is given up, for whoever does not.
func promisedTo(v *document.View, all []crowd) *big.Rat {
	outputs := len(v.Plan.Outputs)
	known := knownOf(all, outputs)
	if overall := overallOf(all, outputs); !v.Plan.Strata.Only && overall.Cmp(known) > 0 {
		return overall
	}
	return known
}

// knownOf is the largest factor for whoever knows the stratum.
func knownOf(all []crowd, outputs int) *big.Rat {
	known := big.NewRat(1, 1)
	for _, s := range all {
		if f := exact.Most(s.rows, s.count, exact.Sum(s.count), outputs); f.Cmp(known) > 0 {
			known = f
		}
	}
	return known
}

// overallOf is the largest factor for whoever does not know the stratum.
func overallOf(all []crowd, outputs int) *big.Rat {
	one := document.View{}
	for _, s := range all {
		one.Strata = append(one.Strata, document.Stratum{Count: s.count, Total: exact.Sum(s.count), Rows: s.rows})
		one.Total += exact.Sum(s.count)
		if one.Count == nil {
			one.Count = make([]int64, len(s.count))
		}
		for x, c := range s.count {
			one.Count[x] += c
		}
	}
	most := big.NewRat(1, 1)
	for _, f := range MixedFactors(&one, outputs) {
		if f != nil && f.Cmp(most) > 0 {
			most = f
		}
	}
	return most
}
