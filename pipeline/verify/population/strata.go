package population

import (
	"math"
	"slices"
	"strconv"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/law"
	"github.com/tacet-privacy/tacet/pipeline/verify/subject"
	"github.com/tacet-privacy/tacet/pipeline/verify/verdict"
)

// checkStrataPopulation recomputes what is claimed of the population of every
// stratum, each from its own records.
func checkStrataPopulation(v *subject.View) {
	const name = "population"
	r := v.Report.Population
	var w verdict.Faults
	delta, err := strconv.ParseFloat(r.Delta, 64)
	if err != nil || !(delta > 0 && delta < 1) {
		w.Addf("delta is no probability")
	}
	w.Match(r.Records == v.Total, "the number of records")
	if r.Design != "" {
		w.Addf("a design for the population of strata is not known")
	}
	claimMatches(v, &w)
	if len(r.Strata) != len(v.Strata) {
		w.Addf("there is not one bound for each group of strata")
		v.Settle(name, w, "")
		return
	}
	total, worst := 0.0, 0
	for i, g := range v.Strata {
		b, p := r.Strata[i], v.Plan.Strata.Groups[i]
		if p.Rest && len(p.Names) > 0 {
			w.Addf("something is claimed of strata that were merged")
		}
		of := *v.Plan
		if of.Floor.At = float64(p.Rank); of.Floor.By == "value" {
			of.Floor.At = p.Value
		}
		one := subject.View{Plan: &of, Report: v.Report, Rows: g.Rows}
		one.Allow = law.SupportOf(&one, v.Order)
		w.Match(b.Records == g.Total, "the records of a stratum")
		least, at := math.Inf(1), ""
		var rules []string
		for _, c := range b.Rules {
			if total += c.Delta; c.Rule == "split" || slices.Contains(rules, c.Rule) {
				w.Addf("the rule %s is none for a stratum, or stands twice", c.Rule)
				continue
			}
			rules = append(rules, c.Rule)
			checkRule(&one, &w, c, g.Count, nil)
			if c.Bounded && c.Nats < least {
				least, at = c.Nats, c.Rule
			}
		}
		if q := v.Plan.Population; q != nil && q.Delta == r.Delta {
			w.Match(slices.Equal(q.Rules, rules), "the rules of a stratum")
		}
		w.Match(b.Bounded == (at != "") && b.Rule == at && (at == "" && b.Nats == 0 || b.Nats == least), "the least bound of a stratum")
		if s := r.Strata[worst]; s.Bounded && (!b.Bounded || b.Nats > s.Nats) {
			worst = i
		}
	}
	if !(total <= delta*(1+1e-12)) {
		w.Addf("the rules share more than delta")
	}
	s := r.Strata[worst]
	w.Match(r.Bounded == s.Bounded && r.Rule == s.Rule && r.Nats == s.Nats && slices.EqualFunc(r.Rules, s.Rules, document.RuleClaim.Same), "the bound of the worst stratum")
	v.Settle(name, w, "%s", verdict.Either(r.Bounded, "with probability 1 - "+r.Delta+" epsilon for the population of every stratum is at most "+strconv.FormatFloat(r.Nats, 'g', 6, 64), "nothing can be said of every stratum"))
}
