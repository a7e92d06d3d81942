package options

import (
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/strata"
)

// leastStratum is the number of records below which strata are merged,
// unless another is asked for: fewer give no frequencies to speak of.
const leastStratum = 100

// ParseStrata reads --strata; nil where the promise is not given a column.
func (o *Options) ParseStrata() (*strata.Spec, error) {
	if o.Strata == "" {
		return nil, nil
	}
	s, err := strata.Parse(o.Strata)
	if err != nil {
		return nil, fault.New(fault.Usage, "give a column that stays, or a function of a date or timestamp: --strata region, --strata 'weekday(date)'", "--strata: %v", err)
	}
	return &s, nil
}

// CheckStrata finds contradictions in what is asked for of strata.
func (o *Options) CheckStrata() error {
	s, err := o.ParseStrata()
	if err != nil {
		return err
	}
	for _, c := range []struct {
		wrong      bool
		hint, what string
	}{
		{o.StrataMin < 0, "give a number of records from 1 on", "--strata-min is negative"},
		{s == nil && o.StrataMin > 0, "name the column with --strata", "--strata-min is given without strata"},
		{s != nil && s.Column == o.Column, "name a column that stays beside it", "--strata names the private column"},
		{s != nil && o.Ledger != "", "leave one of them out", "--strata does not go with a ledger: its history of a record follows one mechanism, and a record may change its stratum"},
		{s != nil && o.Person != "", "draw by --record-id, or leave one of them out", "--strata does not go with --person: the rows of one person may be in several strata"},
		{s != nil && slices.Contains(o.RecordID, s.Column), "name a column that stays beside it", "--strata names a record id"},
		{s != nil && o.Robust, "leave one of them out; --confidence tells what the population of every stratum keeps", "--strata does not go with --robust: each stratum would need an epsilon of its own to design for"},
		{s != nil && (o.Prior != "" || o.Smooth != "" || o.MinCount > 0), "leave one of them out", "--strata does not go with --prior, --smooth and --min-count: every stratum has the frequencies of its own records"},
		{s != nil && o.Prefer == Unchanged, "leave one of them out", "--strata does not go with --prefer unchanged"},
		{s != nil && o.Headroom != "", "leave one of them out", "--strata does not go with --headroom"},
		{s != nil && (len(o.Columns) > 1 || o.JointEpsilon != ""), "release the columns one by one", "--strata is for one private column"},
		{s != nil && o.Counts != "", "give --input instead of --counts", "--strata needs the records: a counts file does not tell their strata"},
	} {
		if c.wrong {
			return fault.New(fault.Usage, c.hint, "%s", c.what)
		}
	}
	return nil
}

// BesideColumns are the columns that are read beside the private one: ids, then
// that of the strata.
func (o *Options) BesideColumns() []string {
	if s, err := o.ParseStrata(); err == nil && s != nil {
		return slices.Concat(o.Identifiers(), []string{s.Column})
	}
	return o.Identifiers()
}

// StratumAt is the place of the strata column among them.
func (o *Options) StratumAt() int { return len(o.Identifiers()) }

// LeastStratum is the number of records below which strata are merged.
func (o *Options) LeastStratum() int64 {
	if o.StrataMin > 0 {
		return o.StrataMin
	}
	return leastStratum
}
