package count

import (
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// A Grouper knows which group of a plan a record is in.
type Grouper struct {
	spec  plan.Spec
	place func(report.Label) int32
}

// NewGrouper is nil where no column tells records apart: they are one group.
func NewGrouper(p *plan.Plan) *Grouper {
	if p.Given.Column == "" {
		return nil
	}
	return &Grouper{p.Given.Spec, p.GroupOf()}
}

// Reader is for one unit; nil where there is nothing to read.
func (g *Grouper) Reader() *plan.Reader {
	if g == nil {
		return nil
	}
	return plan.NewReader(g.spec, g.place)
}
