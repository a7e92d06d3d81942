package decide

import (
	"slices"

	"github.com/tacet-privacy/tacet/mechanism/blocks"
	"github.com/tacet-privacy/tacet/mechanism/design"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/request"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// UsualCells is N M up to which the optimum within the default limit is looked for: some
// seconds of search.
const UsualCells = 1 << 18

// Usual is the decision, with blocks as its design where the default limit of the shift is
// too much to ask of others, and without that limit where no design of the order may keep
// it: for the number of values, or for values that no output stands for. How many records
// hold a value decides nothing of it.
func Usual(asked *request.Decision, d *count.Domain, r *utility.Result) *request.Decision {
	large := r.Order.Inputs()*r.Order.Outputs() > UsualCells
	switch {
	case !asked.Usual.Limit || asked.Goal.MaxShift == nil:
		return asked
	case slices.Contains(plan.Stands(r.Outputs, d.Letters), -1):
		return asked.Unlimited("some values are no output of the order")
	case large && (asked.Goal.Kind == "optimal" || asked.Strata.Column != "" ||
		asked.Prior.File+asked.Prior.Smooth != "" || !blocks.Fit(r.Order)):
		return asked.Unlimited("the values are too many for the designs that keep one")
	case large:
		of := *asked
		of.Goal.Kind = design.Blocks
		return &of
	}
	return asked
}
