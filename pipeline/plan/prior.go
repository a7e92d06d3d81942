package plan

import (
	"fmt"
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
)

// What the prior of a plan may be, other than the counts of the records.
const (
	Declared = "declared" // a law that the user declared
	Smoothed = "smoothed" // the counts, and something added to every letter
)

// priorFile is the member "prior" of plan.json, there where the counts are not
// those of the records.
type priorFile struct {
	Of      string  `json:"of"`
	Smooth  string  `json:"smooth,omitempty"`
	Only    bool    `json:"only,omitempty"` // nothing is promised relative to the records
	Records numbers `json:"records"`        // in the order of inputs
}

// Records are the counts of the records that the plan was made from.
func (p *Plan) Records() mechanism.Prior { return p.Sample }

// RecordsOf are those of a group.
func (p *Plan) RecordsOf(group int) mechanism.Prior { return p.Groups[group].Sample }

// Also are the priors beside Prior under which epsilon holds: the counts of the
// records, unless these were given up.
func (p *Plan) Also() []mechanism.Prior {
	if p.Of == "" || p.PriorOnly || p.Empty() || p.Sample.Total() == 0 {
		return nil
	}
	return []mechanism.Prior{p.Sample}
}

// Sampled is the plan as it reads with the counts of the records for its prior.
func (p *Plan) Sampled() *Plan {
	if p.Of == "" {
		return p
	}
	q, groups := *p, slices.Clone(p.Groups)
	q.Of = ""
	for i := range groups {
		groups[i].Prior = groups[i].Sample
	}
	if err := q.Recount(groups); err != nil {
		panic("plan: " + err.Error()) // they were added up before
	}
	return &q
}

// Scaled is a law as counts that add up to a multiple of n, of the least there is:
// n times the counts in lowest terms.
func Scaled(law mechanism.Prior, n int64) (mechanism.Prior, error) {
	count := law.Counts()
	common := int64(0)
	for _, c := range count {
		for a, b := common, c; ; a, b = b, a%b {
			if common = a; b == 0 {
				break
			}
		}
	}
	if common == 0 || n > 0 && law.Total()/common > math.MaxInt64/2/n {
		return law, fmt.Errorf("its counts have no room for a factor %d", n)
	}
	for x := range count {
		count[x] = count[x] / common * n
	}
	return mechanism.NewPrior(count)
}

// Blind reports whether the mechanism does not depend on the records: it was
// made for a declared prior alone, no letters were merged by their counts, and no
// strata weighed by theirs.
func (p *Plan) Blind() bool {
	return p.Of == Declared && p.PriorOnly && p.Other == nil && len(p.Groups) <= 1
}

func (p *Plan) priorFile() *priorFile {
	if p.Of == "" {
		return nil
	}
	f := &priorFile{Of: p.Of, Only: p.PriorOnly, Records: p.Sample.Counts()}
	if p.Of == Smoothed {
		f.Smooth = p.Smooth
	}
	return f
}

func (f *priorFile) restore(p *Plan) (err error) {
	if f == nil {
		p.Sample = p.Prior
		return nil
	}
	if f.Of != Declared && f.Of != Smoothed || len(f.Records) != p.Inputs.Len() {
		return fmt.Errorf("its prior is not known")
	}
	p.Of, p.Smooth, p.PriorOnly = f.Of, f.Smooth, f.Only
	if p.Sample, err = f.Records.of(len(f.Records)); err != nil {
		return fmt.Errorf("its records: %w", err)
	}
	return nil
}
