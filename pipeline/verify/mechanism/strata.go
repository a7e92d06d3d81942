package mechanism

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// readStrata reads mechanisms and groups; why says what is wrong with them.
func readStrata(v *document.View) (why string) {
	s := v.Plan.Strata
	if len(v.Plan.Mechanism.Rows) > 0 || v.Plan.Mechanism.Kind != "strata" || len(s.Groups) == 0 || len(s.Laws) == 0 {
		return "the plan has rows for all strata together, or no strata"
	}
	for i, m := range s.Laws {
		rows, why := ReadRows(v, m)
		if why != "" {
			return fmt.Sprintf("mechanism %d: %s", i+1, why)
		}
		v.Laws = append(v.Laws, rows)
	}
	all, records := make([]int64, len(v.Count)), make([]int64, len(v.Count))
	seen, rest := map[files.Label]bool{}, 0
	var strata []document.Stratum
	for i, g := range s.Groups {
		e := document.Stratum{Law: g.Law}
		if g.Law < 0 || g.Law >= len(v.Laws) || len(g.Counts) != len(v.Count) {
			return fmt.Sprintf("group %d has no mechanism, or not one count per input", i+1)
		}
		e.Rows = v.Laws[g.Law]
		for x, text := range g.Counts {
			c, ok := exact.Whole(text)
			if !ok || c > exact.MaxTotal-e.Total || c > v.Count[x]-all[x] {
				return fmt.Sprintf("group %d: the count of input %d is no number of its records", i+1, x+1)
			}
			e.Count, e.Total = append(e.Count, c), e.Total+c
			all[x] += c
		}
		if why := readSample(v, g.Records, &e); why != "" {
			return fmt.Sprintf("group %d: %s", i+1, why)
		}
		for x, c := range e.Sample {
			records[x] += c
		}
		for _, n := range g.Names {
			if seen[n] {
				return fmt.Sprintf("group %d has a stratum that stands twice", i+1)
			}
			seen[n] = true
		}
		if g.Rest {
			rest++
		}
		strata = append(strata, e)
	}
	for x, c := range all {
		if c != v.Count[x] {
			return fmt.Sprintf("the strata have %d records of input %d, the plan %d", c, x+1, v.Count[x])
		}
	}
	if !slices.Equal(records, v.Sample()) {
		return "the strata have other records than the plan"
	}
	if rest > 1 {
		return "two groups take what the plan does not name"
	}
	if shared := len(v.Laws) == 1 && len(s.Groups) > 1; s.Rule != "shared" && s.Rule != "apart" || shared &&
		s.Rule == "apart" || len(v.Laws) > 1 && s.Rule == "shared" {
		return "its rule is not what its mechanisms show"
	}
	v.Strata = strata
	return ""
}

// readSample reads the records of a group, and holds its prior to them.
func readSample(v *document.View, text []string, e *document.Stratum) (why string) {
	if e.Sample = e.Count; v.Plan.Prior == nil {
		if len(text) > 0 {
			return "it has records beside its counts, and the plan no other prior"
		}
		return ""
	}
	var ok bool
	if e.Sample, ok = whole(text, len(v.Count)); !ok {
		return "there is not one number of records per input"
	}
	if prior, ok := priorOf(v, e.Sample); !ok || !slices.Equal(prior, e.Count) {
		return "its counts are not what the plan's prior makes of its records"
	}
	return ""
}

// priorOf is what the prior of the plan is for these records of a stratum: they, and
// what was added to every letter, or the law that was declared, in lowest terms, as
// often as there are records.
func priorOf(v *document.View, sample []int64) ([]int64, bool) {
	if v.Plan.Prior == nil {
		return sample, true
	}
	if v.Plan.Prior.Of == "smoothed" {
		return exact.Smoothed(sample, v.Plan.Prior.Smooth)
	}
	n, common := exact.Sum(sample), new(big.Int)
	if exact.Sum(v.Sample()) == 0 {
		n = 1
	}
	for _, c := range v.Count {
		common.GCD(nil, nil, common, big.NewInt(c))
	}
	if common.Sign() == 0 {
		return nil, false
	}
	out := make([]int64, len(v.Count))
	for x, c := range v.Count {
		k := big.NewInt(c / common.Int64())
		if k.Mul(k, big.NewInt(n)); !k.IsInt64() {
			return nil, false
		}
		out[x] = k.Int64()
	}
	return out, true
}

// StrataSum is the SHA-256 of what draws depend on where there are strata:
// letters; 2^64-1 in place of the number of rows; column and function as
// labels; number of mechanisms and each of them as rows; number of groups and
// of each its mechanism, 1 for the rest and else 0, and its strata.
func StrataSum(v *document.View) string {
	s, of := files.NewStream(), v.Plan.Strata
	s.Labels(v.Plan.Inputs)
	s.Labels(v.Plan.Outputs)
	s.Number(math.MaxUint64)
	s.Labels([]files.Label{{Text: of.Of}, {Text: of.Function}})
	s.Number(uint64(len(v.Laws)))
	for _, rows := range v.Laws {
		s.Rows(rows)
	}
	s.Number(uint64(len(of.Groups)))
	for _, g := range of.Groups {
		s.Number(uint64(g.Law))
		rest := uint64(0)
		if g.Rest {
			rest = 1
		}
		s.Number(rest)
		s.Labels(g.Names)
	}
	return s.Sum()
}

// CheckStrata recomputes what plan and report say of every stratum from the
// rows and counts of the plan.
func CheckStrata(v *document.View) {
	s := v.Plan.Strata
	if known := v.Report.Has("strata"); s == nil || !known {
		if s != nil || known {
			v.Add("strata", false, "only one of plan and report knows of strata")
		}
		return
	}
	if v.Strata == nil {
		v.Leave("strata", "the mechanisms of the strata are not known", "strata", "floor", "outputs", "epsilon", "binding")
		return
	}
	var w document.Faults
	least, _ := exact.Whole(s.Least)
	shown := slices.Contains(v.Report.Fate("published in clear"), s.Of)
	merged := 0
	for i, g := range s.Groups {
		if g.Rest {
			merged = len(g.Names)
		}
		if shown && (len(g.Names) > 1 || g.Rest && exact.Sum(v.Strata[i].Sample) > 0) {
			w.Addf("group %d has strata that were merged and that the output tells apart", i+1)
		}
	}
	v.Expect(&w, Figures{"strata.column": s.Of, "strata.function?": s.Function, "strata.given_only": s.Only,
		"strata.min": least, "strata.rule": s.Rule, "strata.published": shown, "strata.merged": merged})
	if o := v.Report.Option("given-only"); o != "" && v.Report.Command == "run" && !v.Report.Has("pinned") {
		w.Match(s.Only == (o == "true"),
			"who does not know the stratum and is promised nothing, which the options have otherwise,")
	}
	checkWeighed(v, &w)
	checkGroups(v, &w)
	v.Settle("strata", w, "%d groups, each with its records, its mechanism, its factor under their frequencies, and its "+
		"floor", len(s.Groups))
	CheckFactors(v)
	checkObserved(v, shown)
}

// checkWeighed holds the designs that were weighed to the one that was taken:
// it stands among them as it is, and no other that keeps epsilon in every
// stratum has a better floor, or the same and a better utility.
func checkWeighed(v *document.View, w *document.Faults) {
	s, f, made := v.Plan.Strata, v.Plan.Floor, v.Plan
	if v.Made != nil {
		made = v.Made.Plan
	}
	taken, tried := 0, []Figures{}
	for _, t := range s.Tried {
		tried = append(tried, Figures{"rule": cmp.Or(t.Rule, "none"), "found": t.Found, "rank": t.Rank, "value": t.Value,
			"expected": t.Expected})
		switch {
		case t.Rule == "" || !t.Found:
		case t.Rule == s.Rule:
			taken++
			w.Match(t.Rank == f.Rank && t.Value == f.Value && t.Expected == made.Utility.Expected,
				"the design that was taken, as it was weighed,")
		case f.Asked == "best" && (f.By == "value" && t.Value > f.Value || f.By != "value" && t.Rank > f.Rank):
			w.Addf("a design with a better floor was weighed, and not taken")
		}
	}
	if taken != 1 {
		w.Addf("the design that was taken is not among those that were weighed")
	}
	v.Expect(w, Figures{"strata.tried": tried})
}

// checkGroups recomputes every group, and sets the largest factor and the
// worst that can occur.
func checkGroups(v *document.View, w *document.Faults) {
	s := v.Plan.Strata
	v.Most = big.NewRat(1, 1)
	v.Worst.Rank, v.Worst.Value = len(v.Plan.Outputs), math.Inf(1)
	var groups []Figures
	var mean, size float64
	for i, g := range v.Strata {
		p := s.Groups[i]
		factor, at := big.NewRat(1, 1), -1
		for y, f := range exact.Factors(g.Rows, g.Count, g.Total, len(v.Plan.Outputs)) {
			if f != nil && (at < 0 || f.Cmp(factor) > 0) {
				factor, at = f, y
			}
		}
		if v.Strata[i].Most = factor; factor.Cmp(v.Most) > 0 {
			v.Most = factor
		}
		letters := 0
		for _, c := range g.Sample {
			if c > 0 {
				letters++
			}
		}
		records := exact.Sum(g.Sample)
		w.Match(p.Factor == factor.RatString() && exact.Nats(p.Nats, factor), fmt.Sprintf("the factor of group %d", i+1))
		want := Figures{"strata": p.Names, "rest?": p.Rest, "records": records, "letters": letters, "written": Stated{},
			"factor": factor, "nats": p.Nats, "rank": p.Rank, "value": p.Value, "expected": p.Expected, "output": Stated{},
			"counts": Stated{}}
		if at >= 0 {
			want["output"] = v.Plan.Outputs[at]
		}
		if v.Made == nil {
			want["counts"] = nil
		}
		groups = append(groups, want)
		if least, ok := exact.Whole(s.Least); !ok || v.Made == nil && records < least && (!p.Rest || len(s.Groups) > 1) {
			w.Addf("group %d has fewer records than strata are merged at", i+1)
		}
		if !p.Rest && len(p.Names) != 1 {
			w.Addf("group %d has several strata, and does not take what the plan does not name", i+1)
		}
		if v.Order == nil {
			continue
		}
		rank, value := len(v.Plan.Outputs), math.Inf(1)
		for x, row := range g.Rows {
			values, ranks := v.Order.Row(x), v.Order.Ranks(x)
			for _, y := range row.Output {
				if !v.Allow.Has(x, int(y)) {
					w.Addf("row %d of group %d gives an output that the floor forbids", x+1, i+1)
				}
				rank, value = min(rank, ranks[y]), min(value, values[y])
			}
		}
		v.Worst.Rank, v.Worst.Value = min(v.Worst.Rank, rank), min(v.Worst.Value, value)
		alone := document.View{Rows: g.Rows, Count: g.Count, Total: g.Total, Order: v.Order}
		expected, of := Expected(&alone)
		w.Match(p.Rank == rank && p.Value == value, fmt.Sprintf("the floor of group %d", i+1))
		w.Match(exact.Near(p.Expected, expected, of) || g.Total == 0, fmt.Sprintf("the utility of group %d", i+1))
		share := float64(g.Total) / float64(max(1, v.Total))
		mean, size = mean+share*expected, size+share*of
	}
	v.Expect(w, Figures{"strata.groups": groups})
	if v.Order == nil {
		v.Seen("floor", "utility")
		return
	}
	expectFloor(v, w)
	expectUtility(v, w, mean, size)
}

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
