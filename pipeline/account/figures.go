package account

import (
	"fmt"
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// changed are the records whose value is another than it was.
func changed(r *report.Report) (claim.Value, bool) {
	allowed := fmt.Sprint(r.Floor.Least)
	if r.Floor.Least < r.Floor.Most {
		allowed += fmt.Sprintf(" to %d", r.Floor.Most)
	}
	return claim.Value{Figure: &claim.Figure{Count: r.Records - r.Utility.Unchanged, Exact: true},
		Facts: claim.Facts{Note: fmt.Sprintf("of %d records; %s, %s per record", r.Records,
			report.Several(len(r.Outputs), "output", "outputs"), allowed)}}, true
}

// confirmable is the share of records from which on epsilon lets an output confirm
// a value.
func confirmable(r *report.Report) (claim.Value, bool) {
	f := Confirmable(r.Most)
	return claim.Value{Figure: f, Facts: claim.Facts{Note: r.Whose()}}, f != nil
}

// Confirmable is that share for the factor e^epsilon: one over it, rounded down; nil for
// what is no factor.
func Confirmable(factor float64) *claim.Figure {
	if !(factor >= 1) {
		return nil
	}
	share := 1 / factor
	if exact := new(big.Rat).Inv(new(big.Rat).SetFloat64(factor)); new(big.Rat).SetFloat64(share).Cmp(exact) > 0 {
		share = math.Nextafter(share, 0)
	}
	return &claim.Figure{Share: share}
}
