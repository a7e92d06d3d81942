package verify

import (
	"cmp"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
)

// What reports say of letters that nobody declared.
const (
	unseenNone    = "none, the values are those of the file"
	unseenRefused = "refused"
	unseenAdded   = "values of the file that the domain does not name were added to it"
)

// checkDomain holds what is said of the letters to plan, input and declared
// files. How many letters a file declared is not to be seen.
func checkDomain(v *document.View, f *document.Files) {
	var w document.Faults
	rule, unseen, named := "observed", unseenNone, int64(0)
	declared := v.Report.Option("domain") != "" || v.Report.Option("prior") != "" ||
		slices.ContainsFunc(v.Report.List("declared"),
			func(s document.Node) bool { return s.Text("flag") == "domain" || s.Text("flag") == "prior" })
	switch {
	case v.Report.Command == "apply":
		rule, unseen = "the plan", unseenRefused
	case declared:
		rule, unseen = "declared", unseenAdded
	}
	if v.Plan.Other != nil { // and the letter that rare ones are treated as
		unseen, named = "treated as "+v.Plan.Other.Label, 1
	}
	here := v.Sample()
	switch {
	case f.In != nil && v.Pairs != nil:
		here = v.Pairs.In
	case v.Report.Command == "apply":
		here = nil
	}
	var observed any = document.Stated{}
	if here != nil {
		observed = exact.Occur(here)
	}
	figures := document.Figures{"rule": rule, "unseen": unseen, "null": cmp.Or(v.Plan.Null, "refuse"),
		"observed": observed, "declared": document.Rule(func(n document.Node) bool {
			return n.IsNumber() && n.Int("") >= 0 && (rule != "observed" || n.Int("") <= named)
		})}
	if b := v.Plan.Bins; b != nil {
		figures["bins"] = document.Figures{"spec": b.Spec, "of": b.Of, "as": b.As}
	}
	v.Expect(&w, document.Figures{"domain": figures})
	v.Settle("domain", w, "%s, %d observed; nulls: %s", rule, v.Report.Int("domain.observed"), cmp.Or(v.Plan.Null,
		"refuse"))
}
