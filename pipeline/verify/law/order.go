package law

import (
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/subject"
	"github.com/tacet-privacy/tacet/pipeline/verify/table"
	"github.com/tacet-privacy/tacet/pipeline/verify/verdict"
)

// tableCells is the size up to which order.csv is a table.
const tableCells = 10_000_000

// CheckOrder reads order.csv and derives the support that the floor leaves.
func CheckOrder(v *subject.View, data []byte) {
	const name = "order"
	if v.Empty() {
		v.Add(name, len(data) == 0, "there are no letters, and so no order")
		return
	}
	if !strings.HasPrefix(v.Plan.Order.Load, "matrix:") {
		if len(v.Plan.Inputs)*len(v.Plan.Outputs) > tableCells {
			v.Skip(name, "order.csv is the spec's own file, not a table of utilities")
		} else {
			v.Add(name, false, "the plan says that order.csv is no table of utilities, and it is small enough to be one")
		}
		return
	}
	o, why := table.ReadOrder(data, v.Plan.Inputs, v.Plan.Outputs)
	if why != "" {
		v.Add(name, false, "%s", why)
		return
	}
	var w verdict.Faults
	ties := o.Tied()
	w.Match(ties == v.Plan.Order.Ties && ties == v.Report.Order.Ties, "the number of rows with ties")
	p, r := v.Plan.Order, v.Report.Order
	w.Match(r.Spec == p.Spec && r.Form == p.Form && r.Extra == p.Extra, "the report's order, which the plan has otherwise")
	v.Settle(name, w, "%d by %d utilities, labels as in the plan, %d rows with ties", len(v.Plan.Inputs), len(v.Plan.Outputs), ties)
	v.Order = o
	v.Allow = SupportOf(v, o)
}
