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

// believedCells bounds the cells, counted for every part of the records that an
// observer tells apart, up to which a report has beliefs.
const believedCells = 1 << 28

// A part is records that an observer cannot tell apart, each in a stratum.
type part struct {
	of     []crowd
	count  []int64 // by letter
	total  int64
	factor []*big.Rat // by output
	names  []files.Label
}

// CheckCertain recomputes of how many records the outputs leave no doubt, from
// rows and counts, stratum by stratum where there are strata.
func CheckCertain(v *document.View) {
	const name = "certainty"
	c := v.Report.Certainty
	if v.Rows == nil && v.Strata == nil && !v.Empty() {
		v.Skip(name, "the rows are not known")
		return
	}
	groups := []document.Stratum{{Count: v.Sample(), Total: exact.Sum(v.Sample()), Rows: v.Rows}}
	if v.Strata != nil {
		groups = slices.Clone(v.Strata)
		for i := range groups {
			groups[i].Count, groups[i].Total = groups[i].Sample, exact.Sum(groups[i].Sample)
		}
	}
	total := int64(0)
	for _, g := range groups {
		total += g.Total
	}
	if v.Empty() || total == 0 {
		v.Add(name, c == nil, "%s", document.Either(c == nil, "there are no records",
			"the report tells of records, and there are none"))
		return
	}
	if c == nil {
		v.Add(name, false, "the report does not say of how many records the outputs leave no doubt")
		return
	}
	if v.Report.Earlier() > 0 {
		ok := c.Confirmed == nil && c.Kept == nil && c.Unchanged == nil && c.Nothing == ""
		v.Add(name, ok, "%s", document.Either(ok,
			"rows show earlier draws, and nothing is said of how many outputs leave no doubt",
			"rows show earlier draws, and the report says what holds only where all are drawn by the plan"))
		return
	}
	if c.Confirmed == nil || c.Kept == nil || c.Unchanged == nil {
		v.Add(name, false, "the report does not say of how many records the outputs leave no doubt")
		return
	}
	sure, kept := new(big.Rat), new(big.Rat)
	several, unchanged, nothing := false, true, true
	for _, g := range groups {
		gives := map[int32]int{}
		letters := 0
		for x, r := range g.Rows {
			if g.Count[x] == 0 {
				continue
			}
			letters++
			for _, y := range r.Output {
				gives[y]++
			}
			if len(r.Output) == 1 && v.Plan.Inputs[x] == v.Plan.Outputs[r.Output[0]] {
				kept.Add(kept, big.NewRat(g.Count[x], total))
			}
		}
		if letters < 2 {
			continue // there is nothing to tell
		}
		several = true
		for x, r := range g.Rows {
			for i, y := range r.Output {
				switch {
				case g.Count[x] == 0:
				case gives[y] == 1:
					share := big.NewRat(g.Count[x], total)
					sure.Add(sure, share.Mul(share, big.NewRat(r.Weight[i], r.Total)))
				default:
					unchanged = false
				}
			}
		}
		nothing = nothing && exact.Most(g.Rows, g.Count, g.Total, len(v.Plan.Outputs)).Cmp(exact.One) == 0
	}
	for _, f := range v.Factor { // for whoever does not know the stratum
		nothing = nothing && (f == nil || f.Cmp(exact.One) == 0)
	}
	confirmed, _ := sure.Float64()
	forced, _ := kept.Float64()
	var w document.Faults
	w.Match(exact.Near(*c.Confirmed, confirmed, 0) && (*c.Confirmed == 0) == (confirmed == 0),
		"the share of records that an output confirms")
	w.Match(exact.Near(*c.Kept, forced, 0) && (*c.Kept == 0) == (forced == 0),
		"the share of records that can become nothing but themselves")
	w.Match(*c.Unchanged == (unchanged && several), "whether the output is the input up to names")
	w.Match((c.Nothing != "") == nothing, "whether the output tells nothing")
	if *c.Unchanged && !c.Allowed {
		w.Addf("the output is the input up to names, and nobody allowed that")
	}
	if asked := v.Report.Option("allow-unchanged"); asked != "" {
		w.Match((asked == "true") == c.Allowed, "whether unchanged data are allowed, which the options have otherwise,")
	}
	v.Settle(name, w, "%.6g of the records are expected to be confirmed by their output, %.6g can become nothing but "+
		"themselves", confirmed, forced)
}

// CheckBeliefs recomputes what observers can come to believe: with strata one who
// knows the stratum of a record and one who does not, else all alike.
func CheckBeliefs(v *document.View) {
	const name = "beliefs"
	r := v.Report
	own := document.BeliefsClaim{Guess: r.Guess, Scale: r.Scale, Caps: r.Caps, Story: r.Story}
	whole := part{count: v.Count, total: v.Total, factor: v.Factor}
	var w document.Faults
	if v.Strata == nil {
		if toldBeliefs(v, name, own) {
			whole.of = []crowd{{v.Rows, v.Count}}
			checkBeliefs(v, &w, "", []part{whole}, own)
			w.Match(r.Story == nil || r.Binding != nil && r.Story.Output == r.Binding.Output, "the output of the worst case")
			CheckGrid(&w, r.Epsilon.Promised(), r.Target, r.Grid)
			guess, certain := document.GuessClaim{}, 0
			if n := r.Scale.Certain; n != nil {
				certain = *n
			}
			if r.Guess != nil {
				guess = *r.Guess
			}
			v.Settle(name, w, "caps and largest posteriors of %d letters, %d of which some output confirms; best guess right "+
				"%.6g of the time", len(r.Caps), certain, guess.Mean)
		}
		return
	}
	if r.Strata == nil {
		return
	}
	if v.Unaware == nil {
		v.Skip(name, "the factors are not known")
		return
	}
	CheckGrid(&w, r.Epsilon.Target, r.Target, r.Grid)
	var known []part
	for i, g := range v.Strata {
		c := crowd{g.Rows, g.Count}
		known = append(known, part{[]crowd{c}, g.Count, g.Total,
			exact.Factors(g.Rows, g.Count, g.Total, len(v.Plan.Outputs)), v.Plan.Strata.Groups[i].Names})
		whole.of = append(whole.of, c)
	}
	checkBeliefs(v, &w, " for whoever knows the stratum", known, own)
	unaware := r.Strata.Unaware
	if unaware == nil {
		unaware = &document.BeliefsClaim{}
	}
	checkBeliefs(v, &w, " for whoever does not know the stratum", []part{whole}, *unaware)
	v.Settle(name, w, "caps, largest posteriors, best guess and worst case for whoever knows the stratum, and for "+
		"whoever does not")
}

// toldBeliefs reports whether a release without strata has beliefs that can be
// recomputed. Where it can have none, the report must say nothing of them.
func toldBeliefs(v *document.View, name string, c document.BeliefsClaim) bool {
	switch r := v.Report; {
	case r.Earlier() > 0:
		ok := c.Silent() && r.Analysts == nil && r.Map == nil
		v.Add(name, ok, "%s", document.Either(ok,
			"rows show earlier draws, and nothing is said of what someone can come to believe",
			"rows show earlier draws, and the report says what someone can come to believe where all are drawn by the plan"))
	case v.Empty() || v.Total == 0 && v.Rows != nil:
		v.Add(name, c.Silent(), "%s", document.Either(c.Silent(), "there are no records",
			"the report tells of beliefs, and there are no records"))
	case v.Rows == nil || v.Most == nil || v.Total == 0 || len(v.Count) != len(v.Plan.Inputs):
		v.Skip(name, "the factor is not known")
	default:
		return true
	}
	return false
}

// CheckGrid recomputes e^target, and by it the caps of round shares.
func CheckGrid(w *document.Faults, of string, f float64, grid []document.GridClaim) {
	t, ok := exact.ParseTarget(of)
	up, down := new(big.Rat).SetFloat64(f*(1+1e-15)), new(big.Rat).SetFloat64(f*(1-1e-12))
	if !ok || up == nil || down == nil || f < math.MaxFloat64 && (f < 1 || t.Admits(up) && f != 1 || f > 1 &&
		!t.Admits(down)) {
		w.Addf("target_factor is not e^epsilon of the epsilon asked for")
	}
	shares := []float64{.01, .05, .10, .25, .50}
	ok = len(grid) == len(shares)
	for i, g := range grid {
		ok = ok && g.Share == shares[i] && exact.Near(g.Cap, min(1, f*g.Share), 0)
	}
	w.Match(ok, "the cap of a round share")
}

// checkBeliefs holds what is said of an observer to the records, which the
// observer tells apart by parts. whom ends the name of a figure.
func checkBeliefs(v *document.View, w *document.Faults, whom string, parts []part, c document.BeliefsClaim) {
	n, outputs := len(v.Plan.Inputs), len(v.Plan.Outputs)
	if v.Total == 0 || v.Strata != nil && len(parts)*n*outputs > believedCells {
		w.Match(c.Silent(), "what is said of beliefs"+whom+", of which there is nothing to say,")
		return
	}
	want := make([]document.CapClaim, n)
	var guess document.GuessClaim
	open, held, total := int64(0), int64(0), float64(v.Total)
	free := make([]bool, n)
	var common, rare *big.Rat
	for _, p := range parts {
		if p.total == 0 {
			continue
		}
		top := p.most()
		most, sure, mean := p.posteriors(outputs)
		guess.Before += float64(slices.Max(p.count)) / total
		guess.Mean += float64(p.total) / total * mean
		for x, k := range p.count {
			if k == 0 {
				continue
			}
			f := big.NewRat(p.total, k)
			if common == nil || f.Cmp(common) < 0 {
				common = f
			}
			if rare == nil || f.Cmp(rare) > 0 {
				rare = f
			}
			e := &want[x]
			cap := new(big.Rat).Mul(top, big.NewRat(k, p.total))
			if cap.Cmp(exact.One) >= 0 {
				free[x] = true
				open += k
			}
			limit, _ := cap.Float64()
			e.Most, e.Cap = max(e.Most, float64(k)/float64(p.total)), max(e.Cap, min(1, limit))
			if e.Reached, e.Certain = max(e.Reached, most[x]), e.Certain || sure[x]; sure[x] {
				held += k
			}
		}
	}
	listed := map[files.Label]document.CapClaim{}
	for _, k := range c.Caps {
		listed[k.Label] = k
	}
	w.Match(len(listed) == len(c.Caps), "the list of caps"+whom)
	certain, uncapped := 0, 0
	for x, e := range want {
		label := v.Plan.Inputs[x]
		k, ok := listed[label]
		if w.Match(ok == (v.Count[x] > 0), fmt.Sprintf("that a cap of letter %d is listed%s", x+1, whom)); v.Count[x] == 0 {
			continue
		}
		if guess.Worst = max(guess.Worst, e.Reached); free[x] {
			uncapped++
		}
		if e.Certain {
			certain++
		}
		figures := Figures{"label": label, "records": v.Count[x], "share": Rounded{float64(v.Count[x]) / total, 0},
			"cap": Rounded{e.Cap, 0}, "reached": Rounded{e.Reached, 0}, "certain": e.Certain}
		if len(parts) > 1 {
			figures["largest_share"] = Rounded{e.Most, 0}
		}
		Diff(w, fmt.Sprintf("letter %d%s", x+1, whom), k, figures)
		w.Match(!k.Certain || k.Reached == 1, fmt.Sprintf("the belief in letter %d, which some output confirms,", x+1))
	}
	w.Match(slices.IsSortedFunc(c.Caps, func(a, b document.CapClaim) int { return cmp.Compare(b.Records, a.Records) }),
		"the order of the caps"+whom)
	Diff(w, "what epsilon means"+whom, c.Scale, Figures{"commonest_from": common, "rarest_from": rare,
		"uncapped_letters": uncapped, "uncapped_share": Rounded{float64(open) / total, 0},
		"certain_letters": certain, "certain_share": Rounded{float64(held) / total, 0}})
	Diff(w, "the best guess"+whom, c.Guess, Figures{"before": Rounded{guess.Before, 0}, "mean": Rounded{guess.Mean, 0},
		"worst": Rounded{guess.Worst, 0}})
	checkStory(v, w, "the worst case"+whom, parts, c.Story)
}

// most is the largest factor of a part.
func (p *part) most() *big.Rat {
	top := big.NewRat(1, 1)
	for _, f := range p.factor {
		if f != nil && f.Cmp(top) > 0 {
			top = f
		}
	}
	return top
}

// row adds up what becomes of the records of a letter, and says which outputs
// these are.
func (p *part) row(x int, to []float64) (given []int32) {
	for _, s := range p.of {
		if s.count[x] == 0 {
			continue
		}
		for i, y := range s.rows[x].Output {
			if to[y] == 0 {
				given = append(given, y)
			}
			to[y] += float64(s.count[x]) * (float64(s.rows[x].Weight[i]) / float64(s.rows[x].Total))
		}
	}
	return given
}

// posteriors are the largest P(x|y) by letter, whether some output comes from
// the letter alone, and the chance that the best guess is right.
func (p *part) posteriors(outputs int) (most []float64, sure []bool, mean float64) {
	mass, best, givers, to := make([]compensated, outputs), make([]float64, outputs), make([]int, outputs),
		make([]float64, outputs)
	each := func(visit func(x int, y int32, v float64)) {
		for x := range p.count {
			for _, y := range p.row(x, to) {
				visit(x, y, to[y])
				to[y] = 0
			}
		}
	}
	each(func(_ int, y int32, v float64) {
		mass[y].add(v)
		best[y] = max(best[y], v)
		givers[y]++
	})
	most, sure = make([]float64, len(p.count)), make([]bool, len(p.count))
	each(func(x int, y int32, v float64) {
		most[x], sure[x] = max(most[x], v/mass[y].value()), sure[x] || givers[y] == 1
	})
	var right compensated
	for _, v := range best {
		right.add(v)
	}
	return most, sure, right.value() / float64(p.total)
}

// checkStory holds the worst case to the part with the largest factor.
func checkStory(v *document.View, w *document.Faults, what string, parts []part, s *document.StoryClaim) {
	worst, top := -1, new(big.Rat)
	for i := range parts {
		if f := parts[i].most(); f.Cmp(top) > 0 {
			worst, top = i, f
		}
	}
	p := &parts[worst]
	if s == nil || s.Factor != top.RatString() || !slices.Equal(s.Strata, p.names) {
		w.Addf("%s is not that of the largest factor", what)
		return
	}
	x, y := slices.Index(v.Plan.Inputs, s.Guess), slices.Index(v.Plan.Outputs, s.Output)
	if x < 0 || y < 0 || p.count[x] == 0 || p.factor[y] == nil || p.factor[y].Cmp(top) != 0 {
		w.Addf("%s names a letter without records, or another output", what)
		return
	}
	peak, own := 0.0, 0.0
	to := make([]float64, len(v.Plan.Outputs))
	for k, c := range p.count {
		given := p.row(k, to)
		if c > 0 {
			peak = max(peak, to[y]/float64(c))
		}
		if k == x {
			own = to[y] / float64(c)
		}
		for _, y := range given {
			to[y] = 0
		}
	}
	before := float64(p.count[x]) / float64(p.total)
	f, _ := top.Float64()
	w.Match(exact.Near(own, peak, 0), "the guess of "+what)
	Diff(w, what, s, Figures{"output": s.Output, "guess": s.Guess, "before": Rounded{before, 0}, "after": Rounded{before * f, 0},
		"factor": top, "strata": s.Strata})
}
