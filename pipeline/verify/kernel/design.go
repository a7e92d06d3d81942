package kernel

import (
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel/files"
)

// A Design is what draws of a night depend on, and the counts that it was made from.
type Design struct {
	Inputs, Outputs []files.Label
	Rows            []Row
	Count           []int64
}

// Design is that of the release's own plan; nil where rows are not known, or several
// mechanisms draw.
func (f *Facts) Design(p *Plan) *Design {
	if len(f.Groups) != 1 {
		return nil
	}
	return &Design{p.Inputs, p.Outputs, f.Groups[0].Rows, f.Groups[0].Prior}
}

// Designed reads a plan that is not the release's own, and holds it to its hashes; nil where
// they do not fit, or several mechanisms draw.
func Designed(r *Release) *Design {
	read, err := ReadPlan(r.PlanData, "the plan")
	if err != nil {
		return nil
	}
	p := &proof{Release: r, Facts: &Facts{}, Result: &Result{}}
	p.Plan, p.Claimed.Followed = read, true
	if p.plan(); len(p.Failed()) > 0 {
		return nil
	}
	return p.Facts.Design(read)
}
