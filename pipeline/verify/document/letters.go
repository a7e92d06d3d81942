package document

import "github.com/tacet-privacy/tacet/pipeline/verify/cells"

// A planPrior is there where the plan's counts are not those of the records.
type planPrior struct {
	Of      string   `json:"of"`
	Smooth  string   `json:"smooth"`
	Records []string `json:"records"`
}

// A planOther says which letters are treated alike.
type planOther struct {
	Label    string   `json:"label"`
	MinCount int64    `json:"min_count"`
	Merged   []string `json:"merged"`
	Adopted  []string `json:"adopted"`
	Extends  string   `json:"extends"`
}

// An otherClaim is what the report says of them.
type otherClaim struct {
	Label    string `json:"label"`
	MinCount int64  `json:"min_count"`
	Letters  int    `json:"letters"`
	Records  int64  `json:"records"`
	Adopted  int    `json:"adopted"`
}

// A planPopulation is what the plan decides of the population.
type planPopulation struct {
	Delta   string   `json:"delta"`
	Rules   []string `json:"rules"`
	Sets    int      `json:"sets"`
	Letters int      `json:"letters"`
	Domain  string   `json:"domain"`
	Design  string   `json:"design_factor"`
}

// A populationClaim is what the report says of it.
type populationClaim struct {
	Delta   string      `json:"delta"`
	Bounded bool        `json:"bounded"`
	Rule    string      `json:"rule"`
	Nats    float64     `json:"nats"`
	Records int64       `json:"records"`
	Sets    int         `json:"sets"`
	Letters int         `json:"letters"`
	Domain  string      `json:"domain"`
	Rules   []RuleClaim `json:"rules"`
	Design  string      `json:"design_factor"`
	If      []string    `json:"conditions"`
	Strata  []struct {
		Records int64       `json:"records"`
		Bounded bool        `json:"bounded"`
		Rule    string      `json:"rule"`
		Nats    float64     `json:"nats"`
		Rules   []RuleClaim `json:"rules"`
	} `json:"strata"`
}

// A RuleClaim is what one rule bounds epsilon by.
type RuleClaim struct {
	Rule    string       `json:"rule"`
	Delta   float64      `json:"delta"`
	Bounded bool         `json:"bounded"`
	Nats    float64      `json:"nats"`
	Output  *cells.Label `json:"output"`
	Radius  float64      `json:"radius"`
	Records int64        `json:"records"`
}

// Same compares what two claims state.
func (c RuleClaim) Same(d RuleClaim) bool {
	return c.Rule == d.Rule && c.Delta == d.Delta && c.Bounded == d.Bounded && c.Nats == d.Nats && c.Radius == d.Radius && c.Records == d.Records
}

// A PlanHeadroom is what a plan was designed for below its epsilon.
type PlanHeadroom struct {
	Share  string `json:"share"`
	Target string `json:"target"`
}
