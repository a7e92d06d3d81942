package oracle_test

import (
	"math/big"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/claim"
)

// shiftOf is the most that the share of a set of values is off by when records are
// published by these laws: over all sets, the sum of what is gained.
func shiftOf(kinds []kind) *big.Rat {
	total, off := new(big.Rat), map[string]*big.Rat{}
	add := func(v string, by *big.Rat) {
		if off[v] == nil {
			off[v] = new(big.Rat)
		}
		off[v].Add(off[v], by)
	}
	for _, k := range kinds {
		total.Add(total, k.share)
		add(k.guess, new(big.Rat).Neg(k.share))
		for y, p := range k.law {
			add(y, new(big.Rat).Mul(k.share, p))
		}
	}
	sum := new(big.Rat)
	for _, v := range off {
		if v.Sign() > 0 {
			sum.Add(sum, v)
		}
	}
	if total.Sign() > 0 {
		sum.Quo(sum, total)
	}
	return sum
}

// checkShift holds the limit of the shift to the records that it is about, stratum by
// stratum where the mechanisms differ.
func (r *release) checkShift(t *testing.T, c claim.Claim) {
	t.Helper()
	if c.Standing != claim.Promised {
		if r.nights == nil {
			t.Errorf("%s: %q, and all rows were drawn anew", c.Key, c.Words)
		}
		return
	}
	limit, ok := new(big.Rat).SetString(strings.TrimSuffix(c.Asked, "%"))
	if !ok {
		t.Fatalf("%s: %q limits nothing", c.Key, c.Asked)
	}
	if strings.HasSuffix(c.Asked, "%") {
		limit.Quo(limit, big.NewRat(100, 1))
	}
	rows, by := r.truth, map[string][]record{}
	if c.Records == claim.WholeData {
		rows = r.data
	}
	p := r.plans[r.column]
	for _, x := range rows {
		of := ""
		if c.Given != "" {
			of = p.group(x.S)
		}
		by[of] = append(by[of], x)
	}
	for group, rows := range by {
		if d := shiftOf(r.rows(rows)); d.Cmp(limit) > 0 {
			t.Errorf("%s: %q; in %q the observer finds %s", c.Key, c.Words, group, d.RatString())
		}
	}
}

// checkValues holds the share that every value is published with to the records: at least
// half of what it has among them.
func (r *release) checkValues(t *testing.T, c claim.Claim) {
	t.Helper()
	rows := r.truth
	if c.Records == claim.WholeData {
		rows = r.data
	}
	held, shown := map[string]*big.Rat{}, map[string]*big.Rat{}
	add := func(to map[string]*big.Rat, v string, by *big.Rat) {
		if to[v] == nil {
			to[v] = new(big.Rat)
		}
		to[v].Add(to[v], by)
	}
	for _, k := range r.rows(rows) {
		add(held, k.guess, k.share)
		for y, p := range k.law {
			add(shown, y, new(big.Rat).Mul(k.share, p))
		}
	}
	for v, share := range held {
		twice := new(big.Rat)
		if shown[v] != nil {
			twice.Add(shown[v], shown[v])
		}
		if twice.Cmp(share) < 0 {
			t.Errorf("%s: %q; the observer finds %q less than half as often as it occurs", c.Key, c.Words, v)
		}
	}
}
