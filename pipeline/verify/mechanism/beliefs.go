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
	given  []int32 // room for the outputs of a letter
}

// CheckCertain recomputes of how many records the outputs leave no doubt, from
// rows and counts, group by group.
func CheckCertain(v *document.View) {
	const name = "certainty"
	if v.Groups == nil && !v.Empty() {
		v.Leave(name, "the rows are not known", name)
		return
	}
	groups := sampled(v)
	_, total := letters(groups)
	var w document.Faults
	if v.Empty() || total == 0 {
		v.Expect(&w, Figures{name: nil})
		v.Settle(name, w, "there are no records")
		return
	}
	allowed := v.Report.Bool("certainty.unchanged_allowed")
	if asked := v.Report.Option("allow-unchanged"); asked != "" {
		allowed = asked == "true"
	}
	if v.Report.Earlier() > 0 {
		v.Expect(&w, Figures{name: Figures{"unchanged_allowed": allowed}})
		v.Settle(name, w, "rows show earlier draws, and nothing is said of how many outputs leave no doubt")
		return
	}
	sure, kept := new(big.Rat), new(big.Rat)
	several, unchanged, nothing := false, true, true
	for _, g := range groups {
		gives, one := map[int32]int64{}, make([]int64, len(g.rows))
		letters := 0
		for x, r := range g.rows {
			if g.count[x] == 0 {
				continue
			}
			letters++
			one[x] = 1
			if len(r.Output) == 1 && v.Plan.Inputs[x] == v.Plan.Outputs[r.Output[0]] {
				kept.Add(kept, big.NewRat(g.count[x], total))
			}
		}
		if letters < 2 {
			continue // there is nothing to tell
		}
		several = true
		one = exact.Shared(g.rows, one)
		for x, r := range g.rows {
			for i := 0; i < len(r.Output) && one[x] > 0; i++ {
				gives[r.Output[i]] += one[x]
			}
		}
		records := exact.Shared(g.rows, g.count)
		for x, r := range g.rows {
			for i := 0; i < len(r.Output) && records[x] > 0; i++ {
				switch gives[r.Output[i]] {
				case 1:
					share := big.NewRat(records[x], total)
					sure.Add(sure, share.Mul(share, big.NewRat(r.Weight[i], r.Total)))
				default:
					unchanged = false
				}
			}
		}
		nothing = nothing && exact.Most(g.rows, g.count, exact.Sum(g.count), len(v.Plan.Outputs)).Cmp(exact.One) == 0
	}
	for _, f := range v.Factor { // for whoever does not know the stratum
		nothing = nothing && (f == nil || f.Cmp(exact.One) == 0)
	}
	confirmed, _ := sure.Float64()
	forced, _ := kept.Float64()
	want := Figures{"confirmed": rounded(confirmed, 0), "kept": rounded(forced, 0), "unchanged": unchanged && several,
		"unchanged_allowed": allowed}
	if nothing {
		want["nothing"] = some
	}
	v.Expect(&w, Figures{name: want})
	if unchanged && several && !allowed {
		w.Addf("the output is the input up to names, and nobody allowed that")
	}
	v.Settle(name, w, "%.6g of the records are expected to be confirmed by their output, %.6g can become nothing but "+
		"themselves", confirmed, forced)
}

// CheckBeliefs recomputes what observers can come to believe: one who knows the group of
// a record and, where there are strata, one who does not.
func CheckBeliefs(v *document.View) {
	const name = "beliefs"
	var w document.Faults
	ExpectGrid(v, &w, v.Report.Promised())
	if !toldBeliefs(v, &w, name) {
		return
	}
	var known []part
	for i, g := range v.Groups {
		known = append(known, part{of: []crowd{{g.Rows, g.Count}}, count: g.Count, total: g.Total, factor: g.Factor,
			names: v.Plan.Groups[i].Names})
	}
	whole := part{count: v.Count, total: v.Total, factor: v.Factor, of: crowds(v)}
	own := beliefsOf(v, &w, "story", known)
	v.Expect(&w, own)
	if v.Report.Has("strata") {
		var unaware any
		if of := beliefsOf(v, &w, "strata.unaware.story", []part{whole}); of["guess"] != nil {
			unaware = of
		}
		v.Expect(&w, Figures{"strata.unaware": unaware})
	}
	told := "nothing, of too many groups"
	if guess, ok := own["guess"].(Figures); ok {
		told = fmt.Sprintf("caps and largest posteriors of %d values, %d of which some output confirms; best guess right "+
			"%.6g of the time", len(own["caps"].([]Figures)), own["scale"].(Figures)["certain_letters"],
			guess["mean"].(Rounded).Value)
	}
	v.Settle(name, w, "%s", told)
}

// toldBeliefs reports whether a release has beliefs that can be recomputed. Where it can
// have none, the report must say nothing of them.
func toldBeliefs(v *document.View, w *document.Faults, name string) bool {
	why := ""
	switch {
	case v.Report.Earlier() > 0:
		why = "rows show earlier draws, and nothing is said of what someone can come to believe"
	case v.Empty() || v.Total == 0 && v.Groups != nil:
		why = "there are no records"
	case len(v.Plan.Inputs)*len(v.Plan.Outputs) > believedCells:
		why = "there are too many values, and nothing is said of what someone can come to believe"
	case v.Groups == nil || v.Most == nil || len(v.Count) != len(v.Plan.Inputs):
		v.Leave(name, "the factor is not known", "caps", "guess", "story", "scale", "strata.unaware")
		return false
	default:
		return true
	}
	v.Expect(w, silent())
	v.Expect(w, Figures{"strata.unaware": nil})
	v.Settle(name, *w, "%s", why)
	return false
}

// silent is what a report says of beliefs where there is nothing to say.
func silent() Figures {
	return Figures{"guess": nil, "story": nil, "caps": []Figures{}, "scale.certain_letters": nil,
		"scale.certain_share": nil, "scale.uncapped_letters": nil, "scale.uncapped_share": nil,
		"scale.commonest_from": Stated{}, "scale.rarest_from": Stated{}}
}

// ExpectGrid recomputes e^target, and by it the caps of round shares.
func ExpectGrid(v *document.View, w *document.Faults, of string) {
	t, ok := exact.ParseTarget(of)
	f := v.Report.Float("target_factor")
	factor := func(Node) bool {
		up, down := new(big.Rat).SetFloat64(f*(1+1e-15)), new(big.Rat).SetFloat64(f*(1-1e-12))
		return ok && up != nil && down != nil && (f >= math.MaxFloat64 || f >= 1 && (!t.Admits(up) || f == 1) &&
			(f == 1 || t.Admits(down)))
	}
	var grid []Figures
	for _, share := range []float64{.01, .05, .10, .25, .50} {
		grid = append(grid, Figures{"share": share, "cap": rounded(min(1, f*share), 0)})
	}
	v.Expect(w, Figures{"target_factor": Rule(factor), "grid": grid})
}

// beliefsOf is what an observer who tells the records apart by parts can come to
// believe; path is where the report has the worst case.
func beliefsOf(v *document.View, w *document.Faults, path string, parts []part) Figures {
	n, outputs := len(v.Plan.Inputs), len(v.Plan.Outputs)
	if v.Total == 0 || len(parts)*n*outputs > believedCells {
		return silent()
	}
	type belief struct {
		most, cap, reached float64
		certain, free      bool
	}
	each := make([]belief, n)
	var before, mean, worst float64
	open, held, total := int64(0), int64(0), float64(v.Total)
	var counted []crowd
	for _, p := range parts {
		if p.total == 0 {
			continue
		}
		counted = append(counted, crowd{count: p.count})
		top := exact.Largest(p.factor)
		most, sure, right := p.posteriors(outputs)
		before += float64(slices.Max(p.count)) / total
		mean += float64(p.total) / total * right
		for x, k := range p.count {
			if k == 0 {
				continue
			}
			e, share := &each[x], big.NewRat(k, p.total)
			limit := share.Mul(share, top)
			if limit.Cmp(exact.One) >= 0 {
				e.free = true
				open += k
			}
			cap, _ := limit.Float64()
			e.most, e.cap = max(e.most, float64(k)/float64(p.total)), max(e.cap, min(1, cap))
			if e.reached, e.certain = max(e.reached, most[x]), e.certain || sure[x]; sure[x] {
				held += k
			}
		}
	}
	certain, uncapped := 0, 0
	common, rare := span(counted)
	caps := []Figures{}
	for x, e := range each {
		if v.Count[x] == 0 {
			continue
		}
		if worst = max(worst, e.reached); e.free {
			uncapped++
		}
		cap := Figures{"label": v.Plan.Inputs[x], "records": v.Count[x], "share": rounded(float64(v.Count[x])/total, 0),
			"cap": rounded(e.cap, 0), "reached": rounded(e.reached, 0), "certain": e.certain}
		if e.certain {
			certain++
			cap["reached"] = 1.
		}
		if len(parts) > 1 {
			cap["largest_share"] = rounded(e.most, 0)
		}
		caps = append(caps, cap)
	}
	slices.SortStableFunc(caps, func(a, b Figures) int { return cmp.Compare(b["records"].(int64), a["records"].(int64)) })
	return Figures{"caps": caps, "scale": Figures{"commonest_from": common, "rarest_from": rare,
		"uncapped_letters": uncapped, "uncapped_share": rounded(float64(open)/total, 0), "certain_letters": certain,
		"certain_share": rounded(float64(held)/total, 0)}, "story": storyOf(v, w, path, parts),
		"guess": Figures{"before": rounded(before, 0), "mean": rounded(mean, 0), "worst": rounded(worst, 0)}}
}

// span is the least and the largest factor by which an output can make someone certain
// of a value, of all groups and values with records; nil without these.
func span(groups []crowd) (common, rare *big.Rat) {
	for _, g := range groups {
		n := exact.Sum(g.count)
		for _, k := range g.count {
			if k == 0 {
				continue
			}
			f := big.NewRat(n, k)
			if common == nil || f.Cmp(common) < 0 {
				common = f
			}
			if rare == nil || f.Cmp(rare) > 0 {
				rare = f
			}
		}
	}
	return common, rare
}

// row adds up what becomes of the records of a letter, and says which outputs
// these are, until it is asked again.
func (p *part) row(x int, to []float64) []int32 {
	given := p.given[:0]
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
	p.given = given
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

// storyOf is the worst case: that of the part with the largest factor. Which of the
// letters that its output makes likelier the most is guessed is the report's choice.
func storyOf(v *document.View, w *document.Faults, path string, parts []part) Figures {
	worst, top := -1, new(big.Rat)
	for i := range parts {
		if f := exact.Largest(parts[i].factor); f.Cmp(top) > 0 {
			worst, top = i, f
		}
	}
	p := &parts[worst]
	if p.total == 0 {
		return nil // of no letter
	}
	written := map[files.Label]float64{}
	for _, o := range v.Report.List("outputs") {
		l, _ := o.Label("label")
		written[l] = o.Float("share")
	}
	y := -1 // of those that tell most the one that was written most often, the first of several
	for i, f := range p.factor {
		if f != nil && f.Cmp(top) == 0 && (y < 0 || written[v.Plan.Outputs[i]] > written[v.Plan.Outputs[y]]) {
			y = i
		}
	}
	guess, _ := v.Report.Label(path + ".guess")
	x := slices.Index(v.Plan.Inputs, guess)
	if x < 0 || y < 0 || p.count[x] == 0 {
		w.Addf("%s names a value without records", path)
		return Figures{}
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
	w.Match(exact.Near(own, peak, 0), path+".guess")
	return Figures{"output": v.Plan.Outputs[y], "guess": guess, "before": rounded(before, 0), "after": rounded(before*f,
		0),
		"factor": top, "strata?": p.names}
}
