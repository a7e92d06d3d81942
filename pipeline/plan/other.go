package plan

import (
	"fmt"
	"slices"

	"github.com/tacet-privacy/tacet/io/table"
)

// An Other is the rule that makes rare values one letter: those of few records when the plan
// was made, and all that come later.
type Other struct {
	Label    string `json:"label"`     // of the letter, which is an input
	MinCount int64  `json:"min_count"` // values of fewer records are merged
	// Plans of earlier versions list these values, which have the row of Label, among their
	// inputs: those that were merged, and of plans that were applied those that came later.
	Merged  []string `json:"merged,omitzero"`
	Lent    []string `json:"lent,omitempty"` // for which the order has no row
	Adopted []string `json:"adopted,omitempty"`
	Extends string   `json:"extends,omitempty"` // plan_sha256 of the plan before they came
}

// listed is how many values a plan of an earlier version lists beside the letter.
func (o *Other) listed() int {
	if o == nil {
		return 0
	}
	return len(o.Merged) + len(o.Adopted)
}

// Has reports whether a value that the plan lists is the letter, or has its row.
func (o *Other) Has(label string) bool {
	return label == o.Label || slices.Contains(o.Merged, label) || slices.Contains(o.Adopted, label)
}

// Origin is the hash of the plan before any value was adopted: its own where none was.
func (p *Plan) Origin() string {
	if p.Other != nil && p.Other.Extends != "" {
		return p.Other.Extends
	}
	return p.Hash
}

// Rest is the letter of every value that the plan does not list, -1 where these have none. What
// an output tells of such a value is what it tells of the letter, but for mechanisms that
// differ by stratum: shares of its records in the strata are its own.
func (p *Plan) Rest() int {
	if p.Other == nil || p.Mechanism() == nil {
		return -1
	}
	return slices.Index(p.Inputs.Label, p.Other.Label)
}

// Alphabet is that of the inputs in a column of a type.
func (p *Plan) Alphabet(t table.Type) (*table.Alphabet, error) {
	a, err := table.ParseAlphabet(t, p.Inputs.Label, p.Inputs.Null)
	if rest := p.Rest(); err == nil && rest >= 0 {
		a = a.Else(rest)
	}
	return a, err
}

// verifyOther: values that are listed have as many records as the rule says, or the row of its
// letter.
func (p *Plan) verifyOther() error {
	o := p.Other
	if o == nil {
		return nil
	}
	other := slices.Index(p.Inputs.Label, o.Label)
	if other < 0 {
		return fmt.Errorf("rare values become a value that it does not have")
	}
	for x, l := range p.Inputs.Label {
		has := o.Has(l)
		if !has && p.Records().Count(x) < o.MinCount {
			return fmt.Errorf("a value of few records has a row of its own")
		}
		for _, g := range p.Groups {
			if has && !sameRow(g.Mechanism.Row(x), g.Mechanism.Row(other)) {
				return fmt.Errorf("values that it treats alike have several rows")
			}
		}
	}
	return nil
}
