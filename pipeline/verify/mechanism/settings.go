package mechanism

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
)

// What reports say of the letters and of the draws, in the words that there are.
const (
	unseenNone    = "none, the letters are those of the file"
	unseenRefused = "refused"
	unseenAdded   = "letters of the file that the domain does not name were added to it"

	freshGenerator = "AES-128 in counter mode; integers by rejection, so that every draw has exactly the law of the " +
		"plan"
	freshKey = "32 bytes from the operating system, made for this run, held in memory only, never written or " +
		"printed; every row group has a stream of its own"
	seededKey         = "derived from a test seed: whoever knows it can undo the draws"
	memoisedGenerator = "AES-128-CMAC of id and letter under a key derived for this design and column; integers by " +
		"rejection, so that every draw has exactly the law of the plan"
)

// An option is recorded with a value, and holds where plan, report or columns
// do not have it otherwise.
type option struct {
	name  string
	holds func(value string) bool
}

// CheckOptions holds the options that are recorded to what came of them: other
// checks have epsilon, the hash, the test seed and what was given up.
func CheckOptions(v *document.View) {
	r := v.Report
	var w document.Faults
	seen := map[string]bool{}
	options := r.List("options")
	want := Figures{"name": some, "value": Text, "origin": oneOf("flag", "environment", "config", "default")}
	v.Expect(&w, Figures{"options": slices.Repeat([]Figures{want}, len(options))})
	for _, o := range options {
		if seen[o.Text("name")] {
			w.Addf("an option stands twice")
		}
		seen[o.Text("name")] = true
	}
	list := released(v)
	if r.Command == "run" && !r.Has("pinned") {
		list = append(list, designed(v)...)
	}
	held := 0
	for _, o := range list {
		if value, ok := r.Recorded(o.name); ok {
			held++
			w.Match(o.holds(value), "the option "+o.name)
		}
	}
	v.Settle("options", w, "%d of %d agree with what came of them", held, len(options))
}

// released are the options of the release, whoever made its plan.
func released(v *document.View) []option {
	r := v.Report
	s := r.Series
	clear := r.Fate("published in clear")
	list := []option{
		{"test-seed", func(o string) bool { return (o != "") == r.Has("stamp") }},
		{"drop", func(o string) bool {
			return o == "" || !slices.ContainsFunc(document.Names(o),
				func(c string) bool { return !slices.Contains(r.Fate("dropped"), c) })
		}},
		{"keep", func(o string) bool {
			kept := document.Names(o)
			return o == "" || !slices.ContainsFunc(clear, func(c string) bool { return !slices.Contains(kept, c) })
		}},
		{"audit", func(o string) bool { return len(clear) == 0 || (o == "off") == (r.Text("conditional.state") == "off") }},
		{"ledger", func(o string) bool { return (o != "") == (s != nil) }},
		{"record-id", func(o string) bool { return o == "" || r.Text("randomness.kind") == "memoised" }},
	}
	if s != nil {
		is := func(name, value string) option {
			return option{name, func(o string) bool { return o == "" || o == value }}
		}
		list = append(list, is("dataset", s.Dataset), is("total-epsilon", s.Budget), is("on-change", s.OnChange),
			is("over-budget", s.OverBudget))
		if p := s.Published; p != nil {
			list = append(list, option{"keep-earlier", func(o string) bool { return (o == "true") == p.KeepEarlier }})
		}
	}
	return list
}

// designed are the options of the plan, where this run made it.
func designed(v *document.View) []option {
	p, r := v.Plan, v.Report
	list := []option{
		{"null", func(o string) bool { return cmp.Or(o, "refuse") == cmp.Or(p.Null, "refuse") }},
		{"strata", func(o string) bool { return (o != "") == (p.Strata != nil) || v.Empty() }},
		{"min-count", func(o string) bool { return p.Other == nil || o == strconv.FormatInt(p.Other.MinCount, 10) }},
		{"other", func(o string) bool { return p.Other == nil || o == p.Other.Label }},
		{"smooth", func(o string) bool {
			return v.Empty() || (o != "") == (p.Prior != nil && p.Prior.Of == "smoothed") && (o == "" || o == p.Prior.Smooth)
		}},
		{"prior", func(o string) bool { return v.Empty() || (o != "") == (p.Prior != nil && p.Prior.Of == "declared") }},
		{"headroom", func(o string) bool { return v.Empty() || (o != "") == (p.Headroom != nil) }},
	}
	if v.Empty() {
		return list
	}
	if p.Strata == nil {
		list = append(list, option{"design", func(o string) bool { return o == "" || o == "auto" || o == p.Mechanism.Kind }},
			option{"prefer", func(o string) bool { return (o == "unchanged") == (p.Utility.Prefer == "unchanged") }})
	}
	rank, _ := r.Recorded("floor-rank")
	value, _ := r.Recorded("floor-value")
	return append(list,
		option{"floor-rank", func(o string) bool {
			return (o == "") != strings.HasPrefix(p.Floor.Asked, "rank >= ") && (o == "" || sameNumber(o, p.Floor.Asked))
		}},
		option{"floor-value", func(o string) bool {
			return (o == "") != strings.HasPrefix(p.Floor.Asked, "utility >= ") && (o == "" || sameNumber(o, p.Floor.Asked))
		}},
		option{"floor-by", func(o string) bool {
			switch {
			case rank != "" || value != "":
				return true
			case o == "level" || (o == "" || o == "auto") && slices.Contains(inLevels, p.Order.Form):
				return byLevel(v)
			}
			return strings.Replace(cmp.Or(o, "auto"), "auto", "rank", 1) == p.Floor.By
		}})
}

// sameNumber reports whether a floor that was asked for is at a number.
func sameNumber(text, floor string) bool {
	_, at, _ := strings.Cut(floor, ">= ")
	a, err := strconv.ParseFloat(text, 64)
	b, err2 := strconv.ParseFloat(at, 64)
	return err == nil && err2 == nil && a == b
}

// CheckDomain holds what is said of the letters to plan, input and declared
// files. How many letters a file declared is not to be seen.
func CheckDomain(v *document.View, f *document.Files) {
	var w document.Faults
	rule, unseen, named := "observed", unseenNone, int64(0)
	declared := v.Report.Option("domain") != "" || v.Report.Option("prior") != "" ||
		slices.ContainsFunc(v.Report.List("declared"),
			func(s Node) bool { return s.Text("flag") == "domain" || s.Text("flag") == "prior" })
	switch {
	case v.Report.Command == "apply":
		rule, unseen = "the plan", unseenRefused
	case declared:
		rule, unseen = "declared", unseenAdded
	}
	if v.Plan.Other != nil { // and the letter that rare ones are treated as
		unseen, named = "treated as "+v.Plan.Other.Label, 1
	}
	here := v.Sample()
	switch {
	case f.In != nil && v.Pairs != nil:
		here = v.Pairs.In
	case v.Report.Command == "apply":
		here = nil
	}
	var observed any = Stated{}
	if here != nil {
		letters := 0
		for _, n := range here {
			if n > 0 {
				letters++
			}
		}
		observed = letters
	}
	v.Expect(&w, Figures{"domain": Figures{"rule": rule, "unseen": unseen, "null": cmp.Or(v.Plan.Null, "refuse"),
		"observed": observed, "declared": Rule(func(n Node) bool {
			return n.IsNumber() && n.Int("") >= 0 && (rule != "observed" || n.Int("") <= named)
		})}})
	v.Settle("domain", w, "%s, %d observed; nulls: %s", rule, v.Report.Int("domain.observed"), cmp.Or(v.Plan.Null,
		"refuse"))
}

// CheckDraws holds what is said of the draws to stamp and series. Where the key
// really came from is not to be seen.
func CheckDraws(v *document.View) {
	var w document.Faults
	r := v.Report
	ExpectDraws(v, &w)
	kind, unit := r.Text("randomness.kind"), r.Text("randomness.unit")
	w.Match(r.Option("record-id") == "" && r.Option("person") == "" || kind == "memoised",
		"the kind of the draws, which the options have otherwise,")
	w.Match(r.Option("person") == "" || unit == "person", "whose draws are shared, which the options have otherwise,")
	w.Match(r.Has("person_figures") == (unit == "person"),
		"what rows of one person tell, which is there where they share draws,")
	v.Settle("draws as stated", w, "%s", kind)
}

// ExpectDraws expects one of the ways to draw that there are.
func ExpectDraws(v *document.View, w *document.Faults) {
	want := Figures{"generator": freshGenerator, "key": freshKey, "kind": "fresh"}
	switch id := v.Report.Text("randomness.key_id"); {
	case v.Report.Text("randomness.kind") == "memoised":
		want = Figures{"generator": memoisedGenerator, "kind": "memoised", "key_id": some, "unit": oneOf("record", "person"),
			"key": "the draw key " + id + ", in a file: whoever has it and the plan can undo the draws"}
	case v.Report.Has("stamp"):
		want["key"] = seededKey
	}
	v.Expect(w, Figures{"randomness": want})
}

// CheckPersons holds what is said of the rows of one person to what was counted,
// or to what people say.
func CheckPersons(v *document.View) {
	var w document.Faults
	want := "not stated"
	if v.Report.Text("about.persons") != "" && !v.Empty() {
		want = v.Report.Text("about.persons")
	}
	if p := v.Report.At("person_figures"); p.Has("") {
		want = fmt.Sprintf("at most %d: %d persons in %d rows", p.Int("rows_at_most"), p.Int("persons"),
			v.Report.Int("records"))
	}
	v.Expect(&w, Figures{"prior.persons": want})
	v.Settle("rows per person", w, "as they were counted, or as somebody says")
}

// CheckStamp looks at what the report says of itself.
func CheckStamp(v *document.View) {
	var w document.Faults
	stamp := v.Report.Text("stamp")
	ExpectStamp(v, &w)
	if v.Report.Option("test-seed") != "" && stamp == "" {
		w.Addf("the draws came from a test seed, and the report is not stamped NOT A PRIVATE RELEASE")
	}
	var made any = Rule(func(n Node) bool {
		_, err := time.Parse(time.DateOnly, n.Text(""))
		return err == nil
	})
	if stamp != "" {
		made = nil
		if !slices.ContainsFunc(v.Report.Texts("warnings"), func(s string) bool { return strings.Contains(s, "test seed") }) {
			w.Addf("the report is stamped and does not warn of it")
		}
	}
	names := []string{"rows", "alphabet"}
	if !v.Empty() {
		names = append(names, "floor", "fit")
	}
	if v.Report.Text("randomness.kind") == "memoised" && !v.Empty() {
		names = append(names, "draws")
	}
	var checks []Figures
	for _, name := range names {
		checks = append(checks, Figures{"name": name, "passed": true, "detail": Text})
	}
	v.Expect(&w, Figures{"made": made, "checks": checks})
	v.Settle("report", w, "%s", document.Either(stamp == "", "the run's own checks passed",
		"the run's own checks passed; stamped "+stamp))
}

// ExpectStamp expects a stamp that a run sets, or none.
func ExpectStamp(v *document.View, w *document.Faults) {
	if v.Seen("stamp"); v.Report.Has("stamp") {
		v.Expect(w, Figures{"stamp": "NOT A PRIVATE RELEASE"})
	}
}

// few is the number of records below which a set or a stratum is warned of, and
// openGap the utility gap above which a report warns of it.
const (
	few     = 100
	openGap = 1e-6
)

// A warning is called for by figures of a report, and recognised by its stem.
// Where it is called for, it holds what is said, with the figures.
type warning struct {
	called     bool
	stem, said string
}

// rowNumbers is what pandas calls an index that has no name.
var rowNumbers = regexp.MustCompile(`^__index_level_\d+__$`)

// CheckWarnings holds the warnings to the figures that call for them: none is
// missing, and none is there that nothing calls for, but for those of runs that
// died, which the ledger has.
func CheckWarnings(v *document.View) {
	var w document.Faults
	known, texts := warningsOf(v.Report), v.Report.Texts("warnings")
	v.Expect(&w, Figures{"warnings": slices.Repeat([]Rule{Text}, len(texts))})
	found := make([]bool, len(known))
	for i, text := range texts {
		at := slices.IndexFunc(known, func(k warning) bool {
			return k.called && strings.Contains(text, k.stem) && strings.Contains(text, k.said)
		})
		switch {
		case at >= 0:
			if found[at] && !strings.Contains(text, "--keep-earlier") && !strings.Contains(text, "changed visibly") {
				w.Addf("warning %d stands twice", i+1)
			}
			found[at] = true
		case !strings.Contains(text, "was reserved by a run that died"):
			w.Addf("nothing in the report calls for warning %d, or its figures are others", i+1)
		}
	}
	for i, k := range known {
		if k.called && !found[i] {
			w.Addf("the warning that %q is missing, or has other figures", k.stem)
		}
	}
	v.Settle("warnings", w, "%d, each of them called for by figures of the report, and none missing",
		len(texts))
}

// warningsOf are the warnings that there are.
func warningsOf(r *document.Report) []warning {
	records, only, own := r.Int("records"), r.Bool("prior.only"), r.Text("prior.own_factor")
	c, p := r.At("certainty"), r.At("prior")
	open, unseen, late := r.Int("scale.uncapped_letters"), p.Int("unseen"), p.Int("late")
	known := []warning{
		{r.Has("stamp"), "the draws came from a test seed", ""},
		{records == 0, "there are no records under the promise", ""},
		{records > 0 && p.Float("max") == 1, "all records hold one value: epsilon 0", ""},
		{c.Bool("unchanged"), "the output is the input, up to the names of values", ""},
		{r.Bool("design.stopped"), "time, not proof, ended the search", ""},
		{r.Float("design.utility_gap") > openGap, "the utility is not proven to be the largest", ""},
		{open > 0, "are so common that one output may confirm them",
			fmt.Sprintf("%d of %d values, held by", open, r.Int("letters"))},
		{unseen > 0, "such a value keeps the floor but is outside epsilon",
			counted(unseen, "declared value has", "declared values have")},
		{late > 0, "the plan's epsilon does not cover them", counted(late, "value has", "values have")},
		{only, "they were given up (--prior-only)", ""},
		{only && own != "", "relative to its own it is", "(factor " + own + ")"},
		{p.Has("part") && records > 0, "a part of the data that the plan was made from", ""},
		{c.Has("nothing") && p.Float("max") < 1, "the output tells nothing about the input", c.Text("nothing")},
	}
	if b := r.At("binding"); b.Has("") && r.Float("epsilon.nats") > 0 && b.Int("records") < few &&
		p.Text("of") != "declared prior" {
		known = append(known, warning{true, "epsilon is decided by a set of only",
			fmt.Sprintf("only %d records (%d values", b.Int("records"), b.Int("letters"))})
	}
	if n := r.At("nulls"); n.Text("rule") == "public" {
		known = append(known, warning{true, "epsilon is conditional on presence",
			counted(n.Int("count"), "null stays", "nulls stay")})
	}
	if o := r.At("other"); o.Has("") {
		adopted, lent := o.Int("adopted"), o.Int("lent")
		known = append(known, warning{true, "which they are was chosen from the data",
			fmt.Sprintf("with fewer than %d records (%d records in all)", o.Int("min_count"), o.Int("records"))},
			warning{adopted > 0, "the plan was extended",
				counted(adopted, "letter of this file was", "letters of this file were")},
			warning{lent > 0, "floor and utility say nothing of their own",
				counted(lent, "letter that the order has no row for", "letters that the order has no row for")})
	}
	if b := r.At("population"); b.Has("") {
		observed := b.Bool("bounded") && b.Text("domain") == "observed"
		known = append(known, warning{!b.Bool("bounded"), "the records bound nothing about the population", ""},
			warning{observed, "the bound for the population holds if no value can occur but those of this file", ""})
	}
	return slices.Concat(known, strataWarnings(r.At("strata")), neighbourWarnings(r), earlierWarnings(r))
}

func strataWarnings(s Node) []warning {
	small, single := int64(0), int64(0)
	for _, g := range s.List("groups") {
		if g.Int("records") < few {
			small++
		}
		if g.Int("letters") == 1 && g.Int("records") > 0 {
			single++
		}
	}
	return []warning{
		{s.Bool("given_only"), "nothing is promised to whoever does not know", "(--given-only)"},
		{s.Int("merged") > 1, "were merged, for fewer than", fmt.Sprintf("%d strata of ", s.Int("merged"))},
		{small > 0, "such frequencies say little of anything else",
			counted(small, "group of strata has", "groups of strata have")},
		{single > 0, "whoever knows the stratum knows it", counted(single, "group of strata", "groups of strata")},
	}
}

// neighbourWarnings are those of columns published in clear.
func neighbourWarnings(r *document.Report) (known []warning) {
	open := r.Fate("published in clear")
	known = []warning{
		{slices.ContainsFunc(open, rowNumbers.MatchString), "pandas wrote the row numbers", ""},
		{len(open) > 0 && r.Text("conditional.state") != "measured", "what they tell about it is not in epsilon",
			counted(int64(len(open)), "column is published beside it and not judged",
				"columns are published beside it and not judged")},
		{r.Has("conditional.largest"), "epsilon does not bound what `", ": drop "},
	}
	for _, f := range r.List("conditional.findings") {
		known = append(known, warning{true, f.Text("what"), ""})
	}
	return known
}

// earlierWarnings are those of rows that are not drawn tonight.
func earlierWarnings(r *document.Report) (list []warning) {
	if r.Series == nil {
		return nil
	}
	p := r.Series.Published
	t, known := exact.ParseTarget(r.Text("epsilon.target"))
	for _, c := range p.Classes() {
		if c == nil {
			continue
		}
		list = append(list, warning{c.Visible > 0, "changed visibly: nothing bounds", counted(c.Visible, "record",
			"records")})
		if f, ok := exact.Fraction(c.Factor); p.KeepEarlier && ok && known && !t.Admits(f) {
			list = append(list, warning{true, "which is more than epsilon: --keep-earlier", "(factor " + c.Factor + ")"})
		}
	}
	return list
}

// counted is a number with what it counts.
func counted(n int64, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}
