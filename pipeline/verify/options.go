package verify

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
)

// checkOptions holds the options that are recorded to what came of them: nothing else says
// what was asked for.
func (c *column) checkOptions() {
	r, w := c.stated, kernel.Faults{}
	seen, held := map[string]bool{}, 0
	followed := c.release.Claimed.Followed
	rules := slices.Concat(released(r), promised(c.plan, followed))
	if r.Command == "run" && r.Pinned == nil {
		rules = slices.Concat(rules, designed(c.plan))
	}
	for _, o := range r.Settings {
		if seen[o.Name] || !slices.Contains([]string{"flag", "environment", "config", "default"}, o.Origin) {
			w.Addf("an option stands twice, or is of nowhere")
		}
		seen[o.Name] = true
		for _, rule := range rules {
			if rule.name == o.Name {
				held++
				w.Match(rule.holds(o.Value), "the option "+o.Name)
			}
		}
	}
	c.Settle("options", w, "%d of %d agree with what came of them", held, len(r.Settings))
}

// A rule is an option by name, and whether plan and report hold with a value of it.
type rule struct {
	name  string
	holds func(value string) bool
}

// given is an option that is recorded as given exactly where something came of it.
func given(name string, came bool) rule {
	return rule{name, func(o string) bool { return (o != "" && o != "false") == came }}
}

// like is an option whose value, if it has one, is known.
func like(name, is string) rule {
	return rule{name, func(o string) bool { return o == "" || o == is }}
}

// listed is an option that lists names, nil where it is not recorded.
func listed(name string, holds func(names []string) bool) rule {
	return rule{name, func(o string) bool {
		names, ok := report.Names(o)
		return ok && holds(names)
	}}
}

// released are the options of the release, whoever made its plan.
func released(r *report.Report) []rule {
	fates := map[string][]string{}
	for _, c := range r.Columns {
		fates[c.Fate] = append(fates[c.Fate], c.Name)
	}
	within := func(names []string, of []string) bool {
		return !slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(of, n) })
	}
	clear := fates[kernel.Published]
	rules := []rule{
		given("test-seed", r.Stamp != ""), given("ledger", r.History.Series != nil),
		listed("allow", func(names []string) bool {
			return (r.Certainty == nil || slices.Contains(names, "unchanged") == r.Certainty.Allowed) &&
				(slices.Contains(names, "sorted") || !observed(r).AllowSorted)
		}),
		given("part-of-plan", r.Prior.Part != nil),
		like("run-id", r.Draws.RunID),
		listed("drop", func(names []string) bool { return within(names, fates[kernel.Dropped]) }),
		listed("keep", func(names []string) bool { return names == nil || within(clear, names) }),
		{"audit", func(o string) bool { return len(clear) == 0 || (o == "off") == (r.Beside.State == "off") }},
		listed("allow-linked", func(names []string) bool { return within(observed(r).AllowLinked, names) }),
		{"record-id", func(o string) bool { return o == "" || r.Draws.Kind == "memoised" }},
		given("person", r.Draws.Unit == "person"),
	}
	if s := r.History.Series; s != nil {
		rules = append(rules, like("dataset", s.Dataset), like("total-epsilon", s.Budget), like("on-change", s.OnChange))
	}
	return rules
}

// promised are the options that say for which epsilon, and for whom.
func promised(p *plan.Plan, followed bool) []rule {
	rules := []rule{
		like("epsilon", p.Target),
		{"max-factor", func(o string) bool { return o == "" || "log("+o+")" == p.Target }},
		{"headroom", func(o string) bool {
			whole, _ := request.Rooms(o)
			share, ok := kernel.Share(whole)
			return whole == "" || p.Headroom == nil || ok && share.Cmp(p.Headroom) == 0
		}},
	}
	if followed {
		return rules
	}
	return append(rules, rule{"given-only", func(o string) bool { return o == "" || (o == "true") == p.Given.Only }},
		rule{"prior-only", func(o string) bool { return o == "" || p.Of == "" || (o == "true") == p.PriorOnly }})
}

// designed are the options of the plan, where this run made it.
func designed(p *plan.Plan) []rule {
	rules := []rule{
		like("null", cmp.Or(p.Null, "refuse")), given("strata", p.Given.Column != "" || p.Empty()),
		{"bins", func(o string) bool {
			asked, err := (&request.Options{Bins: o}).Binning()
			return (o != "") == (p.Bins != nil) && (strings.HasPrefix(o, "@") || err == nil && asked == p.Bins.Asked())
		}},
	}
	if o := p.Other; o != nil {
		rules = append(rules, like("min-count", strconv.FormatInt(o.MinCount, 10)), like("other", o.Label))
	}
	if p.Empty() {
		return rules[1:]
	}
	limit := ""
	if p.Shares != nil {
		limit = p.Shares.Asked
	}
	_, _, level := p.Level()
	return append(rules, given("smooth", p.Of == plan.Smoothed), like("smooth", p.Smooth),
		given("prior", p.Of == plan.Declared), rule{"headroom", func(o string) bool {
			whole, below := request.Rooms(o)
			share, ok := kernel.Share(whole)
			room, said := kernel.Share(below)
			return (p.Headroom != nil) == (ok && share.Sign() > 0) && (p.Shares == nil || below == "" || said &&
				(room.Sign() == 0 && p.Shares.Room == nil || p.Shares.Room != nil && room.Cmp(p.Shares.Room) == 0))
		}},
		rule{"max-shift", func(o string) bool {
			return o == limit || o == request.NoLimit && limit == "" || limit == "" && p.Stated != nil && p.Stated.NoLimit != ""
		}},
		rule{"prefer", func(o string) bool {
			return cmp.Or(o, "utility") == cmp.Or(p.Prefer, "utility") && !p.Keeps() || p.Keeps() && o == request.Kept
		}},
		rule{"design", func(o string) bool {
			return p.Stated != nil && p.Stated.Design == cmp.Or(o, "auto") && (o == "" || o == "auto" || o == p.Kind ||
				p.Kind == "strata")
		}},
		rule{"floor-by", func(o string) bool {
			switch {
			case p.Asked != "best":
				return true
			case o == "" || o == "auto":
				return !p.Floor.ByValue || level
			}
			return map[string]bool{"rank": !p.Floor.ByValue, "level": level, "value": p.Floor.ByValue && !level}[o]
		}},
		rule{"floor-rank", func(o string) bool { return asked(o, p.Asked, "rank >= ") }},
		rule{"floor-value", func(o string) bool { return asked(o, p.Asked, "utility >= ") }})
}

// asked reports whether a floor was asked for at a number, or in another way.
func asked(text, floor, way string) bool {
	at, so := strings.CutPrefix(floor, way)
	a, err := strconv.ParseFloat(text, 64)
	b, err2 := strconv.ParseFloat(at, 64)
	return so == (text != "") && (!so || err == nil && err2 == nil && a == b)
}
