package verify

import (
	"math"
	"math/big"
	"slices"
	"strings"
)

// near reports whether a and b are equal but for the last bits; scale is the
// size of what was summed.
func near(a, b, scale float64) bool {
	return math.Abs(a-b) <= 1e-12*max(math.Abs(a), math.Abs(b), scale)
}

// checkFigures recomputes the report's figures that nothing else has.
func (v *verifier) checkFigures(f *files) {
	v.checkPinned(f)
	v.checkRecords(f)
	v.checkNulls(f)
	v.checkPrior()
	v.checkOwn(f)
	v.checkOther()
	v.checkPopulation(f)
	v.checkBeliefs()
	v.checkAnalysts()
	v.checkShares()
	v.checkUtility(f)
	v.checkMap()
	v.checkStamp()
	v.checkSeries()
}

func (v *verifier) checkRecords(f *files) {
	const name = "records"
	if v.pairs == nil {
		v.skip(name, "the records could not be counted")
		return
	}
	records := sum(v.pairs.out) + v.report.suppressed()
	if v.nullOutput() && v.plan.Null == "public" && f.in == nil {
		v.skip(name, "no input, and null is an output and public: the records under the promise cannot be told from the others")
		return
	}
	if f.in != nil {
		records = sum(v.pairs.in)
	}
	if v.report.Forbidden != 0 {
		v.add(name, false, "the report itself counts replacements that the plan forbids")
		return
	}
	v.add(name, records == v.report.Records, "%s", either(records == v.report.Records,
		"the report counts the records under the promise", "the report counts other records under the promise than the files hold"))
}

// nullOutput reports whether null may be drawn.
func (v *verifier) nullOutput() bool {
	n := len(v.plan.Outputs)
	return n > 0 && v.plan.Outputs[n-1].Null
}

// checkNulls recomputes what is said of nulls.
func (v *verifier) checkNulls(f *files) {
	const name = "nulls"
	if v.pairs == nil {
		v.skip(name, "the records could not be counted")
		return
	}
	rule, n := v.plan.Null, int64(0)
	switch last := len(v.plan.Inputs) - 1; {
	case rule == "public" && f.in != nil:
		n = v.pairs.inNulls
	case rule == "public" && !v.nullOutput():
		n = v.pairs.outNulls
	case rule == "public" || rule == "letter" && f.in == nil && v.report.Prior.Of != "this file":
		v.skip(name, "no input")
		return
	case rule == "letter" && last >= 0 && v.plan.Inputs[last].Null:
		if n = v.count[last]; f.in != nil {
			n = v.pairs.in[last]
		}
	}
	c := v.report.Nulls
	if c == nil {
		v.add(name, n == 0, "%s", either(n == 0, "there are none", "the report does not mention the nulls"))
		return
	}
	var w wrong
	rows := v.pairs.rows
	w.match(c.Rule == rule && c.Count == n, "the number of nulls, or their rule,")
	w.match(near(c.Share, float64(n)/float64(max(rows, 1)), 0), "their share")
	if rule == "public" && n > 0 && n <= rows {
		w.match(natsOf(c.Nats, big.NewRat(rows, n)), "what a null tells")
	}
	v.settle(name, w, "%d nulls, rule %s", n, rule)
}

// checkPrior recomputes shares of letters and the scale of epsilon.
func (v *verifier) checkPrior() {
	const name = "prior and scale"
	if v.empty() || v.most == nil || len(v.count) != len(v.plan.Inputs) {
		v.skip(name, either(v.empty(), "there are no letters", "the factor is not known"))
		return
	}
	most, least, unseen := int64(0), int64(0), 0
	uncapped, held := 0, int64(0)
	for _, c := range v.count {
		if c == 0 {
			unseen++
			continue
		}
		if most = max(most, c); least == 0 || c < least {
			least = c
		}
		if new(big.Rat).Mul(v.most, big.NewRat(c, v.total)).Cmp(one) >= 0 {
			uncapped++
			held += c
		}
	}
	n := float64(max(v.total, 1))
	var w wrong
	p, s := v.report.Prior, v.report.Scale
	w.match(near(p.Max, float64(most)/n, 0) && near(p.Min, float64(least)/n, 0), "the share of the commonest or rarest letter")
	w.match(p.Unseen == unseen, "the number of letters without records")
	w.match(s.Letters == uncapped && near(s.Share, float64(held)/n, 0), "the letters that may be confirmed with certainty")
	if v.total > 0 {
		w.match(natsOf(s.Commonest, big.NewRat(v.total, most)) && natsOf(s.Rarest, big.NewRat(v.total, least)), "the epsilon from which a letter may be confirmed")
	}
	v.settle(name, w, "shares of letters, %d without records, %d that one output may confirm with certainty", unseen, uncapped)
}

// checkShares recomputes how often each output was written, and holds the
// list to its order, most leakage first.
func (v *verifier) checkShares() {
	const name = "output shares"
	if v.pairs == nil || v.factor == nil || v.plan.Null == "public" && v.nullOutput() {
		v.skip(name, "the records could not be counted by output")
		return
	}
	var w wrong
	n := float64(max(sum(v.pairs.out)+v.report.suppressed(), 1))
	for y, f := range v.factor {
		if c := v.claimOf(y); f != nil && c != nil && !near(c.Share, float64(v.pairs.out[y])/n, 0) {
			w.addf("the share of output %d is not what the output holds", y+1)
		}
	}
	falling := slices.IsSortedFunc(v.report.Outputs, func(a, b outputClaim) int {
		p, ok := fraction(a.Factor)
		q, ok2 := fraction(b.Factor)
		if !ok || !ok2 {
			return 0
		}
		return q.Cmp(p)
	})
	if !falling {
		w.addf("the outputs are not listed by leakage")
	}
	v.settle(name, w, "the share of every output, most leakage first")
}

// checkStamp looks at what the report says of itself.
func (v *verifier) checkStamp() {
	var w wrong
	seeded := v.report.option("test-seed") != ""
	if seeded && v.report.Stamp != "NOT A PRIVATE RELEASE" {
		w.addf("the draws came from a test seed, and the report is not stamped NOT A PRIVATE RELEASE")
	}
	if v.report.Stamp != "" && !slices.ContainsFunc(v.report.Warnings, func(s string) bool { return strings.Contains(s, "test seed") }) {
		w.addf("the report is stamped and does not warn of it")
	}
	var names []string
	for _, c := range v.report.Checks {
		if names = append(names, c.Name); !c.Passed {
			w.addf("a check of the run itself did not pass")
		}
	}
	want := []string{"rows", "alphabet"}
	if !v.empty() {
		want = append(want, "floor", "fit")
	}
	for _, name := range want {
		if !slices.Contains(names, name) {
			w.addf("the run's own check %q is missing", name)
		}
	}
	v.settle("report", w, "%s", either(v.report.Stamp == "", "the run's own checks passed", "the run's own checks passed; stamped "+v.report.Stamp))
}
