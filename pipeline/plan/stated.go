package plan

import (
	"fmt"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// Stated is what was declared for a plan, so that whoever follows it tells the same of it as
// the run that makes and follows it at once. No figure of the records is among it.
type Stated struct {
	Design string          `json:"design"`    // as it was asked for
	Domain string          `json:"domain"`    // "declared" where a file names values, else "observed"
	Values int             `json:"values"`    // that a file names
	All    bool            `json:"all_named"` // a file names every input
	Files  []report.Source `json:"files"`     // of the order and the values
	// why the limit of the shift that is the default was left out, "" where it was not
	NoLimit string `json:"no_limit,omitempty"`
}

// Names reports whether all inputs are among the values that are named.
func (p *Plan) Names(named map[string]bool) bool {
	for _, label := range p.Inputs.Label {
		if !named[label] {
			return false
		}
	}
	return !p.Inputs.Null && !p.Empty()
}

// stated is what was declared; nothing in a plan that does not say so.
func (p *Plan) stated() Stated {
	if p.Stated == nil {
		return Stated{}
	}
	return *p.Stated
}

// verifyStated: not more inputs are named than a file names, and no limit was left out that
// stands.
func (p *Plan) verifyStated() error {
	s := p.stated()
	if s.All && s.Values < p.Inputs.Len() || s.NoLimit != "" && p.Limit() != nil {
		return fmt.Errorf("what was declared for it does not agree with what it holds")
	}
	return nil
}
