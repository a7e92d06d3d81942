package plan

import "math/big"

// A Population is what was decided of the population before a record was
// touched: what is claimed, by which rules, and over which letters and sets. It is the
// member "population" of plan.json.
type Population struct {
	Delta   string   `json:"delta"`   // chance that the claim fails, as the user wrote it
	Rules   []string `json:"rules"`   // that share Delta: "sets", "ball", "letters", "split"
	Sets    int      `json:"sets"`    // different sets S_y among which the design chose
	Letters int      `json:"letters"` // over which the law may be any, before letters were merged
	Domain  string   `json:"domain"`  // "declared", or "observed" where the letters are those of the data
	// Design is the factor that was designed for, so that the population keeps the target;
	// nil unless asked for.
	Design *big.Rat `json:"design_factor,omitempty"`
}
