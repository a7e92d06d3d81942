package request

import (
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
)

// leastStratum is the number of records below which strata that are not
// published are merged, unless another is asked for: fewer give no frequencies
// to speak of.
const leastStratum = 100

// noJoint says why several private columns with strata have no bound together. Who knows
// the group has a joint factor in it; for anybody else the outputs are a mean of products,
// of which a bound is told that no design is held to.
const noJoint = "--strata does not go with --joint-epsilon: someone who does not know the group sees a mixture of " +
	"mechanisms, and no design is held to a joint epsilon for mixtures"

// checkStrata finds contradictions in what is asked for of strata.
func (o *Options) checkStrata() []*fault.Fault {
	none := o.Strata == ""
	return found([]conflict{
		{none && o.GivenOnly, "name the group column with --strata", "--given-only is given without --strata"},
		{!none && o.Strata == o.Column, "name another column", "--strata names the private column"},
		{!none && o.Ledger != "", "leave one of them out",
			"--strata does not go with a ledger: nothing is proven of what several releases tell of a record that changes its " +
				"stratum, and so its mechanism"},
		{!none && o.Person != "", "draw by --record-id, or leave one of them out",
			"--strata does not go with --person: nothing is proven of what the rows of one person tell where they are in " +
				"several strata"},
		{!none && slices.Contains(o.RecordID, o.Strata), "name another column", "--strata names a record id"},
		{!none && o.JointEpsilon != "", "leave one of them out; joint.json says what the columns tell together", noJoint},
		{none && o.Counts != nil && len(o.Keep)+len(o.Drop) > 0, "remove it, or give --input",
			"--keep and --drop need --input: a counts file has no columns"},
	})
}

// Following are the options as a plan settles them: its column, nulls and strata,
// which are checked again.
func (o *Options) Following(p *plan.Plan) (*Options, error) {
	own := *o
	own.Column, own.Null, own.Strata, own.GivenOnly = p.Column, p.Null, p.Given.Column, p.Given.Only
	own.Bins = p.Bins.Asked()
	return &own, fault.Together(own.checkStrata())
}
