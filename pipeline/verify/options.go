package verify

import (
	"cmp"
	"maps"
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
	all := released(r)
	maps.Copy(all, promised(c.plan, c.release.Claimed.Followed))
	if r.Command == "run" && r.Pinned == nil {
		maps.Copy(all, designed(c.plan))
	}
	for _, o := range r.Settings {
		if seen[o.Name] || !slices.Contains([]string{"flag", "environment", "config", "default"}, o.Origin) {
			w.Addf("an option stands twice, or is of nowhere")
		}
		seen[o.Name] = true
		if holds := all[o.Name]; holds != nil {
			held++
			w.Match(holds(o.Value), "the option "+o.Name)
		}
	}
	c.Settle("options", w, "%d of %d agree with what came of them", held, len(r.Settings))
}

// A rule says whether plan and report hold with a value of an option; rules are by its name.
type rule func(value string) bool

type rules map[string]rule

// given is an option that is recorded as given exactly where something came of it.
func given(came bool) rule { return func(o string) bool { return (o != "" && o != "false") == came } }

// like is an option whose value, if it has one, is known.
func like(is string) rule { return func(o string) bool { return o == "" || o == is } }

// listed is an option that lists names, nil where it is not recorded.
func listed(holds func(names []string) bool) rule {
	return func(o string) bool {
		names, ok := report.Names(o)
		return ok && holds(names)
	}
}

// released are the options of the release, whoever made its plan.
func released(r *report.Report) rules {
	fates := map[string][]string{}
	for _, c := range r.Columns {
		fates[c.Fate] = append(fates[c.Fate], c.Name)
	}
	within := func(names []string, of []string) bool {
		return !slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(of, n) })
	}
	clear, seen := fates[kernel.Published], observed(r)
	all := rules{
		"test-seed": given(r.Stamp != ""), "ledger": given(r.History.Series != nil),
		"part-of-plan": given(r.Prior.Part != nil), "person": given(r.Draws.Unit == "person"),
		"run-id": like(r.Draws.RunID),
		"allow": listed(func(names []string) bool {
			return (r.Certainty == nil || slices.Contains(names, "unchanged") == r.Certainty.Allowed) &&
				(slices.Contains(names, "sorted") || !seen.AllowSorted)
		}),
		"drop":         listed(func(names []string) bool { return within(names, fates[kernel.Dropped]) }),
		"keep":         listed(func(names []string) bool { return names == nil || within(clear, names) }),
		"allow-linked": listed(func(names []string) bool { return within(seen.AllowLinked, names) }),
		"audit":        func(o string) bool { return len(clear) == 0 || (o == "off") == (r.Beside.State == "off") },
		"record-id":    func(o string) bool { return o == "" || r.Draws.Kind == "memoised" },
	}
	if s := r.History.Series; s != nil {
		all["dataset"], all["total-epsilon"], all["on-change"] = like(s.Dataset), like(s.Budget), like(s.OnChange)
	}
	return all
}

// promised are the options that say for which epsilon, and for whom.
func promised(p *plan.Plan, followed bool) rules {
	all := rules{
		"epsilon":    like(p.Target),
		"max-factor": func(o string) bool { return o == "" || "log("+o+")" == p.Target },
		"headroom":   func(o string) bool { return drifts(p, o) },
	}
	if !followed {
		all["given-only"] = func(o string) bool { return o == "" || (o == "true") == p.Given.Only }
		all["prior-only"] = func(o string) bool { return o == "" || p.Of == "" || (o == "true") == p.PriorOnly }
	}
	return all
}

// drifts reports whether a headroom has the share of a plan, if both have one.
func drifts(p *plan.Plan, o string) bool {
	whole, _ := request.Rooms(o)
	share, ok := kernel.Share(whole)
	return whole == "" || p.Headroom == nil || ok && share.Cmp(p.Headroom) == 0
}

// designed are the options of the plan, where this run made it.
func designed(p *plan.Plan) rules {
	all := rules{
		"strata": given(p.Given.Column != "" || p.Empty()),
		"bins": func(o string) bool {
			asked, err := (&request.Options{Bins: o}).Binning()
			return (o != "") == (p.Bins != nil) && (strings.HasPrefix(o, "@") || err == nil && asked == p.Bins.Asked())
		},
	}
	if o := p.Other; o != nil {
		all["min-count"], all["other"] = like(strconv.FormatInt(o.MinCount, 10)), like(o.Label)
	}
	if p.Empty() {
		return all
	}
	limit := ""
	if p.Shares != nil {
		limit = p.Shares.Asked
	}
	_, _, level := p.Level()
	maps.Copy(all, rules{
		"null": like(cmp.Or(p.Null, "refuse")), "prior": given(p.Of == plan.Declared),
		"smooth": func(o string) bool { return given(p.Of == plan.Smoothed)(o) && like(p.Smooth)(o) },
		"headroom": func(o string) bool {
			whole, below := request.Rooms(o)
			share, ok := kernel.Share(whole)
			room, said := kernel.Share(below)
			return drifts(p, o) && (p.Headroom != nil) == (ok && share.Sign() > 0) && (p.Shares == nil || below == "" ||
				said && (room.Sign() == 0 && p.Shares.Room == nil || p.Shares.Room != nil && room.Cmp(p.Shares.Room) == 0))
		},
		"max-shift": func(o string) bool {
			return o == limit || o == request.NoLimit && limit == "" || limit == "" && p.Stated != nil && p.Stated.NoLimit != ""
		},
		"prefer": func(o string) bool {
			return cmp.Or(o, "utility") == cmp.Or(p.Prefer, "utility") && !p.Keeps() || p.Keeps() && o == request.Kept
		},
		"design": func(o string) bool {
			return p.Stated != nil && p.Stated.Design == cmp.Or(o, "auto") && (o == "" || o == "auto" || o == p.Kind ||
				p.Kind == "strata")
		},
		"floor-by": func(o string) bool {
			return p.Asked != "best" || map[string]bool{"": !p.Floor.ByValue || level, "auto": !p.Floor.ByValue || level,
				"rank": !p.Floor.ByValue, "level": level, "value": p.Floor.ByValue && !level}[o]
		},
		"floor-rank":  func(o string) bool { return asked(o, p.Asked, "rank >= ") },
		"floor-value": func(o string) bool { return asked(o, p.Asked, "utility >= ") },
	})
	return all
}

// asked reports whether a floor was asked for at a number, or in another way.
func asked(text, floor, way string) bool {
	at, so := strings.CutPrefix(floor, way)
	a, err := strconv.ParseFloat(text, 64)
	b, err2 := strconv.ParseFloat(at, 64)
	return so == (text != "") && (!so || err == nil && err2 == nil && a == b)
}
