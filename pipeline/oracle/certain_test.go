package oracle_test

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/claim"
)

// groups are the records of a claim about change: all of them, or those of each
// stratum for whoever knows it. There are none where strata were merged: the
// shares are those of merged groups.
func (r *release) groups(c claim.Claim) (out [][]kind) {
	records := r.truth
	if c.Records == claim.WholeData {
		records = r.data
	}
	if c.Observer != claim.KnowsStratum {
		return [][]kind{r.rows(records)}
	}
	by := map[string][]record{}
	for _, x := range records {
		s := x.S
		if r.plans[r.column].merged[s] {
			s = "merged" // of which the claim does not know which it is
		}
		by[s] = append(by[s], x)
	}
	for _, rows := range by {
		p := r.plans[r.column]
		if _, named := p.of[rows[0].S]; !named && p.of[""] == nil {
			return nil
		}
		out = append(out, r.rows(rows))
	}
	return out
}

// checkShare holds the shares of records that their outputs confirm, and of
// those that cannot change, to the rows of the mechanism.
func (r *release) checkShare(t *testing.T, c claim.Claim) {
	t.Helper()
	sure, kept, all, open := new(big.Rat), new(big.Rat), new(big.Rat), false
	for _, kinds := range r.groups(c) {
		givers, values := map[string]map[string]bool{}, map[string]bool{}
		for _, k := range kinds {
			values[k.guess] = true
			for y := range k.law {
				if givers[y] == nil {
					givers[y] = map[string]bool{}
				}
				givers[y][k.guess] = true
			}
		}
		for _, k := range kinds {
			all.Add(all, k.share)
			for y, p := range k.law {
				if len(k.law) == 1 && y == k.guess {
					kept.Add(kept, k.share)
				}
				switch {
				case len(values) < 2:
				case len(givers[y]) == 1:
					sure.Add(sure, new(big.Rat).Mul(p, k.share))
				default:
					open = true
				}
			}
		}
	}
	want := map[string]*big.Rat{"confirmed": sure, "kept": kept, "unchanged.reached": all}[c.Key]
	if want == nil || all.Sign() == 0 {
		return
	}
	share, _ := want.Quo(want, all).Float64()
	if d := c.Figure.Share - share; !(d >= -1e-12 && d <= 1e-12) {
		t.Errorf("%s: %q; the observer finds %v", c.Key, c.Words, share)
	}
	if said := 0.0; c.Key == "confirmed" {
		_, err := fmt.Sscanf(c.Words, "At most %g in 100 of the records", &said)
		if err == nil && !(said >= 100*share-1e-9 && said <= 101*share) || err != nil && share > 0 && share < 1 {
			t.Errorf("%s: %q; the observer finds %v", c.Key, c.Words, share)
		}
	}
	if c.Key == "unchanged.reached" && open {
		t.Errorf("%s: %q; an output can come from several values", c.Key, c.Words)
	}
}
