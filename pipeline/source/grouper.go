package source

import (
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/strata"
)

// A Grouper knows which group of a plan a record is in.
type Grouper struct {
	spec  strata.Spec
	place func(report.Label) int32
}

// NewGrouper is for a plan with strata.
func NewGrouper(p *plan.Plan) *Grouper {
	return &Grouper{strata.Spec{Column: p.Strata.Column, Function: p.Strata.Function}, p.Strata.Of()}
}

// Reader is for one unit.
func (g *Grouper) Reader() *strata.Reader { return strata.NewReader(g.spec, g.place) }
