package mechanism

import (
	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// binsOf is the plan's rule, nil where it has none or one that cannot be read.
func binsOf(v *document.View) *files.Bins {
	if v.Plan.Bins == nil {
		return nil
	}
	b, ok := files.NewBins(v.Plan.Bins)
	if !ok {
		return nil
	}
	return b
}

// CheckBins reads the rule by which the plan puts values into bins. That the counts are
// those of the bins shows where the input is counted.
func CheckBins(v *document.View) {
	if v.Plan.Bins == nil {
		return
	}
	var w document.Faults
	b := binsOf(v)
	if b == nil {
		w.Addf("the plan has bins that are none")
		v.Settle("bins", w, "")
		return
	}
	bins := func(labels []files.Label) (n int) {
		for _, l := range labels {
			if _, _, ok := b.Ends(l.Text); ok && !l.Null {
				n++
			}
		}
		return n
	}
	in, out := bins(v.Plan.Inputs), bins(v.Plan.Outputs)
	w.Match(in > 0 || v.Empty(), "a column in bins of which no value is one, which")
	for x, l := range v.Plan.Inputs {
		if _, _, ok := b.Ends(l.Text); !ok && !l.Null && v.Plan.Prior == nil && x < len(v.Plan.Counts) &&
			v.Plan.Counts[x] != "0" {
			w.Addf("input %d holds records, and is no bin", x+1)
		}
	}
	v.Settle("bins", w, "%d inputs and %d outputs are bins of %s values, %s", in, out, b.Of, b.Spec)
}
