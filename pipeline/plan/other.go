package plan

// An Other says which letters are treated alike: those of few records, and
// those that a plan saw for the first time when it was applied.
type Other struct {
	Label    string   `json:"label"`     // the letter whose row they have
	MinCount int64    `json:"min_count"` // letters of fewer records are merged
	Merged   []string `json:"merged"`    // labels
	// of these, for which the order has no row: they are judged by that of Label
	Lent    []string `json:"lent,omitempty"`
	Adopted []string `json:"adopted,omitempty"` // labels that came later
	Extends string   `json:"extends,omitempty"` // plan_sha256 of the plan before they came
}

// Late reports values that came after a smoothed prior was made, which adds nothing to them.
func (p *Plan) Late() bool { return p.Of == Smoothed && p.Other != nil && len(p.Other.Adopted) > 0 }

// Origin is the hash of the plan before any value was adopted: its own where none was.
func (p *Plan) Origin() string {
	if p.Other != nil && p.Other.Extends != "" {
		return p.Other.Extends
	}
	return p.Hash
}
