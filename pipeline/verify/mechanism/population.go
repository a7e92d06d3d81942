package mechanism

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// A populationClaim is what the report says of it.
type populationClaim struct {
	Delta   string  `json:"delta"`
	Bounded bool    `json:"bounded"`
	Rule    string  `json:"rule,omitempty"`
	Nats    float64 `json:"nats,omitempty"`
	Records int64   `json:"records"`
	Letters int     `json:"letters"`
	Domain  string  `json:"domain"`

	Rules  []ruleClaim  `json:"rules"`
	Strata []boundClaim `json:"strata,omitempty"`
	If     []string     `json:"conditions"`
}

// A boundClaim is of a stratum.
type boundClaim struct {
	Records int64       `json:"records"`
	Bounded bool        `json:"bounded"`
	Rule    string      `json:"rule,omitempty"`
	Nats    float64     `json:"nats,omitempty"`
	Rules   []ruleClaim `json:"rules"`
}

// A ruleClaim is what one rule bounds epsilon by.
type ruleClaim struct {
	Rule    string  `json:"rule"`
	Delta   float64 `json:"delta"`
	Bounded bool    `json:"bounded"`
	Nats    float64 `json:"nats,omitempty"`
	Output  decider `json:"output,omitzero"`
	Records int64   `json:"records,omitempty"`
}

// A decider is the output that decides a bound, which may be null.
type decider struct {
	files.Label
	there bool
}

// UnmarshalJSON reads a label.
func (d *decider) UnmarshalJSON(data []byte) error {
	d.there = true
	return d.Label.UnmarshalJSON(data)
}

// CheckPopulation recomputes every bound for the population: of strata that of
// each, from its own records.
func CheckPopulation(v *document.View, f *document.Files) {
	const name = "population"
	p, stated := v.Plan.Population, v.Report.Has(name)
	switch {
	case !stated && (p == nil || v.Empty() || v.Total == 0):
		return
	case !stated:
		v.Add(name, false, "the plan claims something of the population, and the report does not")
		return
	case v.Order == nil || v.Groups == nil || len(v.Count) != len(v.Plan.Inputs):
		v.Leave(name, "the order or the rows are not known", name)
		return
	}
	var w document.Faults
	r := &populationClaim{}
	v.Report.Into(name, r)
	v.Expect(&w, Figures{name: document.Same(r)})
	delta, err := strconv.ParseFloat(r.Delta, 64)
	if err != nil || !(delta > 0 && delta < 1) {
		w.Addf("delta is no probability")
	}
	claimMatches(v, &w, r)
	w.Match(r.Records == exact.Sum(v.Sample()), "the number of records")
	total, skipped := checkBoundsOfGroups(v, &w, r, f)
	if !(total <= delta*(1+1e-12)) {
		w.Addf("the rules share more than delta")
	}
	if skipped && len(w) == 0 {
		v.Skip(name, "no input: the rule \"split\" needs its records")
		return
	}
	v.Settle(name, w, "%s", document.Either(r.Bounded,
		fmt.Sprintf("with probability 1 - %s epsilon for the population is at most %.6g, by rule %q", r.Delta, r.Nats,
			r.Rule), "nothing can be said"))
}

// leastOf holds a bound to the least of its rules, none of which stands twice.
func leastOf(w *document.Faults, rules []ruleClaim, b boundClaim) {
	least, at, seen := math.Inf(1), "", map[string]bool{}
	for _, c := range rules {
		if seen[c.Rule] {
			w.Addf("the rule %q stands twice", c.Rule)
		}
		if seen[c.Rule] = true; c.Bounded && c.Nats < least {
			least, at = c.Nats, c.Rule
		}
	}
	w.Match(b.Bounded == (at != "") && b.Rule == at && (at == "" && b.Nats == 0 || b.Nats == least), "the least bound")
}

// claimMatches holds the report to the plan, and both to the order.
func claimMatches(v *document.View, w *document.Faults, r *populationClaim) {
	p := v.Plan.Population
	if asked := v.Report.Option("confidence"); asked != "" && asked != r.Delta {
		w.Addf("delta is not what was asked for")
	}
	if v.Report.Command != "apply" && p == nil {
		w.Addf("the plan does not have the claim")
	}
	rules := planned(r.Rules)
	if p != nil && p.Delta == r.Delta {
		w.Match(slices.Equal(p.Rules, rules) && r.Letters == p.Letters && r.Domain == p.Domain, "the claim of the population, which the plan has otherwise,")
	}
	if r.Letters < len(v.Plan.Inputs)-v.Adopted() {
		w.Addf("the law is over fewer values than the plan has")
	}
}

// planned are the rules that a plan decides on.
func planned(rules []ruleClaim) (names []string) {
	for _, c := range rules {
		if c.Rule != "split" {
			names = append(names, c.Rule)
		}
	}
	return names
}

// checkBoundsOfGroups recomputes the bound of every group; the worst is that of all. total
// is the share of delta that they take, and skipped says that a rule needs a file that is
// not there.
func checkBoundsOfGroups(v *document.View, w *document.Faults, r *populationClaim,
	f *document.Files) (total float64, skipped bool) {
	bounds := []boundClaim{{exact.Sum(v.Sample()), r.Bounded, r.Rule, r.Nats, r.Rules}}
	several := len(v.Groups) > 1
	if several {
		bounds = r.Strata
	}
	if len(bounds) != len(v.Groups) || !several && r.Strata != nil {
		w.Addf("there is not one bound for each group of strata")
		return 0, false
	}
	worst := &bounds[0]
	for i, g := range v.Groups {
		b, p, one := &bounds[i], v.Plan.Groups[i], *v
		if p.Rest && len(p.Names) > 0 {
			w.Addf("something is claimed of strata that were merged")
		}
		if one.Rows = g.Rows; several {
			of := *v.Plan
			if of.Floor.At = float64(p.Rank); of.Floor.By == "value" {
				of.Floor.At = p.Value
			}
			one.Plan = &of
			one.Allow = SupportOf(&one, v.Order)
			w.Match(!slices.ContainsFunc(b.Rules, func(c ruleClaim) bool { return c.Rule == "split" }),
				"fresh records of a stratum, which")
		}
		w.Match(b.Records == exact.Sum(g.Sample), "the records of a stratum")
		for _, c := range b.Rules {
			total += c.Delta
			skipped = !checkRule(&one, w, r, c, g.Sample, f) || skipped
		}
		if q := v.Plan.Population; q != nil && q.Delta == r.Delta {
			w.Match(slices.Equal(q.Rules, planned(b.Rules)), "the rules of a stratum")
		}
		leastOf(w, b.Rules, *b)
		if worst.Bounded && (!b.Bounded || b.Nats > worst.Nats) {
			worst = b
		}
	}
	w.Match(r.Bounded == worst.Bounded && r.Rule == worst.Rule && r.Nats == worst.Nats &&
		reflect.DeepEqual(r.Rules, worst.Rules), "the bound of the worst stratum")
	return total, skipped
}
