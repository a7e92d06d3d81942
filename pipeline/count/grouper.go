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

// NewGrouper is for a plan whose groups are of strata.
func NewGrouper(p *plan.Plan) *Grouper {
	return &Grouper{p.Given.Spec, p.GroupOf()}
}

// Reader is for one unit.
func (g *Grouper) Reader() *plan.Reader { return plan.NewReader(g.spec, g.place) }
