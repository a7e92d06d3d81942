package figures

import (
	"math/big"

	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/pair"
	"github.com/tacet-privacy/tacet/pipeline/verify/subject"
	"github.com/tacet-privacy/tacet/pipeline/verify/verdict"
)

// CheckOwn recomputes what is leaked relative to the file's own counts, and
// how these make a smoothed prior.
func CheckOwn(v *subject.View, f *pair.Files) {
	const name = "own counts"
	r, p := v.Report.Prior, v.Plan.Prior
	if p == nil && r.Own == "" && (r.Of == "this file" || r.Of == "the plan") {
		return
	}
	if v.Rows == nil || len(v.Count) != len(v.Plan.Inputs) {
		v.Skip(name, "the rows are not known")
		return
	}
	var w verdict.Faults
	want := "the plan"
	if p != nil {
		if len(p.Records) != len(v.Count) {
			w.Addf("the plan has %d letters with records for %d inputs", len(p.Records), len(v.Count))
		}
		for x, s := range p.Records {
			if _, ok := exact.Whole(s); !ok {
				w.Addf("the records of input %d are no number", x+1)
			}
		}
		switch p.Of {
		case "declared":
			want = "declared prior"
		case "smoothed":
			want = "this file, smoothed"
			checkSmoothed(v, &w)
		default:
			w.Addf("the plan does not say what its prior is")
		}
	}
	if v.Report.Command != "apply" {
		w.Match(r.Of == want, "what the prior is")
	}
	own := v.Sample()
	if v.Report.Command == "apply" {
		if f.In == nil || v.Pairs == nil {
			v.Skip(name, "no input")
			return
		}
		own = v.Pairs.In
	}
	most := big.NewRat(1, 1)
	for _, k := range exact.Factors(v.Rows, own, exact.Sum(own), len(v.Plan.Outputs)) {
		if k != nil && k.Cmp(most) > 0 {
			most = k
		}
	}
	if exact.Sum(own) > 0 {
		w.Match(r.Own == most.RatString() && exact.Nats(r.OwnNats, most), "the factor relative to the file's own counts")
	}
	v.Settle(name, w, "relative to the counts of the file itself the factor is %s", most.RatString())
}

// checkSmoothed holds the prior to the records and what was added to each.
func checkSmoothed(v *subject.View, w *verdict.Faults) {
	p := v.Plan.Prior
	t, ok := exact.ParseTarget(p.Smooth)
	add := t.Nats
	if !ok {
		if add, ok = exact.Fraction(p.Smooth); !ok && exact.Ratio.MatchString(p.Smooth) {
			add, ok = new(big.Rat).SetString(p.Smooth)
		}
	}
	if !ok || add == nil || !add.Denom().IsInt64() {
		w.Addf("what was added to every letter is no number")
		return
	}
	w.Match(v.Report.Command == "apply" || v.Report.Prior.Smooth == p.Smooth, "what was added to every letter")
	for x, n := range v.Sample() {
		want := new(big.Int).Mul(big.NewInt(n), add.Denom())
		if want.Add(want, add.Num()).Cmp(big.NewInt(v.Count[x])) != 0 {
			w.Addf("the prior of input %d is not its records and what was added", x+1)
		}
	}
}
