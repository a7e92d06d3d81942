package mechanism

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"
	"strconv"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
)

// CheckPopulation recomputes every bound for the population.
func CheckPopulation(v *document.View, f *document.Files) {
	const name = "population"
	r, p := v.Report.Population, v.Plan.Population
	switch {
	case r == nil && (p == nil || v.Empty() || v.Total == 0):
		return
	case r == nil:
		v.Add(name, false, "the plan claims something of the population, and the report does not")
		return
	case v.Strata != nil && v.Order != nil:
		checkStrataPopulation(v)
		return
	case v.Rows == nil || v.Order == nil || len(v.Count) != len(v.Plan.Inputs):
		v.Skip(name, "the order or the rows are not known")
		return
	}
	var w document.Faults
	delta, err := strconv.ParseFloat(r.Delta, 64)
	if err != nil || !(delta > 0 && delta < 1) {
		w.Addf("delta is no probability")
	}
	sample := v.Sample()
	w.Match(r.Records == exact.Sum(sample), "the number of records")
	claimMatches(v, &w)
	best, at := math.Inf(1), ""
	skipped := false
	total := 0.0
	for i, c := range r.Rules {
		total += c.Delta
		if slices.ContainsFunc(r.Rules[:i], func(b document.RuleClaim) bool { return b.Rule == c.Rule }) {
			w.Addf("the rule %s stands twice", c.Rule)
		}
		checked := checkRule(v, &w, c, sample, f)
		skipped = skipped || !checked
		if c.Bounded && c.Nats < best {
			best, at = c.Nats, c.Rule
		}
	}
	if !(total <= delta*(1+1e-12)) {
		w.Addf("the rules share more than delta")
	}
	w.Match(r.Bounded == (at != "") && r.Rule == at && (at == "" && r.Nats == 0 || r.Nats == best), "the least bound")
	if r.Design != "" {
		t, ok := exact.ParseTarget(v.Plan.Epsilon.Target)
		if d, known := exact.Fraction(r.Design); !known || v.Most == nil || v.Most.Cmp(d) > 0 {
			w.Addf("the factor reached is above the one designed for")
		}
		if !ok || !r.Bounded || r.Nats > t.Float() {
			w.Addf("epsilon for the population is above the target")
		}
	}
	if skipped && len(w) == 0 {
		v.Skip(name, "no input: the rule \"split\" needs its records")
		return
	}
	v.Settle(name, w, "%s", document.Either(r.Bounded, "with probability 1 - "+r.Delta+
		" epsilon for the population is at most "+strconv.FormatFloat(r.Nats, 'g', 6, 64)+", by rule "+strconv.Quote(r.Rule),
		"nothing can be said"))
}

// claimMatches holds the report to the plan, and both to the order.
func claimMatches(v *document.View, w *document.Faults) {
	r, p := v.Report.Population, v.Plan.Population
	if asked := v.Report.Option("confidence"); asked != "" && asked != r.Delta {
		w.Addf("delta is not what was asked for")
	}
	if v.Report.Command != "apply" && p == nil {
		w.Addf("the plan does not have the claim")
	}
	var rules []string
	for _, c := range r.Rules {
		if c.Rule != "split" {
			rules = append(rules, c.Rule)
		}
	}
	if p != nil && p.Delta == r.Delta {
		sets := p.Sets
		if !slices.Contains(rules, "sets") {
			sets = 0
		}
		w.Match(slices.Equal(p.Rules, rules) && r.Letters == p.Letters && r.Domain == p.Domain && r.Design == p.Design &&
			r.Sets == sets, "the claim of the population, which the plan has otherwise,")
	}
	if r.Letters < len(v.Plan.Inputs)-v.Adopted() {
		w.Addf("the law is over fewer letters than the plan has")
	}
	if slices.Contains(rules, "sets") && r.Sets < setsOf(v) {
		w.Addf("the order has more sets than the report counts")
	}
}

// setsOf counts the sets S_y of the order that a design might have used: of one
// floor where that was fixed and the design does not choose another.
func setsOf(v *document.View) int {
	n, m := len(v.Plan.Inputs), len(v.Plan.Outputs)
	kind := v.Plan.Mechanism.Kind
	one := v.Plan.Floor.Asked != "best" && (kind == "flat" || kind == "optimal")
	if asked := v.Report.Option("design"); asked != "" && asked != kind {
		one = false
	}
	if n*m > 4<<20 {
		if one {
			return m
		}
		return n * m
	}
	type set [2]uint64
	with := func(s set, x int) set {
		h := sha256.Sum256(binary.BigEndian.AppendUint64(nil, uint64(x)))
		s[0] += binary.BigEndian.Uint64(h[:])
		s[1] += binary.BigEndian.Uint64(h[8:])
		return s
	}
	seen := map[set]bool{}
	if one {
		for y := range m {
			var s set
			for x := range n {
				if v.Allow.Has(x, y) {
					s = with(s, x)
				}
			}
			seen[s] = true
		}
	} else {
		level := make([][]float64, m)
		for x := range n {
			values, rank := v.Order.Row(x), v.Order.Ranks(x)
			for y, u := range values {
				l := u
				if v.Plan.Floor.By != "value" && !math.IsInf(u, -1) {
					l = float64(rank[y])
				}
				level[y] = append(level[y], l)
			}
		}
		for _, l := range level {
			letters := make([]int, n)
			for x := range letters {
				letters[x] = x
			}
			slices.SortFunc(letters, func(a, b int) int {
				if l[a] != l[b] {
					return int(min(1, max(-1, math.Copysign(1, l[b]-l[a]))))
				}
				return 0
			})
			var s set
			for i, x := range letters {
				if math.IsInf(l[x], -1) {
					break
				}
				if s = with(s, x); i+1 == n || l[letters[i+1]] != l[x] {
					seen[s] = true
				}
			}
		}
	}
	delete(seen, set{})
	return len(seen)
}

// checkStrataPopulation recomputes what is claimed of the population of every
// stratum, each from its own records.
func checkStrataPopulation(v *document.View) {
	const name = "population"
	r := v.Report.Population
	var w document.Faults
	delta, err := strconv.ParseFloat(r.Delta, 64)
	if err != nil || !(delta > 0 && delta < 1) {
		w.Addf("delta is no probability")
	}
	w.Match(r.Records == exact.Sum(v.Sample()), "the number of records")
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
		one := document.View{Plan: &of, Report: v.Report, Rows: g.Rows}
		one.Allow = SupportOf(&one, v.Order)
		w.Match(b.Records == exact.Sum(g.Sample), "the records of a stratum")
		least, at := math.Inf(1), ""
		var rules []string
		for _, c := range b.Rules {
			if total += c.Delta; c.Rule == "split" || slices.Contains(rules, c.Rule) {
				w.Addf("the rule %s is none for a stratum, or stands twice", c.Rule)
				continue
			}
			rules = append(rules, c.Rule)
			checkRule(&one, &w, c, g.Sample, nil)
			if c.Bounded && c.Nats < least {
				least, at = c.Nats, c.Rule
			}
		}
		if q := v.Plan.Population; q != nil && q.Delta == r.Delta {
			w.Match(slices.Equal(q.Rules, rules), "the rules of a stratum")
		}
		w.Match(b.Bounded == (at != "") && b.Rule == at && (at == "" && b.Nats == 0 || b.Nats == least),
			"the least bound of a stratum")
		if s := r.Strata[worst]; s.Bounded && (!b.Bounded || b.Nats > s.Nats) {
			worst = i
		}
	}
	if !(total <= delta*(1+1e-12)) {
		w.Addf("the rules share more than delta")
	}
	s := r.Strata[worst]
	w.Match(r.Bounded == s.Bounded && r.Rule == s.Rule && r.Nats == s.Nats && slices.EqualFunc(r.Rules, s.Rules,
		document.RuleClaim.Same), "the bound of the worst stratum")
	v.Settle(name, w, "%s", document.Either(r.Bounded, "with probability 1 - "+r.Delta+
		" epsilon for the population of every stratum is at most "+strconv.FormatFloat(r.Nats, 'g', 6, 64),
		"nothing can be said of every stratum"))
}
