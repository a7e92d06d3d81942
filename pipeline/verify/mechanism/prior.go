package mechanism

import (
	"maps"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
)

// CheckPrior recomputes shares of letters and the scale of epsilon.
func CheckPrior(v *document.View, f *document.Files) {
	const name = "prior and scale"
	if v.Empty() || v.Most == nil || len(v.Count) != len(v.Plan.Inputs) {
		v.Leave(name, document.Either(v.Empty(), "there are no values", "the factor is not known"), "prior.max", "prior.min",
			"prior.unseen", "prior.late", "scale")
		return
	}
	most, least := slices.Max(v.Count), exact.Least(v.Count)
	n := float64(max(v.Total, 1))
	var w document.Faults
	want := Figures{"prior.max": rounded(float64(most)/n, 0), "prior.min": rounded(float64(least)/n, 0),
		"prior.unseen": Stated{}, "prior.late": Stated{}, "scale.commonest_from": 0, "scale.rarest_from": 0}
	unseen, late, known := withoutRecords(v, f)
	if known {
		want["prior.unseen"], want["prior.late?"] = unseen, late
		delete(want, "prior.late")
	}
	if v.Total > 0 && len(v.Groups)*len(v.Plan.Inputs)*len(v.Plan.Outputs) <= believedCells {
		want["scale.commonest_from"], want["scale.rarest_from"] = span(crowds(v))
	}
	v.Expect(&w, want)
	v.Settle(name, w, "shares of values, %d without records, and the factors that make the commonest and the rarest "+
		"certain", unseen)
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
	p := v.Plan.Prior
	var w document.Faults
	want := Figures{"prior.of": "this file", "prior.own_factor": nil, "prior.own_nats": nil, "prior.smooth": nil,
		"prior.file": nil}
	if p == nil {
		if v.Report.Has("prior.part") {
			want["prior.of"] = "the plan"
		}
		if v.Expect(&w, want); len(w) > 0 {
			v.Settle(name, w, "")
		}
		return
	}
	if v.Groups == nil || len(v.Count) != len(v.Plan.Inputs) {
		v.Leave(name, "the rows are not known", slices.Collect(maps.Keys(want))...)
		return
	}
	w.Match(len(p.Records) == len(v.Count), "the number of values with records")
	for x, s := range p.Records {
		if _, ok := exact.Whole(s); !ok {
			w.Addf("the records of input %d are no number", x+1)
		}
	}
	switch p.Of {
	case "declared":
		want["prior.of"] = "declared prior"
		want["prior.file"] = Stated{}
		if file := v.Report.Text("prior.file"); file != "" {
			w.Match(slices.ContainsFunc(v.Report.List("declared"),
				func(f Node) bool { return f.Text("flag") == "prior" && f.Text("name") == file }), "the file of the prior")
		}
	case "smoothed":
		want["prior.of"], want["prior.smooth"] = "this file, smoothed", p.Smooth
	default:
		w.Addf("the plan does not say what its prior is")
	}
	own, most := v.Sample(), ownMost(v)
	if t, ok := exact.ParseTarget(v.Plan.Epsilon.Target); ok && v.Held() && v.Report.Command != "apply" &&
		!t.Admits(most) {
		w.Addf("the factor relative to the file's own counts is above e^epsilon, and was not given up")
	}
	if exact.Sum(own) > 0 {
		want["prior.own_factor"], want["prior.own_nats?"] = most, most
		delete(want, "prior.own_nats")
	}
	v.Expect(&w, want)
	v.Settle(name, w, "relative to the counts of the file itself the factor is %s", most.RatString())
}

// CheckPart recomputes what is leaked relative to a part of the plan's data. That the
// records are among those of the plan is not to be seen from counts.
func CheckPart(v *document.View, f *document.Files) {
	const name = "part of the plan's data"
	stated := v.Report.Has("prior.part")
	asked := v.Report.Option("part-of-plan") == "true"
	switch {
	case !stated && !asked:
		return
	case !stated || v.Made != nil || v.Report.Command != "apply":
		v.Seen("prior.part")
		v.Add(name, !stated && v.Report.Int("records") == 0,
			"only one of the report and its options says that the file is a part, or counts of its own are stated")
		return
	case v.Report.Has("options") && len(v.Report.List("options")) > 0 && !asked:
		v.Seen("prior.part")
		v.Add(name, false, "the report says that the file is a part, and its options do not")
		return
	case f.In == nil || v.Pairs == nil || v.Groups == nil:
		v.Leave(name, document.Either(f.In == nil, "no input", "the rows are not known"), "prior.part")
		return
	}
	var w document.Faults
	n, of := exact.Sum(v.Pairs.In), exact.Sum(v.Sample())
	want := Figures{"records": n, "of": of, "factor": Stated{}, "nats": Stated{}} // of strata: see judgeStrata
	if v.Rows != nil {
		most := exact.Most(v.Rows, v.Pairs.In, n, len(v.Plan.Outputs))
		want["factor"], want["nats"] = most, most
	}
	v.Expect(&w, Figures{"prior.part": want})
	v.Settle(name, w, "%d records of %d; relative to the part alone nothing is claimed", n, of)
}
