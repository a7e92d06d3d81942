package decide

import (
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// claimable refuses a claim of the population of strata that were merged.
// Where every value of the column is a stratum, its records are independent
// draws from the law given that value, however many they are, and the rules
// hold stratum by stratum. Which strata are merged depends on how many records
// they have, and the shares of merged ones in the file are not those in the
// population: of a group of them the rules say nothing.
func claimable(confidence string, names []report.Label, rest bool) error {
	if confidence == "" || !rest || len(names) == 0 {
		return nil
	}
	return fault.New(fault.Privacy,
		"merge them before looking at the data, or remove --confidence",
		"--confidence cannot bound the population of merged strata, and %s",
		report.Several(len(names), "stratum with few records was put into the rest", "strata with few records were merged"))
}

// Claimable refuses to follow a plan where nothing can be claimed of the
// population of one of its strata; delta is the chance to fail, "" for no claim.
func Claimable(delta string, p *plan.Plan) error {
	for _, g := range p.Groups {
		if err := claimable(delta, g.Names, g.Rest); err != nil {
			return err
		}
	}
	return nil
}
