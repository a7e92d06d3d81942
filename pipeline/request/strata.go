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

// ParseStrata reads --strata; its zero value where the promise is not given a column.
func (o *Options) ParseStrata() (s plan.Spec, err error) {
	if o.Strata == "" {
		return s, nil
	}
	if s, err = plan.Parse(o.Strata); err != nil {
		return s, fault.New(fault.Usage,
			"give a column that stays, or a function of a date or timestamp: --strata region, --strata 'weekday(date)'",
			"--strata: %v", err)
	}
	return s, nil
}

// checkStrata finds contradictions in what is asked for of strata.
func (o *Options) checkStrata() []*fault.Fault {
	s, err := o.ParseStrata()
	if err != nil {
		return fault.And(nil, err)
	}
	none := s.Column == ""
	return found([]conflict{
		{o.StrataMin < 0, "give a number of records from 1 on", "--strata-min is negative"},
		{none && o.StrataMin > 0, "name the group column with --strata", "--strata-min is given without --strata"},
		{none && o.GivenOnly, "name the group column with --strata", "--given-only is given without --strata"},
		{!none && s.Column == o.Column, "name another column", "--strata names the private column"},
		{!none && o.Ledger != "", "leave one of them out",
			"--strata does not go with a ledger: its history of a record follows one mechanism, and a record may change its " +
				"stratum"},
		{!none && o.Person != "", "draw by --record-id, or leave one of them out",
			"--strata does not go with --person: the rows of one person may be in several strata"},
		{!none && slices.Contains(o.RecordID, s.Column), "name another column",
			"--strata names a record id"},
		{!none && o.Robust, "remove one of them; --confidence alone bounds epsilon for the population of every stratum",
			"--strata does not go with --robust: each stratum would need an epsilon of its own to design for"},
		{!none && (o.Prior != "" || o.Smooth != ""), "leave one of them out",
			"--strata does not go with --prior or --smooth: every stratum uses the frequencies of its own records"},
		{!none && (len(o.Columns) > 1 || o.JointEpsilon != ""), "release the columns one at a time",
			"--strata does not go with several private columns"},
		{o.Counts != "" && len(o.Keep)+len(o.Drop) > 0, "remove it, or give --input",
			"--keep and --drop need --input: a counts file has no columns"},
		{!none && o.Counts != "", "give --input instead of --counts",
			"--strata needs --input: a counts file does not say to which stratum a record belongs"},
	})
}

// Following are the options as a plan settles them: its column, nulls and strata,
// which are checked again.
func (o *Options) Following(p *plan.Plan) (*Options, error) {
	own := *o
	own.Column, own.Null, own.Strata, own.GivenOnly = p.Column, p.Null, p.Given.String(), p.Given.Only
	return &own, fault.Together(own.checkStrata())
}
