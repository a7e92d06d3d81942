package oracle_test

import (
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// checkShares holds what a report says of counts of the published column to the
// rows of the release: no set of values gains or loses more, and some set so much.
// Where a row was not drawn anew nothing is to be said.
func (r *release) checkShares(t *testing.T, seen map[string]int) {
	t.Helper()
	s, rows := r.report.Shares, r.truth
	if r.report.Prior.Part != nil {
		rows = r.data
	}
	rows = r.valued(rows)
	if r.nights.mixed() || len(rows) == 0 {
		if s != nil {
			t.Errorf("the report says how far shares are off, and there are no records, or some row was not drawn anew")
		}
		return
	}
	if s == nil {
		if r.report.History.Mixed() != nil {
			return // the report knows of rows that nobody else can tell
		}
		t.Error("the report does not say how far shares are off")
		return
	}
	n := int64(len(rows))
	same(t, "shift", s.Shift, setsGain(r.gains(rows), n))
	r.checkUse(t, s, rows)
	if r.report.Strata == nil {
		return
	}
	seen["shares by stratum"]++
	by, p := map[string][]record{}, r.plans[r.column]
	for _, x := range rows {
		by[p.group(x.S)] = append(by[p.group(x.S)], x)
	}
	for _, g := range r.report.Strata.Groups {
		group := "the rest"
		if len(g.Names) > 0 {
			group = p.group(g.Names[0].Text)
		}
		own := by[group]
		gain := setsGain(r.gains(own), max(1, int64(len(own))))
		same(t, "shift of stratum "+group, g.Shift, gain)
	}
}

// checkUse holds outputs in use to the rows.
func (r *release) checkUse(t *testing.T, s *report.Shares, rows []record) {
	t.Helper()
	use := map[string]bool{}
	for _, k := range r.rows(rows) {
		for y, p := range k.law {
			use[y] = use[y] || p.Sign() > 0
		}
	}
	if s.Used != len(use) {
		t.Errorf("%d outputs are said to be in use, and %d are", s.Used, len(use))
	}
}

// gains are the records that every value gains: those published as it without those
// that hold it.
func (r *release) gains(rows []record) map[string]*big.Rat {
	out := map[string]*big.Rat{}
	of := func(v string) *big.Rat {
		if out[v] == nil {
			out[v] = new(big.Rat)
		}
		return out[v]
	}
	for _, k := range r.rows(rows) {
		of(k.guess).Sub(of(k.guess), k.share)
		for y, p := range k.law {
			of(y).Add(of(y), new(big.Rat).Mul(k.share, p))
		}
	}
	return out
}

// setsGain is the most that any set of values gains or loses, in shares of n: all
// sets are tried.
func setsGain(gain map[string]*big.Rat, n int64) *big.Rat {
	var each []*big.Rat
	for _, v := range gain {
		each = append(each, v)
	}
	most := new(big.Rat)
	for set := range 1 << len(each) {
		sum := new(big.Rat)
		for i, v := range each {
			if set>>i&1 == 1 {
				sum.Add(sum, v)
			}
		}
		if sum.Abs(sum).Cmp(most) > 0 {
			most = sum
		}
	}
	return new(big.Rat).Quo(most, big.NewRat(n, 1))
}

// same holds a stated share to the true one.
func same(t *testing.T, what, stated string, truth *big.Rat) {
	t.Helper()
	if stated != truth.RatString() {
		t.Errorf("%s: %s; the observer finds %s", what, stated, truth.RatString())
	}
}

// checkShareWords: no sentence on shares has less than the figure, and none names a
// value.
func (r *release) checkShareWords(t *testing.T, c claim.Claim) {
	t.Helper()
	if !strings.HasPrefix(c.Key, "shares") {
		return
	}
	words := strings.Fields(c.Words)
	at := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "points") || w == "%" })
	if at < 1 {
		t.Errorf("%s: %q says no number", c.Key, c.Words)
		return
	}
	said, ok := new(big.Rat).SetString(words[at-1])
	stated := new(big.Rat).SetFloat64(c.Figure.Share)
	if !ok || said.Cmp(stated.Mul(stated, big.NewRat(100*(1<<40-1), 1<<40))) < 0 { // the float may be above by a bit
		t.Errorf("%s: %q, and the figure is %v", c.Key, c.Words, c.Figure.Share)
	}
}
