package mechanism

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// CheckFactors recomputes the factor of every output, for whoever does not know the
// group, and epsilon, the largest for all observers whom it is kept for.
func CheckFactors(v *document.View) {
	if v.Groups == nil && !v.Empty() {
		v.Leave("factors", "the rows are not known", "outputs", "epsilon", "binding")
		return
	}
	var w, said document.Faults
	known, worst, produced := big.NewRat(1, 1), -1, 0
	for i := range v.Groups {
		g, p := &v.Groups[i], v.Plan.Groups[i]
		g.Factor = exact.Factors(g.Rows, g.Count, g.Total, len(v.Plan.Outputs))
		most := exact.Largest(g.Factor)
		if worst < 0 || most.Cmp(known) > 0 {
			known, worst = most, i
		}
		w.Match(p.Factor == most.RatString() && exact.Nats(p.Nats, most), "the factor"+v.Which(i))
	}
	v.Factor = factorsOf(v)
	overall := exact.Largest(v.Factor)
	for _, f := range v.Factor {
		if f != nil {
			produced++
		}
	}
	expectOutputs(v, &w)
	v.Settle("factors", w, "e^l(y) of %d outputs, exactly, their logarithms and the values that may give them", produced)
	if v.Most = known; overall.Cmp(known) > 0 && !v.Plan.Given.Only {
		v.Most = overall
	}
	p := v.Plan.Epsilon
	said.Match(p.Factor == v.Most.RatString() && exact.Nats(p.Nats, v.Most), "epsilon of the plan")
	v.Expect(&said, Figures{"epsilon.factor": v.Most, "epsilon.nats": p.Nats})
	v.Settle("epsilon", said, "the largest of them is the factor stated, and epsilon its logarithm rounded up")
	w = nil
	groups, factor := v.Groups, v.Factor
	if worst >= 0 && (v.Plan.Given.Only || overall.Cmp(known) <= 0) {
		groups, factor = groups[worst:worst+1], groups[worst].Factor
	}
	letters, records := expectBinding(v, &w, groups, factor)
	why := fmt.Sprintf("epsilon is decided by %d values that %d records hold", letters, records)
	switch {
	case v.Report.NoneDrawn():
		why = "no row is drawn by the plan, and nothing is said of what decides it"
	case produced == 0:
		why = "no output is ever produced"
	}
	v.Settle("binding set", w, "%s", why)
}

// givingOf counts, by output, the values that may give it in some group.
func givingOf(v *document.View) []int {
	giving, last := make([]int, len(v.Plan.Outputs)), make([]int, len(v.Plan.Outputs)) // letters; the last, from 1
	if len(v.Groups) == 1 {
		rows := v.Groups[0].Rows
		for x, n := range exact.Shared(rows, slices.Repeat([]int64{1}, len(rows))) {
			for i := 0; i < len(rows[x].Output) && n > 0; i++ {
				giving[rows[x].Output[i]] += int(n)
			}
		}
		return giving
	}
	for x := range v.Plan.Inputs {
		for _, g := range v.Groups {
			for _, y := range g.Rows[x].Output {
				if last[y] != x+1 {
					last[y] = x + 1
					giving[y]++
				}
			}
		}
	}
	return giving
}

// expectOutputs holds the list of outputs to those that can occur, with what each
// tells: of an output that only letters without a record in the prior give,
// relative to the file's own counts. Others show draws of earlier releases.
func expectOutputs(v *document.View, w *document.Faults) {
	giving := givingOf(v)
	own := make([]*big.Rat, len(v.Factor))
	if v.Plan.Prior != nil && v.Rows != nil {
		own = exact.Factors(v.Rows, v.Sample(), exact.Sum(v.Sample()), len(v.Plan.Outputs))
	}
	place, missing := map[files.Label]int{}, map[int]bool{}
	for y, f := range v.Factor {
		place[v.Plan.Outputs[y]] = y
		if (f != nil || own[y] != nil) && !v.Report.NoneDrawn() {
			missing[y] = true
		}
	}
	for i, o := range v.Report.List("outputs") {
		l, _ := o.Label("label")
		y, known := place[l]
		want := Figures{"label": l, "factor": "", "nats": 0, "support": Stated{}, "share": Stated{},
			"earlier_rows": Rule(func(n Node) bool { return n.Int("") > 0 }), "earlier_factor": Stated{},
			"earlier_nats": Stated{}}
		if known && missing[y] {
			f := v.Factor[y]
			if f == nil {
				f = own[y]
			}
			want["factor"], want["nats"], want["support"], want["earlier_rows"] = f, f, giving[y], Stated{}
			delete(missing, y)
		} else if known && v.Report.NoneDrawn() {
			want["support"] = giving[y]
		}
		document.Diff(w, fmt.Sprintf("outputs[%d]", i), o, want)
	}
	for y := range missing {
		w.Addf("output %d is missing", y+1)
	}
	v.Seen("outputs")
}

// expectBinding recomputes the letters that decide epsilon, for the observer who
// learns most of those whom it is kept for.
func expectBinding(v *document.View, w *document.Faults, groups []document.Group,
	factor []*big.Rat) (letters int, records int64) {
	output := -1
	for y, f := range factor {
		if f != nil && (output < 0 || f.Cmp(factor[output]) > 0) {
			output = y
		}
	}
	if output < 0 || v.Report.NoneDrawn() {
		v.Expect(w, Figures{"binding": nil})
		return 0, 0
	}
	for x := range v.Count {
		own := int64(0)
		for _, g := range groups {
			if g.Rows[x].Of(int32(output)) > 0 {
				own += g.Count[x]
			}
		}
		if records += own; own > 0 {
			letters++
		}
	}
	v.Expect(w, Figures{"binding": Figures{"output": v.Plan.Outputs[output], "letters": letters, "records": records}})
	return letters, records
}

// CheckTarget compares the factor reached with the epsilon that was asked for.
func CheckTarget(v *document.View) {
	const name = "target"
	t, ok := exact.ParseTarget(v.Plan.Epsilon.Target)
	var w document.Faults
	if !ok {
		w.Addf("the target is neither a decimal nor log(p/q)")
	}
	v.Expect(&w, Figures{"epsilon.target": v.Plan.Epsilon.Target, "epsilon.asked?": v.Plan.Epsilon.Asked,
		"epsilon.least?": v.Plan.Epsilon.Least,
		"prior.only?":    v.Plan.Prior != nil && v.Plan.Prior.Only})
	if v.Plan.Epsilon.Least {
		checkLeast(v, &w, t)
	} else if above := v.Plan.Epsilon.Asked; above != "" {
		from, known := exact.ParseTarget(above)
		w.Match(known && from.Float() >= t.Float() && (v.Report.Command == "apply" || v.Lowered(above)),
			"the epsilon asked for, of which the target is a part,")
	} else if scale := v.Report.Text("joint.scale"); v.Report.Command != "apply" {
		w.Match(scale == "" || scale == "1", "the epsilon asked for, which was lowered and is not stated,")
	}
	for _, asked := range []string{v.Report.Option("epsilon"), factorOption(v)} {
		if asked == leastOption {
			asked = v.Report.Option("at-most")
			w.Match(v.Plan.Epsilon.Least || v.Empty(), "the target, which the options have as the least,")
		}
		if asked != "" {
			w.Match(asked == v.Plan.Epsilon.Promised(), "the target, which the options have otherwise")
		}
	}
	if v.Most == nil && len(w) == 0 {
		v.Skip(name, "the factor is not known")
		return
	}
	if ok && v.Most != nil && !t.Admits(v.Most) {
		w.Addf("the factor reached is above e^target")
	}
	if ok && v.Most != nil && v.Held() {
		if exact.Sum(v.Sample()) > 0 && !t.Admits(ownMost(v)) {
			w.Addf("the factor relative to the plan's own records is above e^target, and was not given up")
		}
	}
	if asked := v.Report.Option("prior-only"); asked != "" && v.Plan.Prior != nil && v.Report.Command == "run" &&
		!v.Report.Has("pinned") {
		w.Match((asked == "true") == v.Plan.Prior.Only,
			"whether the records' own frequencies were given up, which the options have otherwise,")
	}
	v.Settle(name, w, "the factor reached is at most e^epsilon of the epsilon asked for, exactly")
}

// leastOption is what --epsilon says where the least is found, which is rounded up to
// parts of a nat.
const (
	leastOption = "least"
	leastGrid   = 1000
)

// checkLeast holds a target that was found to the one that is promised: it is on its
// grid, not above that, and at a floor that was given. That no mechanism does with less
// stands in no report.
func checkLeast(v *document.View, w *document.Faults, t exact.Target) {
	from, known := exact.ParseTarget(v.Plan.Epsilon.Asked)
	onGrid := t.Nats != nil && new(big.Rat).Mul(t.Nats, big.NewRat(leastGrid, 1)).IsInt()
	w.Match(known && from.Float() >= t.Float(), "the epsilon promised, which is below the target,")
	w.Match(onGrid, "the target, which is on no grid of thousandths,")
	w.Match(v.Plan.Floor.Asked != "best", "the floor, which was chosen although epsilon is the least at it,")
}

// factorOption is --max-factor as an epsilon.
func factorOption(v *document.View) string {
	if asked := v.Report.Option("max-factor"); asked != "" {
		return "log(" + asked + ")"
	}
	return ""
}

// CheckHeadroom holds the factor to e^target, and (1 + share) e^target to
// e^epsilon. Where epsilon is a decimal, e^epsilon is rounded down.
func CheckHeadroom(v *document.View) {
	const name = "headroom"
	h := v.Plan.Headroom
	var w document.Faults
	if h == nil {
		if v.Expect(&w, Figures{"design.headroom": nil}); len(w) > 0 {
			v.Settle(name, w, "")
		}
		return
	}
	v.Expect(&w, Figures{"design.headroom": h.Share})
	share, ok := exact.Fraction(h.Share)
	t, known := exact.ParseTarget(v.Plan.Epsilon.Target)
	lower, stated := exact.ParseTarget(h.Target)
	if !ok || share.Sign() <= 0 || !known || !stated || lower.Factor == nil {
		v.Add(name, false, "it is no share, or its target no log(p/q)")
		return
	}
	whole := new(big.Rat).Mul(lower.Factor, new(big.Rat).Add(share, exact.One))
	if !t.Admits(whole) {
		w.Addf("the factor designed for leaves less")
	}
	if t.Factor != nil {
		w.Match(whole.Cmp(t.Factor) == 0, "the factor designed for")
	}
	if asked := v.Report.Option("headroom"); asked != "" {
		given, ok := exact.Share(asked)
		w.Match(ok && given.Cmp(share) == 0, "the headroom, which the options have otherwise,")
	}
	if v.Most != nil && !lower.Admits(v.Most) {
		w.Addf("the factor reached is above the one designed for")
	}
	if len(v.Groups) > 1 && !v.Plan.Given.Only && !lower.Admits(shifted(v)) {
		w.Addf("records that drift from stratum to stratum may take whoever does not know it beyond epsilon")
	}
	v.Settle(name, w, "shares of values may fall to 1/(1+%s) of what they were before epsilon fails", h.Share)
}
