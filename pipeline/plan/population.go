package plan

// A Population is what was decided of the population before a record was
// touched: what is claimed, by which rules, and over which letters. It is the
// member "population" of plan.json.
type Population struct {
	Delta   string   `json:"delta"`   // chance that the claim fails, as the user wrote it
	Rules   []string `json:"rules"`   // "letters", or none where the plan knows nothing of the records
	Letters int      `json:"letters"` // over which the law may be any
	Domain  string   `json:"domain"`  // "declared", or "observed" where the letters are those of the data
}
