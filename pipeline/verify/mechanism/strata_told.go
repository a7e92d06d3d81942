package mechanism

import (
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
)

// A crowd is the records of a group with its rows.
type crowd struct {
	rows  []exact.Row
	count []int64
}

// crowds are the records of every group, as its prior has them.
func crowds(v *document.View) (all []crowd) {
	for _, g := range v.Groups {
		all = append(all, crowd{g.Rows, g.Count})
	}
	return all
}

// sampled are the records of every group, whatever the prior is.
func sampled(v *document.View) (all []crowd) {
	for _, g := range v.Groups {
		all = append(all, crowd{g.Rows, g.Sample})
	}
	return all
}

// ownMost is the largest factor relative to the records, of the observers whom
// epsilon is kept for.
func ownMost(v *document.View) *big.Rat { return promisedTo(v, sampled(v)) }

// letters are the records of all groups by letter, and in all.
func letters(all []crowd) (count []int64, total int64) {
	for _, s := range all {
		if count == nil {
			count = make([]int64, len(s.count))
		}
		for x, c := range s.count {
			count[x], total = count[x]+c, total+c
		}
	}
	return count, total
}

// factorsOf are e^l(y) for whoever does not know the group, where those of the groups are
// known.
func factorsOf(v *document.View) []*big.Rat {
	switch len(v.Groups) {
	case 0:
		return []*big.Rat{}
	case 1: // a table of means would be as large as the order
		return v.Groups[0].Factor
	}
	return mixedFactors(crowds(v), len(v.Plan.Outputs))
}

// mixedFactors are e^l(y) for whoever does not know which of several groups a record is
// in; nil where y is never produced.
func mixedFactors(all []crowd, outputs int) []*big.Rat {
	count, total := letters(all)
	n := len(count)
	if n > 0 && !slices.ContainsFunc(all, func(g crowd) bool { return &g.rows[0] != &all[0].rows[0] }) {
		return exact.Factors(all[0].rows, count, total, outputs) // one mechanism for all groups
	}
	factor := make([]*big.Rat, outputs)
	mean := make([]float64, n*outputs)
	for _, g := range all {
		for x, r := range g.rows {
			for i, y := range r.Output {
				if g.count[x] > 0 {
					mean[x*outputs+int(y)] += float64(g.count[x]) / float64(count[x]) * (float64(r.Weight[i]) / float64(r.Total))
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
				p := records(all, x, y)
				if p.Quo(p, new(big.Rat).SetInt64(count[x])); peak == nil || p.Cmp(peak) > 0 {
					peak = p
				}
			}
		}
		if peak != nil {
			factor[y] = peak.Mul(peak, new(big.Rat).SetInt64(total))
			factor[y].Quo(peak, produced(all, y))
		}
	}
	return factor
}

// records is c_x p(y|x): sum_w c_wx p_w(y|x), exactly.
func records(all []crowd, x, y int) *big.Rat {
	sum := new(big.Rat)
	for _, g := range all {
		r := g.rows[x]
		if g.count[x] > 0 {
			f := big.NewRat(g.count[x], 1)
			sum.Add(sum, f.Mul(f, big.NewRat(r.Of(int32(y)), r.Total)))
		}
	}
	return sum
}

// produced is sum_x c_x p(y|x): numerators are added up by denominator.
func produced(all []crowd, y int) *big.Rat {
	over := map[int64]*big.Int{}
	for _, g := range all {
		for x, r := range g.rows {
			if w := r.Of(int32(y)); w > 0 && g.count[x] > 0 {
				gather(over, r.Total, g.count[x], w)
			}
		}
	}
	return added(over)
}

// shifted is the largest p_w(y|x) / q_y of any group, letter with records there and
// output: no way of sharing the records of a letter among groups tells more.
func shifted(v *document.View) *big.Rat {
	most, all := big.NewRat(1, 1), crowds(v)
	for y := range v.Plan.Outputs {
		peak := new(big.Rat)
		for _, g := range all {
			for x, r := range g.rows {
				if p := big.NewRat(r.Of(int32(y)), r.Total); g.count[x] > 0 && p.Cmp(peak) > 0 {
					peak = p
				}
			}
		}
		if peak.Sign() == 0 {
			continue
		}
		f := peak.Mul(peak, new(big.Rat).SetInt64(v.Total))
		if f.Quo(f, produced(all, y)); f.Cmp(most) > 0 {
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
	known, overall := knownOf(crowds(v), len(v.Plan.Outputs)), exact.Largest(v.Factor)
	v.Expect(&w, Figures{"strata.overall_factor": overall, "strata.overall_nats": overall,
		"strata.given_factor": known, "strata.given_nats": known, "strata.together_factor?": together,
		"strata.together_nats?": together, "strata.alone_factor?": alone, "strata.alone_nats?": alone})
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
	letters, n := letters(all)
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
						whole[y] = produced([]crowd{s}, int(y))
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

// promisedTo is the larger of the factors that are promised: for whoever knows the
// group and, unless that is given up, for whoever does not.
func promisedTo(v *document.View, all []crowd) *big.Rat {
	outputs := len(v.Plan.Outputs)
	known := knownOf(all, outputs)
	if len(all) > 1 && !v.Plan.Given.Only {
		if overall := overallOf(all, outputs); overall.Cmp(known) > 0 {
			return overall
		}
	}
	return known
}

// knownOf is the largest factor for whoever knows the group.
func knownOf(all []crowd, outputs int) *big.Rat {
	known := big.NewRat(1, 1)
	for _, s := range all {
		if f := exact.Most(s.rows, s.count, exact.Sum(s.count), outputs); f.Cmp(known) > 0 {
			known = f
		}
	}
	return known
}

// overallOf is the largest factor for whoever does not know the group.
func overallOf(all []crowd, outputs int) *big.Rat { return exact.Largest(mixedFactors(all, outputs)) }
