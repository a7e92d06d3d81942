package verify

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"strconv"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
)

// A shelf is where claims of a key stand in a report, and under which head. Those
// for everybody say what they bound, and how they may stand.
type shelf struct {
	section, head, bounds string
	standings             []string
}

// A stance is what a claim must say beside its words: dimensions, figure, and what
// was asked for, of which column.
type stance struct {
	standing, bounds, observer, relative, records string
	figure                                        *figure
	column, asked                                 string
}

// A plain is a figure about which nothing is claimed: its number and its words.
type plain struct {
	figure       *figure
	words, asked string
}

// shelves are all that there are.
var shelves = map[string]shelf{
	"leakage":              {"lead", "promised", "leakage", []string{"promised"}},
	"leakage.file":         {"lead", "this file", "leakage", []string{"promised", "nothing"}},
	"leakage.unaware":      {"lead", "promised", "leakage", []string{"promised", "nothing"}},
	"leakage.reached":      {"lead", "reached", "", nil},
	"leakage.own.overall":  {"lead", "this file reached", "", nil},
	"leakage.file.unaware": {"lead", "this file", "leakage", []string{"promised"}},
	"leakage.own":          {"lead", "this file reached", "", nil},
	"leakage.overall":      {"lead", "reached", "", nil},
	"leakage.together":     {"lead", "told", "", nil},
	"leakage.stratum":      {"lead", "told", "", nil},
	"leakage.population":   {"lead", "population", "", nil},
	"leakage.earlier":      {"lead", "earlier draws", "leakage", []string{"promised", "nothing"}},
	"leakage.held":         {"lead", "held", "", nil},
	"leakage.repeated":     {"lead", "repeated", "", nil},
	"leakage.suppressed":   {"lead", "suppressed", "", nil},
	"floor":                {"lead", "floor", "floor", []string{"promised"}},
	"floor.reached":        {"lead", "floor reached", "", nil},
	"floor.earlier":        {"lead", "no floor", "floor", []string{"nothing"}},
	"floor.held":           {"lead", "held, worst", "", nil},
	"floor.repeated":       {"lead", "repeated, worst", "", nil},
	"floor.suppressed":     {"lead", "suppressed, worst", "", nil},
	"shift":                {"lead", "shares", "shift", []string{"promised", "nothing"}},
	"joint":                {"joint", "columns together", "joint", []string{"promised", "nothing"}},
	"joint.reached":        {"joint", "together", "", nil},
	"joint.presence":       {"joint", "with nulls", "", nil},
	"joint.unaware":        {"joint", "any group", "", nil},
	"presence":             {"lead", "nulls", "leakage", []string{"told"}},
	"presence.null":        {"lead", "a null", "", nil},
	"presence.value":       {"lead", "a value", "", nil},
	"unchanged":            {"lead", "unchanged", "change", []string{"nothing"}},
	"unchanged.reached":    {"lead", "unchanged", "", nil},
	"bins":                 {"lead", "bins", "choice", []string{"told"}},
	"merged":               {"lead", "rare values", "floor", []string{"told"}},
	"neighbours":           {"lead", "others", "", nil},
	"cumulative":           {"lead", "all releases", "", nil},
	"cumulative.changes":   {"lead", "changes", "cumulative", []string{"nothing"}},
	"limits":               {"lead", "limits", "leakage", []string{"nothing"}},
	"confirmed":            {"verdict", "made certain", "", nil},
	"kept":                 {"verdict", "kept", "", nil},
	"chosen":               {"verdict", "chosen from the data", "choice", []string{"told"}},
	"epsilon.lowered":      {"lead", "lowered", "", nil},
	"epsilon.least":        {"lead", "least", "", nil},
	"changed":              {"utility", "changed", "", nil},
	"shares":               {"utility", "shares", "", nil},
	"shares.common":        {"utility", "common values", "", nil},
	"shares.strata":        {"utility", "shares by stratum", "", nil},
	"shares.draws":         {"utility", "chance", "", nil},
	"confirmable":          {"caps", "may be confirmed", "", []string{""}},
}

// onShelf is what a claim says of its place. Words, names and notes are not looked
// at.
func onShelf(w *document.Faults, key string) document.Figures {
	s, known := shelves[key]
	w.Match(known, fmt.Sprintf("the claim %q, which no report has,", key))
	return document.Figures{"key": key, "section": s.section, "head": s.head, "public": s.standings != nil,
		"words": document.Filled, "given": document.Stated{}, "note": document.Stated{}, "names": document.Stated{}}
}

// plainFigures are those of a report, by key.
func plainFigures(r *document.Report) map[string]plain {
	out := map[string]plain{}
	if target := r.Float("target_factor"); target >= 1 {
		share := confirmable(target)
		whose := document.Either(r.Text("domain.null") == "public", "records that have a value", "records")
		out["confirmable"] = plain{figure: &figure{Share: share},
			words: fmt.Sprintf("a value that %s in 100 %s hold, or more",
				threeDigits(share), whose)}
	}
	n, outputs := r.Int("records"), int64(len(r.List("outputs")))
	least, most := r.Int("floor.allowed"), r.Int("floor.most")
	allowed := strconv.FormatInt(least, 10)
	if most > least {
		allowed = fmt.Sprintf("%d to %d", least, most)
	}
	moved := n - r.Int("utility.unchanged")
	out["changed"] = plain{figure: &figure{Count: moved, Exact: true},
		words: fmt.Sprintf("%d of %d records; %s, %s per record",
			moved, n, counted(outputs, "output", "outputs"), allowed)}
	if asked := r.Text("epsilon.asked"); r.Bool("epsilon.least") {
		out["epsilon.least"] = plain{asked: asked,
			words: fmt.Sprintf("Epsilon %s is promised. The mechanism was designed for %s, the least that was "+
				"found at this floor, rounded up to thousandths of a nat.", asked, r.Text("epsilon.target"))}
	} else if asked != "" {
		out["epsilon.lowered"] = plain{asked: asked,
			words: fmt.Sprintf("Epsilon %s was promised for this column. It was lowered to %s, so "+
				"that all columns together keep the epsilon that was asked for them.", asked, r.Text("epsilon.target"))}
	}
	if s := r.At("shares"); s.Has("") {
		sharesFigures(out, r, s)
	}
	return out
}

// stances are what the claims of a report must say, by key.
func stances(r *document.Report) map[string]stance {
	records := "all"
	presence := r.Text("nulls.rule") == "public"
	if presence {
		records = "with a value"
	}
	drawn, whole := records, r.Has("prior.part")
	if whole {
		records, drawn = "whole data", "whole data"
	}
	prior := map[string]string{"declared prior": "declared", "this file, smoothed": "smoothed",
		"the plan": "data of the plan"}[r.Text("prior.of")]
	prior = cmp.Or(prior, "this file")
	observer, strata := "cell", r.At("strata")
	if strata.Has("") {
		observer = "cell, given stratum"
		if len(strata.List("groups")) == 1 && strata.Int("merged") > 1 {
			observer = "cell, no stratum"
		}
		if prior != "declared" && prior != "smoothed" {
			prior = ofRecords(observer, "this file")
		}
	}
	if earlierAsked(r) {
		drawn = document.Either(records == "all", "drawn anew", "drawn anew, with a value")
	}
	out := map[string]stance{}
	// of is a claim about one cell, at the epsilon asked for.
	of := func(standing, bounds, observer, prior string, f *figure) stance {
		return stance{standing, bounds, observer, prior, drawn, f, r.Text("column"), r.Promised()}
	}
	tells := func(standing, bounds, observer, prior, records string, f *figure) stance {
		return stance{standing: standing, bounds: bounds, observer: observer, relative: prior, records: records, figure: f}
	}
	floors := r.Int("floor.of") > 0
	var target *figure
	if floors {
		target = &figure{Times: r.Float("target_factor")}
		out["leakage.reached"] = of("reached", "leakage", observer, prior, unless(r.NoneDrawn(), factorOf(r.At("epsilon"),
			"", true)))
	}
	earlierStances(out, r)
	out["leakage"] = of("promised", "leakage", observer, prior, target)
	told, file := "told", ofRecords(observer, document.Either(whole, "data of the plan", "this file"))
	if r.Bool("prior.only") {
		out["leakage.file"] = of("nothing", "leakage", observer, file, nil)
	} else if (prior == "declared" || prior == "smoothed") && floors {
		out["leakage.file"], told = of("promised", "leakage", observer, file, target), "reached"
	}
	if r.Has("prior.own_factor") {
		own := factorOf(r.At("prior"), "own_", true)
		if o := strata.At("own"); o.Has("") && observer != "cell, no stratum" {
			own = factorOf(o, "given_", strata.Int("merged") < 2)
		}
		out["leakage.own"] = of(told, "leakage", observer, file, own)
	}
	if strata.Has("") {
		strataStances(r, out, of, observer, target)
	}
	if b := r.At("population"); b.Has("") {
		nats := b.Float("nats")
		f := unless(!b.Bool("bounded"), &figure{Nats: nats, Times: math.Nextafter(math.Exp(nats), math.Inf(1))})
		s := of("reached", "leakage", observer, "population", f)
		s.asked = b.Text("delta")
		out["leakage.population"] = s
	}
	rank := floorOf(r.At("floor"))
	floor := tells("promised", "floor", "anyone", "no prior", drawn, nil)
	switch {
	case floors && r.Text("floor.asked") == "best":
		floor.figure = rank
	case floors:
		floor.asked = r.Text("floor.asked")
		out["floor.reached"] = tells("reached", "floor", "anyone", "no prior", drawn, unless(r.NoneDrawn(), rank))
	}
	out["floor"] = floor
	if limit := r.Text("design.max_shift"); limit != "" {
		s := tells(document.Either(earlierAsked(r), "nothing", "promised"), "shift", "anyone", "no prior", drawn, nil)
		s.asked = limit
		out["shift"] = s
	}
	if j := r.At("joint"); j.Has("") {
		whose := "all"
		if shown := j.At("with_presence"); shown.Has("") {
			whose = "with a value"
			out["joint.presence"] = tells("told", "joint", "presence", "combinations", "all",
				factorOf(shown, "", shown.Bool("exact")))
		}
		if unaware := j.At("unaware"); unaware.Has("") {
			out["joint.unaware"] = tells("told", "joint", "cell and stratum", "combinations", "all",
				factorOf(unaware, "", unaware.Bool("exact")))
		}
		asked := tells("nothing", "joint", "cells", "combinations", whose, nil)
		if asked.asked = j.Text("target"); asked.asked != "" {
			asked.standing, asked.figure = "promised", &figure{Times: j.Float("target_factor")}
		}
		out["joint"] = asked
		out["joint.reached"] = tells("reached", "joint", "cells", "combinations", whose, factorOf(j, "", j.Bool("exact")))
	}
	if nulls := r.At("nulls"); presence {
		null, value := nulls.Has("null_factor"), nulls.Has("value_factor")
		out["presence"] = tells("told", "leakage", "presence", "this file", "null", nil)
		out["presence.null"] = tells("told", "leakage", "presence", "this file", "null", unless(!null,
			&figure{Factor: nulls.Text("null_factor"), Nats: nulls.Float("nats"), Exact: true}))
		if !null || value {
			out["presence.value"] = tells("told", "leakage", "presence", "this file", "with a value", unless(!value,
				factorOf(nulls, "value_", true)))
		}
	}
	if r.Has("domain.bins") {
		bins := tells("told", "choice", "anyone", "no prior", records, nil)
		bins.asked = r.Text("domain.bins.spec")
		out["bins"] = bins
	}
	if r.Has("other") {
		merged := tells("told", "floor", "anyone", "no prior", records, nil)
		merged.asked = strconv.FormatInt(r.Int("other.min_count"), 10)
		out["merged"] = merged
	}
	if c := r.At("certainty"); c.Has("") {
		own := document.Either(prior == "declared" || prior == "smoothed", ofRecords(observer, "this file"), prior)
		change := func(known bool, share float64) stance {
			return of("told", "change", observer, own, unless(!known, &figure{Share: share}))
		}
		out["confirmed"] = change(c.Has("confirmed"), c.Float("confirmed"))
		if out["kept"] = change(c.Has("kept"), c.Float("kept")); c.Bool("unchanged") {
			out["unchanged.reached"] = change(true, 1)
		}
		if c.Bool("unchanged_allowed") {
			out["unchanged"] = tells("nothing", "change", "cell", "no prior", records, nil)
		}
	}
	least := r.Float("conditional.largest.factor")
	beside := tells("told", "neighbours", "cell and column", "this file", records, unless(least == 0,
		&figure{Least: least}))
	open := int64(0)
	for _, f := range r.List("conditional.findings") {
		if f.Bool("not_judged") {
			open++
		}
	}
	if open > 0 {
		beside.asked = counted(open, "thing beside it was not judged", "things beside it were not judged")
	}
	out["neighbours"] = beside
	if s := r.Series; s != nil {
		if s.OnChange != "hold" {
			out["cumulative.changes"] = tells("nothing", "cumulative", "changes", "no prior", records, nil)
		}
		c := s.Cumulative
		out["cumulative"] = tells("reached", "cumulative", "releases", "first plan", records, unless(c.Factor == "",
			&figure{Factor: c.Factor, Nats: c.Nats, Exact: c.Label == "exact"}))
	}
	out["limits"] = tells("nothing", "leakage", "cell and column", "no prior", records, nil)
	out["chosen"] = tells("told", "choice", "anyone", "no prior", records, nil)
	return out
}

// unless is a figure, or none.
func unless(not bool, f *figure) *figure {
	if not {
		return nil
	}
	return f
}

// factorOf is a factor of the report with its logarithm, whose names begin so.
func factorOf(n document.Node, prefix string, exact bool) *figure {
	return &figure{Factor: n.Text(prefix + "factor"), Nats: n.Float(prefix + "nats"), Exact: exact}
}

// ofRecords is what a claim of an observer is relative to where it is no other prior.
func ofRecords(observer, file string) string {
	return document.Either(observer == "cell, given stratum", "own stratum", file)
}

// strataStances are what the claims to observers of strata must say.
func strataStances(r *document.Report, out map[string]stance, of func(standing, bounds, observer, prior string,
	f *figure) stance, observer string, target *figure) {
	s, only := r.At("strata"), r.Bool("strata.given_only")
	told := func(standing, observer, what string) stance {
		return of(standing, "leakage", observer, "this file", factorOf(s, what, true))
	}
	if s.Bool("published") {
		out["leakage.together"] = told("told", "cell and stratum", "together_")
		out["leakage.stratum"] = told("told", "stratum", "alone_")
	}
	if observer == "cell, no stratum" {
		return
	}
	overall, merged := told(document.Either(only, "told", "reached"), "cell, no stratum", "overall_"), s.Int("merged") > 1
	another := s.Has("own") // prior, relative to which the promise is; the records are held to it, too
	both, file := another && !only && !r.Bool("prior.only"), "this file"
	if another {
		overall.relative = document.Either(r.Text("prior.of") == "declared prior", "declared", "smoothed")
		file = document.Either(r.Has("prior.part"), "data of the plan", file)
		out["leakage.own.overall"] = of(document.Either(both, "reached", "told"), "leakage", "cell, no stratum", file,
			factorOf(s.At("own"), "overall_", true))
	}
	if out["leakage.overall"] = overall; target == nil {
		return
	}
	if both {
		out["leakage.file.unaware"] = of("promised", "leakage", "cell, no stratum", file, target)
	}
	out["leakage.unaware"] = of(document.Either(only, "nothing", "promised"), "leakage", "cell, no stratum",
		overall.relative, unless(only, target))
	known, most := factorOf(s, "given_", !merged), new(big.Rat)
	for _, g := range s.List("groups") {
		if q, ok := g.Factor("factor"); merged && ok && !g.Bool("rest") && q.Cmp(most) > 0 {
			most, known = q, factorOf(g, "", true)
		}
	}
	reached := out["leakage.reached"]
	reached.figure = known
	out["leakage.reached"] = reached
}

// earlierAsked reports that rows may not be drawn anew, by what was asked
// for.
func earlierAsked(r *document.Report) bool {
	s := r.Series
	return s != nil && s.Published != nil && s.Night > 1 && (s.OnChange == "hold" || s.Budget != "")
}

// earlierStances are what claims must say of rows that are not drawn anew.
func earlierStances(out map[string]stance, r *document.Report) {
	if !earlierAsked(r) {
		return
	}
	const observer = "cell, value never changed"
	out["leakage.earlier"] = stance{"promised", "leakage", observer, "first plan", "not drawn anew",
		&figure{Times: r.Float("target_factor")}, r.Text("column"), r.Text("epsilon.target")}
	out["floor.earlier"] = stance{"nothing", "floor", "anyone", "no prior", "not drawn anew", nil, "", ""}
	s := r.Held()
	if s == nil {
		return
	}
	out["leakage.held"] = stance{"told", "leakage", observer, "first plan", "held", &figure{Factor: s.Factor, Nats: s.Nats,
		Count: s.Rows, Exact: r.Series.OnChange == "hold" && s.Factor != ""}, "", ""}
	if s.Rank > 0 {
		out["floor.held"] = stance{"told", "floor", "anyone", "no prior", "held", &figure{Rank: int64(s.Rank),
			Of: r.Int("floor.of"), Count: s.Rows, Exact: true}, "", ""}
	}
}
