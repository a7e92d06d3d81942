package count

import (
	"slices"

	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// A Grouper is the group of a plan that a stratum is in; nil where no column tells records
// apart: they are one group.
type Grouper func(report.Label) int32

// NewGrouper is that of a plan.
func NewGrouper(p *plan.Plan) Grouper {
	if p.Given.Column == "" {
		return nil
	}
	return p.GroupOf()
}

// Groups read those of the records of a batch, for several plans by one column.
type Groups []*plan.Reader

// GroupsBy are for one unit; none where no plan has strata.
func GroupsBy(by []Grouper) (all Groups) {
	for i, g := range by {
		if g == nil {
			continue
		}
		if all == nil {
			all = make(Groups, len(by))
		}
		all[i] = plan.NewReader(g)
	}
	return all
}

// Read puts the group of every record into to, by plan: a plan without strata has one. The
// column is at this place of those that are read beside.
func (all Groups) Read(to [][]int32, b *table.Batch, at int) error {
	for i, r := range all {
		if to[i] = to[i][:0]; r == nil {
			to[i] = append(to[i], make([]int32, len(b.Letters[0]))...)
			continue
		}
		if to[i] = r.Append(to[i], &b.Beside[at]); slices.Contains(to[i], -1) {
			return table.ErrUnseen
		}
	}
	return nil
}
