// Package figures checks the other figures of a report.
package figures

import (
	"math/big"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/pair"
	"github.com/tacet-privacy/tacet/pipeline/verify/subject"
	"github.com/tacet-privacy/tacet/pipeline/verify/verdict"
)

// CheckRecords compares the numbers of records.
func CheckRecords(v *subject.View, f *pair.Files) {
	const name = "records"
	if v.Pairs == nil {
		v.Skip(name, "the records could not be counted")
		return
	}
	records := exact.Sum(v.Pairs.Out) + v.Report.Suppressed()
	if v.NullOutput() && v.Plan.Null == "public" && f.In == nil {
		v.Skip(name, "no input, and null is an output and public: the records under the promise cannot be told from the others")
		return
	}
	if f.In != nil {
		records = exact.Sum(v.Pairs.In)
	}
	if v.Report.Forbidden != 0 {
		v.Add(name, false, "the report itself counts replacements that the plan forbids")
		return
	}
	v.Add(name, records == v.Report.Records, "%s", verdict.Either(records == v.Report.Records,
		"the report counts the records under the promise", "the report counts other records under the promise than the files hold"))
}

// CheckPrior recomputes shares of letters and the scale of epsilon.
func CheckPrior(v *subject.View) {
	const name = "prior and scale"
	if v.Empty() || v.Most == nil || len(v.Count) != len(v.Plan.Inputs) {
		v.Skip(name, verdict.Either(v.Empty(), "there are no letters", "the factor is not known"))
		return
	}
	most, least, unseen := int64(0), int64(0), 0
	uncapped, held := 0, int64(0)
	for _, c := range v.Count {
		if c == 0 {
			unseen++
			continue
		}
		if most = max(most, c); least == 0 || c < least {
			least = c
		}
		if new(big.Rat).Mul(v.Most, big.NewRat(c, v.Total)).Cmp(exact.One) >= 0 {
			uncapped++
			held += c
		}
	}
	n := float64(max(v.Total, 1))
	var w verdict.Faults
	p, s := v.Report.Prior, v.Report.Scale
	w.Match(exact.Near(p.Max, float64(most)/n, 0) && exact.Near(p.Min, float64(least)/n, 0), "the share of the commonest or rarest letter")
	w.Match(p.Unseen == unseen, "the number of letters without records")
	w.Match(s.Letters == uncapped && exact.Near(s.Share, float64(held)/n, 0), "the letters that may be confirmed with certainty")
	if v.Total > 0 {
		w.Match(exact.Nats(s.Commonest, big.NewRat(v.Total, most)) && exact.Nats(s.Rarest, big.NewRat(v.Total, least)), "the epsilon from which a letter may be confirmed")
	}
	v.Settle(name, w, "shares of letters, %d without records, %d that one output may confirm with certainty", unseen, uncapped)
}

// CheckShares recomputes how often each output was written, and holds the
// list to its order, most leakage first.
func CheckShares(v *subject.View) {
	const name = "output shares"
	if v.Pairs == nil || v.Factor == nil || v.Plan.Null == "public" && v.NullOutput() {
		v.Skip(name, "the records could not be counted by output")
		return
	}
	var w verdict.Faults
	n := float64(max(exact.Sum(v.Pairs.Out)+v.Report.Suppressed(), 1))
	for y, f := range v.Factor {
		if c := v.ClaimOf(y); f != nil && c != nil && !exact.Near(c.Share, float64(v.Pairs.Out[y])/n, 0) {
			w.Addf("the share of output %d is not what the output holds", y+1)
		}
	}
	falling := slices.IsSortedFunc(v.Report.Outputs, func(a, b document.OutputClaim) int {
		p, ok := exact.Fraction(a.Factor)
		q, ok2 := exact.Fraction(b.Factor)
		if !ok || !ok2 {
			return 0
		}
		return q.Cmp(p)
	})
	if !falling {
		w.Addf("the outputs are not listed by leakage")
	}
	v.Settle(name, w, "the share of every output, most leakage first")
}

// CheckStamp looks at what the report says of itself.
func CheckStamp(v *subject.View) {
	var w verdict.Faults
	seeded := v.Report.Option("test-seed") != ""
	if seeded && v.Report.Stamp != "NOT A PRIVATE RELEASE" {
		w.Addf("the draws came from a test seed, and the report is not stamped NOT A PRIVATE RELEASE")
	}
	if v.Report.Stamp != "" && !slices.ContainsFunc(v.Report.Warnings, func(s string) bool { return strings.Contains(s, "test seed") }) {
		w.Addf("the report is stamped and does not warn of it")
	}
	var names []string
	for _, c := range v.Report.Checks {
		if names = append(names, c.Name); !c.Passed {
			w.Addf("a check of the run itself did not pass")
		}
	}
	want := []string{"rows", "alphabet"}
	if !v.Empty() {
		want = append(want, "floor", "fit")
	}
	for _, name := range want {
		if !slices.Contains(names, name) {
			w.Addf("the run's own check %q is missing", name)
		}
	}
	v.Settle("report", w, "%s", verdict.Either(v.Report.Stamp == "", "the run's own checks passed", "the run's own checks passed; stamped "+v.Report.Stamp))
}
