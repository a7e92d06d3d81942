package report

// Population is what the records say of the law that they were drawn from: two
// readings of one release stand side by side, "this file" (Epsilon) and "the
// population" (this). Nats are rounded up.
type Population struct {
	// chance over the sample that the claim fails, as the user wrote it
	Delta   string `json:"delta"`
	Bounded bool   `json:"bounded"` // something can be said
	// that gives the least bound: "letters" or "split"
	Rule    string  `json:"rule,omitempty"`
	Nats    float64 `json:"nats,omitempty"` // epsilon for the population is at most this
	Records int64   `json:"records"`        // of the sample that the design was made from
	Letters int     `json:"letters"`        // over which the law may be any
	// "declared", "order" (it lists them), "observed" or "the plan": where the letters come from
	Domain string `json:"domain"`
	Rules  []Rule `json:"rules"` // all that were tried; they share delta
	// where the promise holds given a column: of its groups, in their order; the largest counts
	Strata []StratumBound `json:"strata,omitempty"`
	If     []string       `json:"conditions"` // that the claim needs
}

// StratumBound is what the records of a stratum say of the law that they were
// drawn from.
type StratumBound struct {
	Records int64   `json:"records"`
	Bounded bool    `json:"bounded"`
	Rule    string  `json:"rule,omitempty"` // that gives the least bound
	Nats    float64 `json:"nats,omitempty"`
	Rules   []Rule  `json:"rules"` // all that were tried; they and the other strata share delta
}

// Rule is one way to bound the leakage of the population.
type Rule struct {
	Rule    string  `json:"rule"`
	Delta   float64 `json:"delta"`   // its share
	Bounded bool    `json:"bounded"` // it says something
	Nats    float64 `json:"nats,omitempty"`
	Output  *Label  `json:"output,omitempty"`  // that decides
	Records int64   `json:"records,omitempty"` // of the independent sample, for "split"
}

// Other says which value rare values are counted as.
type Other struct {
	Label    string `json:"label"`
	MinCount int64  `json:"min_count"` // values of fewer records are counted as Label
	Records  int64  `json:"records"`   // that Label had when the plan was made
}
