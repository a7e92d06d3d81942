package mechanism

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
)

// A stance is what a claim must say beside its words: dimensions, figure, and what
// was asked for, of which column.
type stance struct {
	standing, bounds, observer, relative, records string
	figure                                        *figure
	column, asked                                 string
}

// A figure is the number of a claim.
type figure struct {
	Factor string  `json:"factor,omitempty"`
	Times  float64 `json:"times,omitempty"`
	Nats   float64 `json:"nats,omitempty"`
	Least  float64 `json:"least,omitempty"`
	Rank   int64   `json:"rank,omitempty"`
	Of     int64   `json:"of,omitempty"`
	Level  *stage  `json:"level,omitempty"`
	Count  int64   `json:"count,omitempty"`
	Share  float64 `json:"share,omitempty"`
	Exact  bool    `json:"exact"`
}

// A shelf is where claims of a key stand in a report, and under which head. Those
// for everybody say what they bound, and how they may stand.
type shelf struct {
	section, head, bounds string
	standings             []string
}

// CheckClaims holds every claim to the figures of the report, which the other
// checks recompute.
func CheckClaims(v *document.View) {
	const name = "claims"
	r := v.Report
	var w document.Faults
	missing, plain := stances(r), plainFigures(r)
	claims := r.List(name)
	var expected []Figures
	for _, c := range claims {
		key := c.Text("key")
		s, ok := missing[key]
		f, bare := plain[key]
		delete(missing, key)
		if delete(plain, key); !ok && !bare {
			w.Addf("the claim %q is there twice, or does not belong into this report", key)
		}
		of := onShelf(&w, key)
		of["standing?"], of["bounds?"], of["observer?"], of["relative?"], of["records?"] = s.standing, s.bounds, s.observer,
			s.relative, s.records
		if of["column?"], of["asked?"] = s.column, s.asked; bare { // about which nothing is claimed
			s.figure, of["words"] = nil, f.words
			of["asked?"] = f.asked
		}
		if f.figure != nil {
			of["figure"] = Rule(func(n Node) bool { return document.Written(n, f.figure) })
		}
		if s.figure != nil {
			of["figure"] = Rule(func(n Node) bool { return document.Written(n, s.figure) })
			words := c.Text("words")
			silent := s.figure.Factor == "1" && (strings.Contains(words, "tells nothing") || strings.Contains(words,
				"tell nothing"))
			if !silent && (!strings.Contains(words, saidOf(*s.figure)) || key == "leakage.reached" && s.figure.Factor == "1") {
				w.Addf("the words of the claim %q do not say its figure", key)
			}
		}
		if (key == "floor" || key == "floor.reached") && r.Has("other") && r.Int("floor.of") > 0 {
			of["given"] = r.Text("other.label")
			w.Match(strings.Contains(c.Text("words"), "counts as"), "how values without a row of the order are judged, which")
		}
		expected = append(expected, of)
	}
	for _, key := range slices.Concat(slices.Collect(maps.Keys(missing)), slices.Collect(maps.Keys(plain))) {
		w.Addf("the claim %q is missing", key)
	}
	v.Expect(&w, Figures{name: expected})
	checkChosen(&w, claims, chosenOf(r))
	slices.Sort(w)
	v.Settle(name, w, "%d sentences say of whom, relative to what and of which records, with the figures of the report",
		len(claims))
}

// A plain is a figure about which nothing is claimed: its number and its words.
type plain struct {
	figure       *figure
	words, asked string
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
	if asked := r.Text("epsilon.asked"); asked != "" {
		out["epsilon.lowered"] = plain{asked: asked,
			words: fmt.Sprintf("Epsilon %s was promised for this column. It was lowered to %s, so "+
				"that all columns together keep the epsilon that was asked for them.", asked, r.Text("epsilon.target"))}
	}
	return out
}

// confirmable is 1 / e^epsilon, rounded down: the share from which on an output may
// confirm a value.
func confirmable(target float64) float64 {
	if !(target >= 1) {
		return 0
	}
	share := 1 / target
	if q := new(big.Rat).SetFloat64(target); new(big.Rat).SetFloat64(share).Cmp(q.Inv(q)) > 0 {
		share = math.Nextafter(share, 0)
	}
	return share
}

// threeDigits is a share in 100, rounded down.
func threeDigits(share float64) string {
	unit := math.Pow10(int(math.Floor(math.Log10(100*share))) - 2)
	return strconv.FormatFloat(math.Floor(100*share/unit)*unit, 'g', 3, 64)
}

// onShelf is what a claim says of its place. Words, names and notes are not looked
// at.
func onShelf(w *document.Faults, key string) Figures {
	s, known := shelves[key]
	w.Match(known, fmt.Sprintf("the claim %q, which no report has,", key))
	return Figures{"key": key, "section": s.section, "head": s.head, "public": s.standings != nil, "words": some,
		"given": Stated{}, "note": Stated{}, "names": Stated{}}
}

// chosenOf is what the sentence on choices must name: each figure of the report
// that was chosen from the data.
func chosenOf(r *document.Report) (parts []string) {
	if r.Int("floor.of") > 0 && r.Text("floor.asked") == "best" {
		parts = append(parts, placeOf(*floorFigure(r.At("floor"))))
	}
	if r.Has("other") {
		parts = append(parts, "treated as ")
	}
	if r.Has("strata") && !r.Bool("strata.published") {
		parts = append(parts, "strata of ")
	}
	if r.Has("joint.target") {
		parts = append(parts, "lowered")
	}
	return parts
}

// checkChosen holds the sentence on choices to what it must name, and to name
// nothing else.
func checkChosen(w *document.Faults, claims []Node, parts []string) {
	for _, c := range claims {
		if c.Text("key") != "chosen" {
			continue
		}
		names, words := c.Texts("names"), c.Text("words")
		if len(names) != len(parts) {
			w.Addf("other figures are said to be chosen from the data than the report has")
			return
		}
		for i, part := range parts {
			if !strings.Contains(names[i], part) || !strings.Contains(words, names[i]) {
				w.Addf("the sentence on choices does not name what was chosen from the data")
			}
		}
		if !strings.Contains(words, "depend on the data, too") {
			w.Addf("the sentence on choices does not name those made after a look at the data")
		}
	}
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
	"joint":                {"joint", "columns together", "joint", []string{"promised", "nothing"}},
	"joint.reached":        {"joint", "together", "", nil},
	"joint.presence":       {"joint", "with nulls", "", nil},
	"presence":             {"lead", "nulls", "leakage", []string{"told"}},
	"presence.null":        {"lead", "a null", "", nil},
	"presence.value":       {"lead", "a value", "", nil},
	"unchanged":            {"lead", "unchanged", "change", []string{"nothing"}},
	"unchanged.reached":    {"lead", "unchanged", "", nil},
	"merged":               {"lead", "rare values", "floor", []string{"told"}},
	"neighbours":           {"lead", "others", "", nil},
	"cumulative":           {"lead", "all releases", "", nil},
	"cumulative.changes":   {"lead", "changes", "cumulative", []string{"nothing"}},
	"limits":               {"lead", "limits", "leakage", []string{"nothing"}},
	"confirmed":            {"verdict", "made certain", "", nil},
	"kept":                 {"verdict", "kept", "", nil},
	"chosen":               {"verdict", "chosen from the data", "choice", []string{"told"}},
	"epsilon.lowered":      {"lead", "lowered", "", nil},
	"changed":              {"utility", "changed", "", nil},
	"confirmable":          {"caps", "may be confirmed", "", []string{""}},
}

// saidOf is what the words of a claim must hold, whatever case they begin with:
// its factor rounded up to four decimals, its rank, or its records.
func saidOf(f figure) string {
	switch {
	case f.Rank > 0:
		return placeOf(f)
	case f.Factor != "":
		q, ok := exact.Fraction(f.Factor)
		if !ok {
			return "\x00"
		}
		return "t most " + fourUp(q) + " times"
	case f.Times > 0:
		q := new(big.Rat).SetFloat64(f.Times)
		if q == nil {
			return "\x00"
		}
		return "t most " + strconv.FormatFloat(max(math.Ceil(f.Times*1e4)/1e4, f.Times), 'f', -1, 64) + " times"
	case f.Share > 0 && f.Share < 1:
		return hundredUp(f.Share) + " in 100 of"
	case f.Least > 0:
		return "at least " + threeDown(f.Least)
	case f.Count > 0:
		return strconv.FormatInt(f.Count, 10)
	}
	return ""
}

// threeDown is a factor rounded down to three digits, whole from 100 on.
func threeDown(f float64) string {
	unit := 1.0
	for unit > .01 && f/unit < 100 {
		unit /= 10
	}
	return strconv.FormatFloat(math.Floor(f/unit+1e-9)*unit, 'g', 4, 64)
}

// fourUp is a fraction rounded up to four decimals, without zeros at its end.
func fourUp(q *big.Rat) string {
	n := new(big.Int).Mul(q.Num(), big.NewInt(10000))
	n, rest := n.DivMod(n, q.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		n.Add(n, big.NewInt(1))
	}
	s := new(big.Rat).SetFrac(n, big.NewInt(10000)).FloatString(4)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// hundredUp is a share in 100, rounded up to three digits.
func hundredUp(share float64) string {
	digits := 2 - int(math.Floor(math.Log10(100*share)))
	scale := math.Pow10(digits)
	return strconv.FormatFloat(min(100, math.Ceil(100*share*scale*(1-1e-12))/scale), 'g', 3, 64)
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
		drawn = document.Either(records == "all", "drawn tonight", "drawn tonight, with a value")
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
	rank := floorFigure(r.At("floor"))
	floor := tells("promised", "floor", "anyone", "no prior", drawn, nil)
	switch {
	case floors && r.Text("floor.asked") == "best":
		floor.figure = rank
	case floors:
		floor.asked = r.Text("floor.asked")
		out["floor.reached"] = tells("reached", "floor", "anyone", "no prior", drawn, unless(r.NoneDrawn(), rank))
	}
	out["floor"] = floor
	if j := r.At("joint"); j.Has("") {
		whose := "all"
		if shown := j.At("with_presence"); shown.Has("") {
			whose = "with a value"
			out["joint.presence"] = tells("told", "joint", "presence", "combinations", "all",
				factorOf(shown, "", shown.Bool("exact")))
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
func factorOf(n Node, prefix string, exact bool) *figure {
	return &figure{Factor: n.Text(prefix + "factor"), Nats: n.Float(prefix + "nats"), Exact: exact}
}

// ofRecords is what a claim of an observer is relative to where it is no other prior.
func ofRecords(observer, file string) string {
	return document.Either(observer == "cell, given stratum", "own stratum", file)
}

// strataStances are what the claims to observers of strata must say.
func strataStances(r *document.Report, out map[string]stance, of func(standing, bounds, observer, prior string, f *figure) stance,
	observer string, target *figure) {
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

// CheckPublicClaims holds the claims of a public report to their places, and to
// what it says of the epsilon asked for; nothing else in it can be recomputed.
func CheckPublicClaims(v *document.View, w *document.Faults) {
	p, times := v.Report, v.Report.Float("target_factor")
	promised, choices := false, false
	var expected []Figures
	for _, c := range p.List("claims") {
		key, words, s := c.Text("key"), c.Text("words"), shelves[c.Text("key")]
		of := onShelf(w, key)
		of["public"] = Rule(func(n Node) bool { return n.Bool("") && s.standings != nil })
		if s.bounds != "" { // else it is a figure, and claims nothing
			of["bounds"], of["standing"] = s.bounds, oneOf(s.standings...)
			of["observer"], of["relative"], of["records"] = some, some, some
		}
		asked, own, promise := "", (*figure)(nil), c.Text("standing") == "promised"
		switch {
		case strings.HasPrefix(key, "leakage"):
			of["column?"], asked = p.Text("column"), p.Text("target")
			own = unless(!promise || !p.Has("floor.rank") && !p.Has("floor.declared"), &figure{Times: times})
		case key == "floor":
			asked = p.Text("floor.declared")
			own = unless(!p.Has("floor.rank"), floorFigure(p.At("floor")))
		case key == "joint" && promise:
			asked, own = c.Text("asked"), &figure{Times: c.Float("figure.times")}
			w.Match(asked != "" && own.Times >= 1, "the epsilon for all columns together, which")
		case key == "confirmable":
			own = unless(!(times >= 1), &figure{Share: confirmable(times)})
		case key == "merged":
			asked = strconv.FormatInt(p.Int("domain.other.min_count"), 10)
		}
		if of["asked?"] = asked; own != nil {
			of["figure"] = Rule(func(n Node) bool { return document.Written(n, own) })
			said := saidOf(*own)
			if s.bounds == "" {
				said = threeDigits(own.Share) + " in 100 "
			}
			w.Match(strings.Contains(words, said), fmt.Sprintf("the words of the claim %q, which", key))
		}
		if promised = promised || key == "leakage"; key == "chosen" {
			choices = !p.Has("floor.rank") || strings.Contains(words, placeOf(*floorFigure(p.At("floor"))))
		}
		expected = append(expected, of)
	}
	v.Expect(w, Figures{"claims": expected})
	if !promised {
		w.Addf("the promise is missing")
	}
	if !choices {
		w.Addf("the floor was chosen from the data, and the report does not name it among such choices")
	}
}

// CheckPublicReport holds the public report that lies beside to the internal one,
// member by member.
func CheckPublicReport(v *document.View, p *document.Report) {
	r := v.Report
	same := func(of Node) Rule { return func(n Node) bool { return document.Written(n, of.Value()) } }
	open, left := []Rule{}, []Figures{}
	for _, c := range r.List("claims") {
		if c.Bool("public") {
			open = append(open, same(c))
		}
	}
	for _, c := range r.List("columns") {
		if c.Text("fate") != "dropped" {
			left = append(left, Figures{"name": c.Text("name"), "type": c.Text("type"), "fate": c.Text("fate")})
		}
	}
	dropped := []string{}
	if o := r.Option("drop"); o != "" {
		dropped = document.Names(o)
	}
	given := r.Text("strata.column")
	if f := r.Text("strata.function"); f != "" {
		given = f + "(" + given + ")"
	}
	want := Figures{"schema": document.PublicFormat, "version": r.Text("version"), "stamp?": r.Text("stamp"),
		"about": nil, "claims": open, "column": r.Text("column"), "rows": r.Int("output.rows"), "columns": left,
		"dropped": dropped, "kept": r.Option("keep") != "", "design": r.Option("design"), "given?": given,
		"order":    Figures{"form": r.Text("order.form"), "spec": bare(r.Text("order.spec"))},
		"declared": same(r.At("declared")), "target": r.Promised(), "target_factor": r.Float("target_factor"),
		"grid": same(r.At("grid")), "randomness": same(r.At("randomness")), "difference": Rule(func(n Node) bool {
			return len(n.List("")) == 0
		})}
	if r.Has("about") {
		want["about"] = same(r.At("about"))
	}
	if !p.Has("difference") {
		delete(want, "difference")
	}
	domain := Figures{"rule": r.Text("domain.rule"), "declared": r.Int("domain.declared"), "null": r.Text("domain.null")}
	if r.Has("other") {
		domain["other"] = Figures{"label": r.Text("other.label"), "min_count": r.Int("other.min_count")}
	}
	f, o := r.At("floor"), r.At("output")
	floor := Figures{"rank?": f.Int("rank"), "of?": f.Int("of"), "in_words?": f.Text("in_words"), "level": nil}
	if f.Has("level") {
		floor["level"] = same(f.At("level"))
	}
	if f.Text("asked") != "best" && f.Int("of") > 0 {
		floor = Figures{"declared": f.Text("asked")}
	}
	want["domain"], want["floor"], want["output"] = domain, floor, Figures{"name": bare(o.Text("path")),
		"sha256": o.Text("sha256"), "rows": o.Int("rows"), "bytes": o.Int("bytes"), "format": o.Text("format")}
	var w document.Faults
	document.Diff(&w, "public report", p.Node, want)
	v.Settle("public report", w, "public/report.json says of the release what this report says, and no more")
}

// bare is a spec without the folders of its file; a spec that lists labels has
// none.
func bare(spec string) string {
	form, file, named := strings.Cut(spec, ":")
	if !named {
		return spec[strings.LastIndexByte(spec, '/')+1:]
	}
	at := ""
	if form == "ordered" || form == "circular" {
		if file, named = strings.CutPrefix(file, "@"); !named {
			return spec
		}
		at = "@"
	}
	return form + ":" + at + file[strings.LastIndexByte(file, '/')+1:]
}

// earlierAsked reports that rows may not be drawn tonight, by what was asked
// for.
func earlierAsked(r *document.Report) bool {
	s := r.Series
	return s != nil && s.Published != nil && (s.OverBudget == "suppress" || s.Night > 1 &&
		(s.OnChange == "hold" || s.OverBudget == "repeat"))
}

// earlierStances are what claims must say of rows that are not drawn tonight.
func earlierStances(out map[string]stance, r *document.Report) {
	if !earlierAsked(r) {
		return
	}
	const observer = "cell, value never changed"
	p := r.Series.Published
	out["leakage.earlier"] = stance{document.Either(p.KeepEarlier, "nothing", "promised"), "leakage", observer,
		"first plan",
		"not drawn tonight", unless(p.KeepEarlier, &figure{Times: r.Float("target_factor")}), r.Text("column"),
		r.Text("epsilon.target")}
	out["floor.earlier"] = stance{"nothing", "floor", "anyone", "no prior", "not drawn tonight", nil, "", ""}
	for name, s := range p.Classes() {
		if s == nil {
			continue
		}
		out["leakage."+name] = stance{"told", "leakage", observer, "first plan", name, &figure{Factor: s.Factor, Nats: s.Nats,
			Count: s.Rows, Exact: name == "held" && s.Factor != ""}, "", ""}
		if s.Rank > 0 {
			out["floor."+name] = stance{"told", "floor", "anyone", "no prior", name, &figure{Rank: int64(s.Rank),
				Of: r.Int("floor.of"), Count: s.Rows, Exact: true}, "", ""}
		}
	}
}
