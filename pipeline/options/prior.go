package options

import (
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/figure"
)

// checkPrior finds contradictions that need no file.
func (o *Options) checkPrior() error {
	switch {
	case o.Prior != "" && o.Smooth != "":
		return fault.New(fault.Usage, "give one of them", "--prior and --smooth are both given")
	case o.Prior != "" && o.Robust:
		return fault.New(fault.Usage, "leave one of them out", "--robust designs from the records of the file, and --prior declares what to design from")
	case o.Smooth != "":
		_, _, err := o.ParseSmooth()
		return err
	}
	return nil
}

// ParseSmooth reads --smooth as add/per.
func (o *Options) ParseSmooth() (add, per int64, err error) {
	r, ok := figure.Number(o.Smooth)
	if !ok || r.Sign() == 0 || !r.Num().IsInt64() || !r.Denom().IsInt64() {
		return 0, 0, fault.New(fault.Usage, "give how many records to add to every letter, such as 0.5 or 1/2", "--smooth %q is no number above 0", o.Smooth)
	}
	return r.Num().Int64(), r.Denom().Int64(), nil
}

// checkRare finds contradictions that need no file.
func (o *Options) checkRare() error {
	switch {
	case o.MinCount < 0:
		return fault.New(fault.Usage, "give a number of records from 1 on", "--min-count %d is negative", o.MinCount)
	case o.MinCount > 0 && o.Other == "":
		return fault.New(fault.Usage, "name the letter that they become: --other OTHER", "--min-count needs --other")
	case o.Other != "" && o.MinCount == 0:
		return fault.New(fault.Usage, "say which are rare: --min-count 10", "--other needs --min-count")
	case o.Other != "" && o.Prefer == Unchanged:
		return fault.New(fault.Usage, "leave one of them out", "--prefer unchanged does not go with --other: a merged letter has no output of its own")
	}
	return nil
}
