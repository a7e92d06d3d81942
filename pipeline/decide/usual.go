package decide

import (
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/request"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// usualCells is N M up to which the default limit is looked for: some seconds of search.
const usualCells = 1 << 18

// Usual is the decision, without the limit of the shift where that is the default and no
// design of the order may keep it: for the number of values, or for values that no output
// stands for. How many records hold a value decides nothing of it.
func Usual(asked *request.Decision, d *count.Domain, r *utility.Result) *request.Decision {
	switch {
	case !asked.Usual.Limit || asked.Goal.MaxShift == nil:
		return asked
	case r.Order.Inputs()*r.Order.Outputs() > usualCells:
		return asked.Unlimited("the values are too many for the designs that keep one")
	case slices.Contains(plan.Stands(r.Outputs, d.Letters), -1):
		return asked.Unlimited("some values are no output of the order")
	}
	return asked
}
