package verify

import (
	"math"
	"slices"
	"strconv"
)

// checkStrataPopulation recomputes what is claimed of the population of every
// stratum, each from its own records.
func (v *verifier) checkStrataPopulation() {
	const name = "population"
	r := v.report.Population
	var w wrong
	delta, err := strconv.ParseFloat(r.Delta, 64)
	if err != nil || !(delta > 0 && delta < 1) {
		w.addf("delta is no probability")
	}
	w.match(r.Records == v.total, "the number of records")
	if r.Design != "" {
		w.addf("a design for the population of strata is not known")
	}
	v.claimMatches(&w)
	if len(r.Strata) != len(v.strata) {
		w.addf("there is not one bound for each group of strata")
		v.settle(name, w, "")
		return
	}
	total, worst := 0.0, 0
	for i, g := range v.strata {
		b, p := r.Strata[i], v.plan.Strata.Groups[i]
		if p.Rest && len(p.Names) > 0 {
			w.addf("something is claimed of strata that were merged")
		}
		of := *v.plan
		if of.Floor.At = float64(p.Rank); of.Floor.By == "value" {
			of.Floor.At = p.Value
		}
		one := verifier{plan: &of, report: v.report, rows: g.rows}
		one.allow = one.supportOf(v.order)
		w.match(b.Records == g.total, "the records of a stratum")
		least, at := math.Inf(1), ""
		var rules []string
		for _, c := range b.Rules {
			if total += c.Delta; c.Rule == "split" || slices.Contains(rules, c.Rule) {
				w.addf("the rule %s is none for a stratum, or stands twice", c.Rule)
				continue
			}
			rules = append(rules, c.Rule)
			one.checkRule(&w, c, g.count, nil)
			if c.Bounded && c.Nats < least {
				least, at = c.Nats, c.Rule
			}
		}
		if q := v.plan.Population; q != nil && q.Delta == r.Delta {
			w.match(slices.Equal(q.Rules, rules), "the rules of a stratum")
		}
		w.match(b.Bounded == (at != "") && b.Rule == at && (at == "" && b.Nats == 0 || b.Nats == least), "the least bound of a stratum")
		if s := r.Strata[worst]; s.Bounded && (!b.Bounded || b.Nats > s.Nats) {
			worst = i
		}
	}
	if !(total <= delta*(1+1e-12)) {
		w.addf("the rules share more than delta")
	}
	s := r.Strata[worst]
	w.match(r.Bounded == s.Bounded && r.Rule == s.Rule && r.Nats == s.Nats && slices.EqualFunc(r.Rules, s.Rules, ruleClaim.same), "the bound of the worst stratum")
	v.settle(name, w, "%s", either(r.Bounded, "with probability 1 - "+r.Delta+" epsilon for the population of every stratum is at most "+strconv.FormatFloat(r.Nats, 'g', 6, 64), "nothing can be said of every stratum"))
}

// same compares what two claims state.
func (c ruleClaim) same(d ruleClaim) bool {
	return c.Rule == d.Rule && c.Delta == d.Delta && c.Bounded == d.Bounded && c.Nats == d.Nats && c.Radius == d.Radius && c.Records == d.Records
}
