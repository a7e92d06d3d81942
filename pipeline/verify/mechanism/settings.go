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

// origins are where the value of an option may come from. Which it was is not to
// be seen.
var origins = []string{"flag", "environment", "config", "default"}

// CheckOptions holds the options that are recorded to what came of them: other
// checks have epsilon, the hash, the test seed and what was given up.
func CheckOptions(v *document.View) {
	r := v.Report
	var w document.Faults
	seen := map[string]bool{}
	for _, o := range r.Options {
		if seen[o.Name] {
			w.Addf("an option stands twice")
		}
		seen[o.Name] = true
		w.Match(slices.Contains(origins, o.Origin), "where an option comes from")
	}
	list := released(v)
	if r.Command == "run" && r.Pinned == nil {
		list = append(list, designed(v)...)
	}
	held := 0
	for _, o := range list {
		if value, ok := recorded(r, o.name); ok {
			held++
			w.Match(o.holds(value), "the option "+o.name)
		}
	}
	v.Settle("options", w, "%d of %d agree with what came of them", held, len(r.Options))
}

// recorded is the value of an option, and whether it is there.
func recorded(r *document.Report, name string) (value string, ok bool) {
	for _, o := range r.Options {
		if o.Name == name {
			return o.Value, true
		}
	}
	return "", false
}

// released are the options of the release, whoever made its plan.
func released(v *document.View) []option {
	r := v.Report
	s := r.History.Series
	clear := r.Fate("published in clear")
	list := []option{
		{"test-seed", func(o string) bool { return (o != "") == (r.Stamp != "") }},
		{"drop", func(o string) bool {
			return o == "" || !slices.ContainsFunc(document.Names(o),
				func(c string) bool { return !slices.Contains(r.Fate("dropped"), c) })
		}},
		{"keep", func(o string) bool {
			kept := document.Names(o)
			return o == "" || !slices.ContainsFunc(clear, func(c string) bool { return !slices.Contains(kept, c) })
		}},
		{"audit", func(o string) bool { return len(clear) == 0 || (o == "off") == (r.Conditional.State == "off") }},
		{"ledger", func(o string) bool { return (o != "") == (s != nil) }},
		{"record-id", func(o string) bool { return o == "" || r.Randomness.Kind == "memoised" }},
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
	rank, _ := recorded(r, "floor-rank")
	value, _ := recorded(r, "floor-value")
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
	d := v.Report.Domain
	var w document.Faults
	w.Match(d.Null == cmp.Or(v.Plan.Null, "refuse"), "the rule for nulls")
	declared := v.Report.Option("domain") != "" || v.Report.Option("prior") != "" ||
		slices.ContainsFunc(v.Report.Declared, func(s document.SourceClaim) bool {
			return s.Flag == "domain" ||
				s.Flag == "prior"
		})
	rule, unseen := "observed", unseenNone
	switch {
	case v.Report.Command == "apply":
		rule, unseen = "the plan", unseenRefused
	case declared:
		rule, unseen = "declared", unseenAdded
	}
	if v.Plan.Other != nil {
		unseen = "treated as " + v.Plan.Other.Label
	}
	w.Match(d.Rule == rule, "where the letters come from")
	w.Match(d.Unseen == unseen, "what happens to a value that is no letter")
	named := 0 // the letter that rare ones are treated as
	if v.Plan.Other != nil {
		named = 1
	}
	w.Match(d.Declared >= 0 && (rule != "observed" || d.Declared <= named), "the number of letters declared")
	here := v.Sample()
	switch {
	case f.In != nil && v.Pairs != nil:
		here = v.Pairs.In
	case v.Report.Command == "apply":
		here = nil
	}
	if here != nil {
		observed := 0
		for _, n := range here {
			if n > 0 {
				observed++
			}
		}
		w.Match(d.Observed == observed, "the number of letters observed")
	}
	v.Settle("domain", w, "%s, %d observed; nulls: %s", d.Rule, d.Observed, d.Null)
}

// CheckDraws holds what is said of the draws to stamp and series. Where the key
// really came from is not to be seen.
func CheckDraws(v *document.View) {
	d := v.Report.Randomness
	var w document.Faults
	checkDraws(&w, d, v.Report.Stamp != "")
	asked := v.Report.Option("record-id") != "" || v.Report.Option("person") != ""
	w.Match(!asked || d.Kind == "memoised", "the kind of the draws, which the options have otherwise,")
	if person := v.Report.Option("person"); person != "" {
		w.Match(d.Unit == "person", "whose draws are shared, which the options have otherwise,")
	}
	w.Match((v.Report.Persons != nil) == (d.Unit == "person"),
		"what rows of one person tell, which is there where they share draws,")
	v.Settle("draws as stated", w, "%s", d.Kind)
}

func checkDraws(w *document.Faults, d document.DrawsClaim, stamped bool) {
	generator, key := freshGenerator, freshKey
	switch {
	case d.Kind == "memoised":
		generator, key = memoisedGenerator, "the draw key "+d.KeyID+
			", in a file: whoever has it and the plan can undo the draws"
		w.Match(d.KeyID != "" && (d.Unit == "record" || d.Unit == "person"), "the key or the unit of the draws")
	case stamped:
		key = seededKey
	}
	if d.Kind != "memoised" {
		w.Match(d.Kind == "fresh" && d.KeyID == "" && d.Unit == "", "the kind of the draws")
	}
	w.Match(d.Generator == generator && d.Key == key, "how the draws were made, as far as that can be said,")
}

// CheckPersons holds what is said of the rows of one person to what was counted,
// or to what people say.
func CheckPersons(v *document.View) {
	r := v.Report
	want := "not stated"
	if r.About != nil && r.About.Persons != "" && !v.Empty() {
		want = r.About.Persons
	}
	if r.Persons != nil {
		want = rowsPerPerson(r)
	}
	v.Add("rows per person", r.Prior.Persons == want, "%s",
		document.Either(r.Prior.Persons == want, "as they were counted, or as somebody says",
			"other than they were counted, or than somebody says"))
}

// rowsPerPerson are the words for what was counted.
func rowsPerPerson(r *document.Report) string {
	p := r.Persons
	return fmt.Sprintf("at most %d: %d persons in %d rows", p.Most, p.Persons, r.Records)
}

// CheckStamp looks at what the report says of itself.
func CheckStamp(v *document.View) {
	var w document.Faults
	seeded := v.Report.Option("test-seed") != ""
	if seeded && v.Report.Stamp != "NOT A PRIVATE RELEASE" {
		w.Addf("the draws came from a test seed, and the report is not stamped NOT A PRIVATE RELEASE")
	}
	if v.Report.Stamp != "" && v.Report.Stamp != "NOT A PRIVATE RELEASE" {
		w.Addf("the stamp is none that a run sets")
	}
	if _, err := time.Parse(time.DateOnly, v.Report.Made); v.Report.Made != "" && (err != nil || v.Report.Stamp != "") {
		w.Addf("the date is none that a run sets")
	}
	if v.Report.Stamp != "" && !slices.ContainsFunc(v.Report.Warnings,
		func(s string) bool { return strings.Contains(s, "test seed") }) {
		w.Addf("the report is stamped and does not warn of it")
	}
	var names []string
	for _, c := range v.Report.Checks {
		if names = append(names, c.Name); !c.Passed {
			w.Addf("a check of the run itself did not pass")
		}
	}
	want := []string{"rows", "alphabet"}
	if !v.Empty() {
		want = append(want, "floor", "fit")
	}
	if v.Report.Randomness.Kind == "memoised" && !v.Empty() {
		want = append(want, "draws")
	}
	w.Match(slices.Equal(names, want), "the list of the run's own checks")
	v.Settle("report", w, "%s", document.Either(v.Report.Stamp == "", "the run's own checks passed",
		"the run's own checks passed; stamped "+v.Report.Stamp))
}
