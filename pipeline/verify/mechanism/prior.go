package mechanism

import (
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
)

// CheckPrior recomputes shares of letters and the scale of epsilon.
func CheckPrior(v *document.View, f *document.Files) {
	const name = "prior and scale"
	if v.Empty() || v.Most == nil || len(v.Count) != len(v.Plan.Inputs) {
		v.Skip(name, document.Either(v.Empty(), "there are no letters", "the factor is not known"))
		return
	}
	most, least := int64(0), int64(0)
	uncapped, held := 0, int64(0)
	for _, c := range v.Count {
		if c == 0 {
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
	var w document.Faults
	p, s := v.Report.Prior, v.Report.Scale
	w.Match(exact.Near(p.Max, float64(most)/n, 0) && exact.Near(p.Min, float64(least)/n, 0),
		"the share of the commonest or rarest letter")
	unseen, late, known := withoutRecords(v, f)
	w.Match(!known || p.Unseen == unseen && p.Late == late, "the number of letters without records")
	if v.Strata != nil {
		v.Settle(name, w, "shares of letters, %d without records", unseen)
		return // the scale is of the strata
	}
	if s.Letters != nil && s.Share != nil {
		w.Match(*s.Letters == uncapped && exact.Near(*s.Share, float64(held)/n, 0),
			"the letters that may be confirmed with certainty")
	}
	if v.Total > 0 {
		w.Match(exact.Nats(s.Commonest, big.NewRat(v.Total, most)) && exact.Nats(s.Rarest, big.NewRat(v.Total, least)),
			"the epsilon from which a letter may be confirmed")
	}
	v.Settle(name, w, "shares of letters, %d without records, %d that one output may confirm with certainty", unseen,
		uncapped)
}

// withoutRecords counts the letters without a record in prior and file, and
// those with records in the file alone; letters that are treated alike are one.
// known is false where the file's records are not.
func withoutRecords(v *document.View, f *document.Files) (unseen, late int, known bool) {
	here := v.Sample()
	if v.Report.Command == "apply" {
		if f.In == nil || v.Pairs == nil {
			return 0, 0, false
		}
		here = v.Pairs.In
	}
	alike := map[string]bool{}
	if o := v.Plan.Other; o != nil {
		for _, l := range slices.Concat(o.Merged, o.Adopted, []string{o.Label}) {
			alike[l] = true
		}
	}
	var together [2]int64
	for x, l := range v.Plan.Inputs {
		if !l.Null && alike[l.Text] {
			together[0], together[1] = together[0]+v.Count[x], together[1]+here[x]
		}
	}
	for x, l := range v.Plan.Inputs {
		n := [2]int64{v.Count[x], here[x]}
		if !l.Null && alike[l.Text] {
			n = together
		}
		if n[0] == 0 && n[1] == 0 {
			unseen++
		}
		if n[0] == 0 && here[x] > 0 {
			late++
		}
	}
	return unseen, late, true
}

// CheckOwn recomputes what is leaked relative to the file's own counts, and
// how these make a smoothed prior.
func CheckOwn(v *document.View) {
	const name = "own counts"
	r, p := v.Report.Prior, v.Plan.Prior
	if p == nil {
		of := "this file"
		if r.Part != nil {
			of = "the plan"
		}
		if r.Own != "" || r.Of != of {
			v.Add(name, false, "the report says of another prior, or of a factor of its own, than its plan has")
		}
		return
	}
	if v.Rows == nil && v.Strata == nil || len(v.Count) != len(v.Plan.Inputs) {
		v.Skip(name, "the rows are not known")
		return
	}
	var w document.Faults
	want := ""
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
	w.Match(r.Of == want, "what the prior is")
	named := r.File == ""
	for _, f := range v.Report.Declared {
		named = named || want == "declared prior" && f.Flag == "prior" && f.Name == r.File
	}
	w.Match(named, "the file of the prior")
	own, most := v.Sample(), ownMost(v)
	for y, k := range exact.Factors(v.Rows, own, exact.Sum(own), len(v.Plan.Outputs)) {
		if c := v.ClaimOf(y); v.Plan.Strata == nil && v.Factor != nil && v.Factor[y] == nil {
			if v.Report.NoneDrawn() {
				k = nil
			}
			if c != nil && c.Factor == "" && c.Rows > 0 {
				c = nil // earlier draws show it, and no draw of tonight gives it
			}
			w.Match((c != nil) == (k != nil) && (c == nil || c.Own && c.Factor == k.RatString() && exact.Nats(c.Nats, k)),
				"what an output tells that only this file's records give")
		}
	}
	if t, ok := exact.ParseTarget(v.Plan.Epsilon.Target); ok && v.Held() && v.Report.Command != "apply" &&
		!t.Admits(most) {
		w.Addf("the factor relative to the file's own counts is above e^epsilon, and was not given up")
	}
	if exact.Sum(own) > 0 {
		w.Match(r.Own == most.RatString() && exact.Nats(r.OwnNats, most), "the factor relative to the file's own counts")
	}
	v.Settle(name, w, "relative to the counts of the file itself the factor is %s", most.RatString())
}

// CheckPart recomputes what is leaked relative to a part of the plan's data. That the
// records are among those of the plan is not to be seen from counts.
func CheckPart(v *document.View, f *document.Files) {
	const name = "part of the plan's data"
	r := v.Report.Prior.Part
	asked := v.Report.Option("part-of-plan") == "true"
	switch {
	case r == nil && !asked:
		return
	case r == nil || v.Made != nil || v.Report.Command != "apply":
		v.Add(name, r == nil && v.Report.Records == 0,
			"only one of the report and its options says that the file is a part, or counts of its own are stated")
		return
	case len(v.Report.Options) > 0 && !asked:
		v.Add(name, false, "the report says that the file is a part, and its options do not")
		return
	case f.In == nil || v.Pairs == nil || v.Rows == nil && v.Strata == nil:
		v.Skip(name, document.Either(f.In == nil, "no input", "the rows are not known"))
		return
	}
	var w document.Faults
	w.Match(r.Records == exact.Sum(v.Pairs.In) && r.Of == exact.Sum(v.Sample()),
		"the number of records of the part, or of the whole,")
	if v.Rows != nil {
		most := exact.Most(v.Rows, v.Pairs.In, exact.Sum(v.Pairs.In), len(v.Plan.Outputs))
		w.Match(r.Factor == most.RatString() && exact.Nats(r.Nats, most), "the factor relative to the part's own counts")
	}
	v.Settle(name, w, "%d records of %d; relative to the part alone nothing is claimed", r.Records, r.Of)
}

// checkSmoothed holds the prior to the records and what was added to each.
func checkSmoothed(v *document.View, w *document.Faults) {
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
	w.Match(v.Report.Prior.Smooth == p.Smooth, "what was added to every letter")
	groups := big.NewInt(int64(max(1, len(v.Strata)))) // each of which it was added to
	for x, n := range v.Sample() {
		want := new(big.Int).Mul(big.NewInt(n), add.Denom())
		if want.Add(want, new(big.Int).Mul(groups, add.Num())).Cmp(big.NewInt(v.Count[x])) != 0 {
			w.Addf("the prior of input %d is not its records and what was added", x+1)
		}
	}
}
