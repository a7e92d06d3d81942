package mechanism

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
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
		option{"floor-by", func(o string) bool { return rank != "" || value != "" || o == "" || o == p.Floor.By }})
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
	v.Settle("domain", w, "%s, %d observed; nulls: %s", rule, v.Report.Int("domain.observed"), cmp.Or(v.Plan.Null, "refuse"))
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
