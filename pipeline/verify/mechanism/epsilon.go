package mechanism

import (
	"math/big"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
)

// CheckFactors recomputes the factor of every output and what is said of them.
func CheckFactors(v *document.View) {
	const name = "factors"
	if v.Rows == nil && !v.Empty() {
		v.Skip(name, "the rows are not known")
		return
	}
	v.Factor = exact.Factors(v.Rows, v.Count, v.Total, len(v.Plan.Outputs))
	v.Most = big.NewRat(1, 1)
	at := -1
	giving := make([]int, len(v.Plan.Outputs))
	for _, r := range v.Rows {
		for _, y := range r.Output {
			giving[y]++
		}
	}
	var w document.Faults
	produced, own := 0, 0 // own: of this file's counts, see CheckOwn
	none := v.Report.NoneDrawn()
	for y, f := range v.Factor {
		if f == nil {
			if c := v.ClaimOf(y); c != nil && c.Own && v.Report.Command == "apply" {
				if own++; c.Support != giving[y] {
					w.Addf("the support of output %d is %d letters", y+1, giving[y])
				}
			}
			continue
		}
		if produced++; at < 0 || f.Cmp(v.Most) > 0 {
			at, v.Most = y, f
		}
		claim := v.ClaimOf(y)
		if none {
			continue
		}
		if claim == nil {
			w.Addf("output %d is missing", y+1)
			continue
		}
		if claim.Factor != f.RatString() || claim.Own {
			w.Addf("the factor of output %d is not e^l(y)", y+1)
		}
		if !exact.Nats(claim.Nats, f) {
			w.Addf("the nats of output %d are not the logarithm rounded up", y+1)
		}
		if claim.Support != giving[y] {
			w.Addf("the support of output %d is %d letters", y+1, giving[y])
		}
	}
	listed := 0
	for _, o := range v.Report.Outputs {
		if o.Factor != "" {
			listed++
		} else if o.Nats != 0 || o.Rows == 0 {
			w.Addf("an output is listed that neither is drawn nor shows an earlier draw")
		}
	}
	if none && listed > 0 {
		w.Addf("%d outputs are said to be drawn, and no row is", listed)
	} else if !none && listed != produced+own {
		w.Addf("%d outputs are listed, %d can occur", listed, produced)
	}
	v.Settle(name, w, "e^l(y) of %d outputs, exactly, their logarithms and the letters that may give them", produced)

	w = nil
	p, r := v.Plan.Epsilon, v.Report.Epsilon
	w.Match(p.Factor == v.Most.RatString() && r.Factor == p.Factor, "the factor")
	w.Match(exact.Nats(p.Nats, v.Most) && r.Nats == p.Nats, "epsilon in nats, rounded up,")
	v.Settle("epsilon", w, "the largest of them is the factor stated, and epsilon its logarithm rounded up")
	checkBinding(v, at)
}

// checkBinding recomputes the set of letters that decides epsilon.
func checkBinding(v *document.View, at int) {
	const name = "binding set"
	b := v.Report.Binding
	if v.Report.NoneDrawn() {
		v.Add(name, b == nil, "%s", document.Either(b == nil,
			"no row is drawn by the plan, and nothing is said of what decides it",
			"no row is drawn by the plan, and the report says what decides it"))
		return
	}
	if at < 0 || b == nil {
		v.Add(name, at < 0 && b == nil, "%s", document.Either(at < 0 && b == nil, "no output is ever produced",
			"the report and the plan do not agree whether there is one"))
		return
	}
	letters, records := 0, int64(0)
	for x, r := range v.Rows {
		for _, y := range r.Output {
			if int(y) == at && v.Count[x] > 0 {
				letters++
				records += v.Count[x]
			}
		}
	}
	var w document.Faults
	w.Match(b.Output == v.Plan.Outputs[at], "the output that decides epsilon")
	w.Match(b.Letters == letters && b.Records == records, "the set of letters behind it")
	v.Settle(name, w, "epsilon is decided by %d letters that %d records hold", letters, records)
}

// CheckTarget compares the factor reached with the epsilon that was asked for.
func CheckTarget(v *document.View) {
	const name = "target"
	t, ok := exact.ParseTarget(v.Plan.Epsilon.Target)
	var w document.Faults
	if !ok {
		w.Addf("the target is neither a decimal nor log(p/q)")
	}
	w.Match(v.Report.Epsilon.Target == v.Plan.Epsilon.Target, "the report's target, which the plan has otherwise")
	w.Match(v.Report.Epsilon.Asked == v.Plan.Epsilon.Asked, "the epsilon asked for, which the plan has otherwise,")
	if above := v.Plan.Epsilon.Asked; above != "" {
		from, known := exact.ParseTarget(above)
		w.Match(known && from.Float() >= t.Float() && (v.Report.Command == "apply" || v.Lowered(above)),
			"the epsilon asked for, of which the target is a part,")
	} else if j := v.Report.Joint; j != nil && v.Report.Command != "apply" {
		w.Match(j.Scale == "" || j.Scale == "1", "the epsilon asked for, which was lowered and is not stated,")
	}
	for _, asked := range []string{v.Report.Option("epsilon"), factorOption(v)} {
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
	w.Match(v.Report.Prior.Only == (v.Plan.Prior != nil && v.Plan.Prior.Only),
		"whether the records' own frequencies were given up")
	if asked := v.Report.Option("prior-only"); asked != "" && v.Plan.Prior != nil && v.Report.Command == "run" &&
		v.Report.Pinned == nil {
		w.Match((asked == "true") == v.Plan.Prior.Only,
			"whether the records' own frequencies were given up, which the options have otherwise,")
	}
	v.Settle(name, w, "the factor reached is at most e^epsilon of the epsilon asked for, exactly")
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
	if h == nil {
		if v.Report.Design.Spare != "" {
			v.Add(name, false, "the report states headroom that the plan does not have")
		}
		return
	}
	share, ok := exact.Fraction(h.Share)
	t, known := exact.ParseTarget(v.Plan.Epsilon.Target)
	lower, stated := exact.ParseTarget(h.Target)
	var w document.Faults
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
	w.Match(v.Report.Design.Spare == h.Share, "the headroom that the report states")
	if v.Most != nil && !lower.Admits(v.Most) {
		w.Addf("the factor reached is above the one designed for")
	}
	if v.Strata != nil && !v.Plan.Strata.Only && !lower.Admits(shifted(v)) {
		w.Addf("records that drift from stratum to stratum may take whoever does not know it beyond epsilon")
	}
	v.Settle(name, w, "shares of letters may fall to 1/(1+%s) of what they were before epsilon fails", h.Share)
}
