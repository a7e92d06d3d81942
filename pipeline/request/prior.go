package request

import (
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// checkPrior finds contradictions that need no file.
func (o *Options) checkPrior() []*fault.Fault {
	declared := o.Prior != "" || slices.ContainsFunc(o.Columns, func(c *Options) bool { return c.Prior != "" })
	faults := found([]conflict{
		{o.Prior != "" && o.Smooth != "", "give only one of them", "--prior and --smooth are both given"},
		{o.PriorOnly && !declared && o.Smooth == "", "give the prior with --prior or --smooth, or remove --prior-only",
			"--prior-only is given without a prior"},
	})
	if o.Smooth != "" {
		_, _, err := o.ParseSmooth()
		faults = fault.And(faults, err)
	}
	return faults
}

// ParseSmooth reads --smooth as add/per.
func (o *Options) ParseSmooth() (add, per int64, err error) {
	r, ok := report.Number(o.Smooth)
	if !ok || r.Sign() == 0 || !r.Num().IsInt64() || !r.Denom().IsInt64() {
		return 0, 0, fault.New(fault.Usage, "give the number of records to add to every value, such as 0.5 or 1/2",
			"--smooth %q is not a number above 0", o.Smooth)
	}
	return r.Num().Int64(), r.Denom().Int64(), nil
}

// checkRare finds contradictions that need no file.
func (o *Options) checkRare() []*fault.Fault {
	return found([]conflict{
		{o.MinCount < 0, "give a number of records, 1 or more", "--min-count is negative"},
		{o.MinCount > 0 && o.Other == "", "name the value that rare values become: --other OTHER",
			"--min-count needs --other"},
		{o.Other != "" && o.MinCount == 0, "say which values are rare: --min-count 10", "--other needs --min-count"},
		{o.Other != "" && o.Prefer == Unchanged, "leave one of them out",
			"--prefer unchanged does not go with --other: a merged value has no output of its own"},
	})
}
