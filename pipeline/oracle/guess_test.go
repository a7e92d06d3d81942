package oracle_test

import (
	"math/big"
	"testing"
)

// checkGuess holds what someone can come to believe who sees one published cell
// to all rows of the release: how often the best guess is right, and the largest
// belief in every value. Where a row was not drawn anew nothing is to be said,
// since nobody keeps the value that its output was drawn for.
func (r *release) checkGuess(t *testing.T) {
	t.Helper()
	rep := r.report
	said := rep.Guess != nil || len(rep.Caps) > 0 || rep.Story != nil || rep.Analysts != nil || rep.Scale.Certain != nil ||
		rep.Scale.Uncapped != nil || rep.Scale.CertainRow != nil || rep.Scale.UncappedRow != nil || rep.Persons != nil &&
		(rep.Persons.Factor != "" || rep.Persons.Nats != nil || rep.Persons.Bound != nil)
	if r.nights.mixed() {
		if said {
			t.Errorf("the report says what an output lets someone believe, and some row was not drawn anew")
		}
		return
	}
	if rep.Guess == nil || rep.Strata != nil || rep.Prior.Of != "this file" {
		return // every stratum has its own, and other priors have no rows
	}
	joint, share, all := map[string]map[string]*big.Rat{}, map[string]*big.Rat{}, new(big.Rat)
	for _, k := range r.rows(r.truth) {
		all.Add(all, k.share)
		if share[k.guess] == nil {
			share[k.guess] = new(big.Rat)
		}
		share[k.guess].Add(share[k.guess], k.share)
		for y, p := range k.law {
			if joint[y] == nil {
				joint[y] = map[string]*big.Rat{}
			}
			if joint[y][k.guess] == nil {
				joint[y][k.guess] = new(big.Rat)
			}
			joint[y][k.guess].Add(joint[y][k.guess], new(big.Rat).Mul(p, k.share))
		}
	}
	if all.Sign() == 0 {
		return
	}
	mean, belief := new(big.Rat), map[string]*big.Rat{}
	for _, of := range joint {
		top, sum := new(big.Rat), new(big.Rat)
		for _, v := range of {
			sum.Add(sum, v)
			if v.Cmp(top) > 0 {
				top = v
			}
		}
		mean.Add(mean, top)
		for x, v := range of {
			if sum.Sign() == 0 {
				continue
			}
			if b := new(big.Rat).Quo(v, sum); belief[x] == nil || b.Cmp(belief[x]) > 0 {
				belief[x] = b
			}
		}
	}
	near := func(what string, stated float64, truth *big.Rat) {
		f, _ := truth.Float64()
		if d := stated - f; !(d >= -1e-12 && d <= 1e-12) {
			t.Errorf("%s: %v is stated; the observer finds %v", what, stated, f)
		}
	}
	near("the best guess on average", rep.Guess.Mean, mean.Quo(mean, all))
	for _, c := range rep.Caps {
		x := c.Label.Text
		if c.Label.Null {
			x = null
		}
		if belief[x] == nil || share[x] == nil {
			t.Errorf("a cap is stated of %q, which no record has", x)
			continue
		}
		near("the belief in "+x, c.Reached, belief[x])
		if cap, _ := new(big.Rat).SetString(rep.Epsilon.Factor); cap != nil {
			if cap.Mul(cap, share[x]).Quo(cap, all).Cmp(belief[x]) < 0 {
				t.Errorf("the factor reached does not cap the belief in %q", x)
			}
		}
	}
}
