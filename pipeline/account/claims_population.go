package account

import (
	"fmt"
	"math"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// ofPopulation is what holds of the law that the records were drawn from.
func ofPopulation(r *report.Report) (claim.Value, bool) {
	b := r.Population
	if b == nil {
		return claim.Value{}, false
	}
	v := knows.claim(r, claim.Reached)
	v.Relative, v.Asked, v.Note, v.Names = claim.Population, b.Delta, ruleWords[b.Rule], nil
	worst := worstStratum(r)
	switch {
	case b.Bounded:
		v.Figure = &claim.Figure{Nats: b.Nats, Times: math.Nextafter(math.Exp(b.Nats), math.Inf(1))}
		v.Note += worst
	case worst != "":
		v.Note = strings.TrimPrefix(worst, "; ")
	default:
		v.Note = fmt.Sprintf("%s over %s are too few for any bound", report.Several(b.Records, "record", "records"),
			report.Several(b.Letters, "value", "values"))
	}
	return v, true
}

// worstStratum says which of the strata decides the bound, "" without strata.
func worstStratum(r *report.Report) string {
	b, open, least := r.Population, 0, int64(math.MaxInt64)
	for _, s := range b.Strata {
		switch {
		case !s.Bounded:
			open++
			least = min(least, s.Records)
		case b.Bounded && s.Nats == b.Nats:
			return fmt.Sprintf("; the worst of %d strata has %s", len(b.Strata), report.Several(s.Records, "record", "records"))
		}
	}
	if open == 0 {
		return ""
	}
	return fmt.Sprintf("; %d of %d strata have too few records for any bound, the smallest %d", open, len(b.Strata), least)
}

// ruleWords name the rules.
var ruleWords = map[string]string{"letters": "lower bounds of Clopper and Pearson for every value",
	"split": "this file's records, which the plan does not depend on"}
