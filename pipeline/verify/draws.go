package verify

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
)

// What reports say of the draws.
const (
	freshGenerator = "AES-128 in counter mode; integers by rejection, so that every draw has exactly the law of the " +
		"plan"
	freshKey = "32 bytes from the operating system, made for this run, held in memory only, never written or " +
		"printed; every row group has a stream of its own"
	seededKey         = "derived from a test seed: whoever knows it can undo the draws"
	memoisedGenerator = "AES-128-CMAC of id and letter under a key derived for this design and column; integers by " +
		"rejection, so that every draw has exactly the law of the plan"
)

// checkDraws holds what is said of the draws to stamp and series. Where the key
// really came from is not to be seen.
func checkDraws(v *document.View) {
	var w document.Faults
	r := v.Report
	expectDraws(v, &w)
	kind, unit := r.Text("randomness.kind"), r.Text("randomness.unit")
	w.Match(r.Option("record-id") == "" && r.Option("person") == "" || kind == "memoised",
		"the kind of the draws, which the options have otherwise,")
	w.Match(r.Option("run-id") == r.Text("randomness.run_id"), "the name of the run, which the options have otherwise,")
	w.Match(r.Option("person") == "" || unit == "person", "whose draws are shared, which the options have otherwise,")
	w.Match(r.Has("person_figures") == (unit == "person"),
		"what rows of one person tell, which is there where they share draws,")
	v.Settle("draws as stated", w, "%s", kind)
}

// expectDraws expects one of the ways to draw that there are.
func expectDraws(v *document.View, w *document.Faults) {
	want := document.Figures{"generator": freshGenerator, "key": freshKey, "kind": "fresh"}
	switch id := v.Report.Text("randomness.key_id"); {
	case v.Report.Text("randomness.kind") == "memoised":
		want = document.Figures{"generator": memoisedGenerator, "kind": "memoised", "key_id": document.Filled,
			"unit": document.OneOf("record", "person"),
			"key":  "the draw key " + id + ", in a file: whoever has it and the plan can undo the draws"}
	case id != "":
		want["key_id"], want["run_id"] = document.Filled, document.Filled
		want["key"] = "the run key " + id + ", in a file: whoever has it, the input and the plan can undo the draws; every " +
			"row group has a stream of its own"
	case v.Report.Has("stamp"):
		want["key"] = seededKey
	}
	v.Expect(w, document.Figures{"randomness": want})
}

// checkPersons holds what is said of the rows of one person to what was counted,
// or to what people say.
func checkPersons(v *document.View) {
	var w document.Faults
	want := "not stated"
	if v.Report.Text("about.persons") != "" && !v.Empty() {
		want = v.Report.Text("about.persons")
	}
	if p := v.Report.At("person_figures"); p.Has("") {
		want = fmt.Sprintf("at most %d: %d persons in %d rows", p.Int("rows_at_most"), p.Int("persons"),
			v.Report.Int("records"))
	}
	v.Expect(&w, document.Figures{"prior.persons": want})
	v.Settle("rows per person", w, "as they were counted, or as somebody says")
}

// checkStamp looks at what the report says of itself.
func checkStamp(v *document.View) {
	var w document.Faults
	stamp := v.Report.Text("stamp")
	expectStamp(v, &w)
	if v.Report.Option("test-seed") != "" && stamp == "" {
		w.Addf("the draws came from a test seed, and the report is not stamped NOT A PRIVATE RELEASE")
	}
	var made any = document.Rule(func(n document.Node) bool {
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
	var checks []document.Figures
	for _, name := range names {
		checks = append(checks, document.Figures{"name": name, "passed": true, "detail": document.Text})
	}
	v.Expect(&w, document.Figures{"made": made, "checks": checks})
	v.Settle("report", w, "%s", document.Either(stamp == "", "the run's own checks passed",
		"the run's own checks passed; stamped "+stamp))
}

// expectStamp expects a stamp that a run sets, or none.
func expectStamp(v *document.View, w *document.Faults) {
	if v.Seen("stamp"); v.Report.Has("stamp") {
		v.Expect(w, document.Figures{"stamp": "NOT A PRIVATE RELEASE"})
	}
}
