package oracle_test

import (
	"math/big"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/claim"
)

// checkDrift holds a promise of a plan with headroom to files into which records
// came: every share of the observer's frequencies falls to 1/(1+headroom) of what it
// was, but that of one value, or one value of one stratum.
func (r *release) checkDrift(t *testing.T, c claim.Claim) {
	t.Helper()
	room, ok := new(big.Rat).SetString(r.report.Design.Headroom)
	if !ok || c.Standing != claim.Promised || c.Relative != claim.ThisFile && c.Relative != claim.OwnStratum ||
		r.report.Prior.Counts != nil || r.report.Prior.Part != nil {
		return
	}
	crowds := map[string][]record{}
	for _, x := range r.valued(r.truth) {
		known := ""
		if c.Observer == claim.KnowsStratum {
			known = x.S
		}
		if c.Note == "merged strata" && r.plans[r.column].merged[x.S] {
			continue
		}
		crowds[known] = append(crowds[known], x)
	}
	for _, rows := range crowds {
		kinds := r.rows(rows)
		tried := map[string]bool{}
		for i, x := range rows {
			place := kinds[i].guess
			if r.strata != "" {
				place += "/" + x.S
			}
			if tried[place] {
				continue
			}
			tried[place] = true
			more := new(big.Rat).Mul(room, big.NewRat(int64(len(rows)), 1))
			r.checkFactor(t, c, factor(append(r.rows(rows), kind{kinds[i].guess, more, kinds[i].law})))
		}
	}
}
