package oracle_test

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// checkStrata holds what is said of every group of strata to the records in it, and
// what is guessed by whoever knows the group, and by whoever does not, to all rows.
func (r *release) checkStrata(t *testing.T, seen map[string]int) {
	t.Helper()
	rep := r.report
	if rep.Strata == nil || rep.Prior.Of != "this file" {
		return // other priors have no rows
	}
	c, ok := claim.Find(rep.Claims, "leakage.reached")
	if !ok {
		t.Error("nothing is said of what a cell tells")
		return
	}
	rows := r.valued(r.about(c))
	in := func(s string) int {
		rest := -1
		for i, g := range rep.Strata.Groups {
			if slices.ContainsFunc(g.Names, func(n report.Label) bool { return n.Text == s }) {
				return i
			}
			if g.Rest {
				rest = i
			}
		}
		return rest
	}
	members, known := make([][]record, len(rep.Strata.Groups)), []int{}
	for _, x := range rows {
		g := in(x.S)
		if g < 0 {
			t.Errorf("a stratum of the file is in no group")
			return
		}
		members[g], known = append(members[g], x), append(known, g)
	}
	written := make([]int64, len(members))
	for _, x := range r.valued(r.truth) {
		if g := in(x.S); g >= 0 {
			written[g]++
		}
	}
	for i, g := range rep.Strata.Groups {
		truth := factor(r.rows(members[i]))
		if stated, ok := new(big.Rat).SetString(g.Factor); !ok || stated.Cmp(truth) != 0 ||
			g.Records != int64(len(members[i])) || g.Written != written[i] {
			t.Errorf("group %d: factor %s of %d records, %d written; the observer finds %s of %d, %d", i, g.Factor, g.Records,
				g.Written, truth.RatString(), len(members[i]), written[i])
		}
	}
	seen["strata"]++
	if rep.Guess == nil {
		return
	}
	guesses(t, "who knows the group", rep.Guess, r.rows(rows), known)
}

// guesses holds a stated guess to that of somebody who knows a number of every record.
func guesses(t *testing.T, who string, stated *report.Guess, kinds []kind, known []int) {
	t.Helper()
	before, mean, worst := guessed(kinds, known)
	for what, d := range map[string]float64{"before": stated.Before - before, "on average": stated.Mean - mean,
		"at worst": stated.Worst - worst} {
		if !near(d) {
			t.Errorf("%s guesses right %s by %v more than the observer", who, what, d)
		}
	}
}

// near reports whether a difference is that of rounding.
func near(d float64) bool { return d >= -1e-12 && d <= 1e-12 }

// guessed is how often the best guess of a record is right before and after its output
// is seen, by whoever knows a number of it.
func guessed(kinds []kind, known []int) (before, mean, worst float64) {
	type shown struct {
		known int
		y     string
	}
	size, held, sum := map[shown]float64{}, map[shown]map[string]float64{}, map[shown]float64{}
	for i, k := range kinds {
		size[shown{known[i], k.guess}]++
		for y, p := range k.law {
			at := shown{known[i], y}
			if held[at] == nil {
				held[at] = map[string]float64{}
			}
			v, _ := p.Float64()
			held[at][k.guess] += v
			sum[at] += v
		}
	}
	most, n := map[int]float64{}, float64(len(kinds))
	for at, v := range size {
		most[at.known] = max(most[at.known], v)
	}
	for _, v := range most {
		before += v / n
	}
	for at, of := range held {
		best := 0.0
		for _, v := range of {
			best = max(best, v)
		}
		if mean += best / n; sum[at] > 0 {
			worst = max(worst, best/sum[at])
		}
	}
	return before, mean, worst
}

// checkPresence holds what nulls of some columns tell of another to the rows.
func (r *release) checkPresence(t *testing.T, seen map[string]int) {
	t.Helper()
	if r.report.Joint == nil {
		return
	}
	for _, p := range r.report.Joint.Presence {
		var kinds []kind
		for _, x := range r.truth {
			v, nulls := x.cell(p.Of), ""
			if v == null {
				continue
			}
			for _, c := range p.By {
				nulls += fmt.Sprint(x.cell(c) == null)
			}
			kinds = append(kinds, kind{v, big.NewRat(1, 1), map[string]*big.Rat{nulls: big.NewRat(1, 1)}})
		}
		before, mean, _ := guessed(kinds, make([]int, len(kinds)))
		if truth := factor(kinds).RatString(); p.Factor != truth || len(kinds) > 0 && !near(p.Gain-mean+before) {
			t.Errorf("nulls of %v tell of %s %s and %v; the observer finds %s and %v", p.By, p.Of, p.Factor, p.Gain, truth,
				mean-before)
		}
		seen["presence"]++
	}
}
