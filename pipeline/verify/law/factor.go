package law

import (
	"math/big"

	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/subject"
	"github.com/tacet-privacy/tacet/pipeline/verify/verdict"
)

// CheckFactors recomputes the factor of every output and what is said of them.
func CheckFactors(v *subject.View) {
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
	var w verdict.Faults
	produced := 0
	for y, f := range v.Factor {
		if f == nil {
			continue
		}
		if produced++; at < 0 || f.Cmp(v.Most) > 0 {
			at, v.Most = y, f
		}
		claim := v.ClaimOf(y)
		if claim == nil {
			w.Addf("output %d is missing", y+1)
			continue
		}
		if claim.Factor != f.RatString() {
			w.Addf("the factor of output %d is not e^l(y)", y+1)
		}
		if !exact.Nats(claim.Nats, f) {
			w.Addf("the nats of output %d are not the logarithm rounded up", y+1)
		}
		if claim.Support != giving[y] {
			w.Addf("the support of output %d is %d letters", y+1, giving[y])
		}
	}
	if len(v.Report.Outputs) != produced {
		w.Addf("%d outputs are listed, %d can occur", len(v.Report.Outputs), produced)
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
func checkBinding(v *subject.View, at int) {
	const name = "binding set"
	b := v.Report.Binding
	if at < 0 || b == nil {
		v.Add(name, at < 0 && b == nil, "%s", verdict.Either(at < 0 && b == nil, "no output is ever produced", "the report and the plan do not agree whether there is one"))
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
	var w verdict.Faults
	w.Match(b.Output == v.Plan.Outputs[at], "the output that decides epsilon")
	w.Match(b.Letters == letters && b.Records == records, "the set of letters behind it")
	v.Settle(name, w, "epsilon is decided by %d letters that %d records hold", letters, records)
}
