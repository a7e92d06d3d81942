package pipeline_test

import (
	"math"
	"math/big"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// gathering is so many rows of a letter in a stratum.
func gathering(w, x string, n int) (rows []stratumRow) {
	for range n {
		rows = append(rows, stratumRow{x, w})
	}
	return rows
}

// Two strata of few records, each with another common letter: put together
// they look like the others, and an output that is harmless for both at once
// gives their records away to whoever knows which stratum a record is in. They
// are published, and so each is kept to epsilon by its own records.
func TestPublishedStrataAreNotMerged(t *testing.T) {
	var rows []stratumRow
	for _, s := range []struct {
		w    string
		a, b int
	}{{"A", 250, 250}, {"B", 250, 250}, {"w1", 59, 1}, {"w2", 1, 59}} {
		rows = append(append(rows, gathering(s.w, "a", s.a)...), gathering(s.w, "b", s.b)...)
	}
	o := pipeline.Options{Utility: "ordered:a,b", Epsilon: "0.7", Keep: []string{"w"}, AllowLinked: []string{"w"},
		AllowSorted: true, Audit: "sample"}
	r, folder, err := stratified(t, rows, o)
	if err != nil {
		t.Fatal(err)
	}
	epsilon, law := mechanism.LogOf(new(big.Rat).SetFloat64(math.Exp(.7))), laws(t, folder)
	for _, w := range []string{"A", "B", "w1", "w2"} {
		var own []stratumRow
		for _, row := range rows {
			if row.W == w {
				own = append(own, row)
			}
		}
		if f := leaks(own, law); !epsilon.Admits(f) {
			t.Errorf("whoever knows that a record is in %s learns %s", w, f.RatString())
		}
	}
	if f := leaks(rows, law); !epsilon.Admits(f) || len(r.Strata.Groups) != 4 || r.Strata.Merged != 0 {
		t.Errorf("whoever does not know it learns %s; %d groups", f.RatString(), len(r.Strata.Groups))
	}

	o.StrataMin = 100
	if r, _, err = stratified(t, rows, o); err != nil || len(r.Strata.Groups) != 4 || r.Strata.Merged != 0 {
		t.Errorf("published strata of few records: %v, %+v", err, r.Strata)
	}

	o.Keep, o.Drop, o.AllowLinked, o.Audit, o.AllowUnchanged = nil, []string{"w"}, nil, "off", true
	r, folder, err = stratified(t, rows, o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Strata.Merged != 2 || r.Strata.Published || !strings.Contains(strings.Join(r.Warnings, "\n"),
		"2 strata of w were merged, for fewer than 100 records: nothing is promised to whoever knows which of them a "+
			"record is in") {
		t.Errorf("%+v, %q", r.Strata, r.Warnings)
	}
	c, _ := claim.Find(r.Claims, "leakage")
	if !strings.Contains(c.Words, "It does not hold for someone who knows which of the merged strata a record is in.") {
		t.Error(c.Words)
	}
	if public := string(read(t, filepath.Join(folder, "public",
		"report.html"))); !strings.Contains(strings.ReplaceAll(public, "\n", " "),
		"knows which of the merged strata a record is in") || !strings.Contains(public, "which strata of w are merged") {
		t.Error("the public report does not say that strata were merged")
	}
}

// Whoever does not know the stratum is promised epsilon, too: with mechanisms
// for each stratum an output may tell the stratum, and by it the letter.
func TestWhoeverDoesNotKnowTheStratum(t *testing.T) {
	var rows []stratumRow
	for _, s := range []struct {
		w, x string
		n    int
	}{{"A", "a", 650}, {"A", "b", 350}, {"B", "b", 1000}} {
		rows = append(rows, gathering(s.w, s.x, s.n)...)
	}
	epsilon, err := mechanism.ParseEpsilon("0.5")
	if err != nil {
		t.Fatal(err)
	}
	for _, only := range []bool{false, true} {
		o := pipeline.Options{Utility: "ordered:a,b", Epsilon: "0.5", Keep: []string{"w"}, AllowLinked: []string{"w"},
			AllowSorted: true, Audit: "sample", Design: "optimal", GivenOnly: only}
		r, folder, err := stratified(t, rows, o)
		if err != nil {
			t.Fatal(err)
		}
		if f := leaks(rows, laws(t, folder)); r.Strata.Overall != f.RatString() || only == epsilon.Admits(f) {
			t.Errorf("given only %v: whoever does not know the stratum learns %s, the report says %s", only, f.RatString(),
				r.Strata.Overall)
		}
		saysOfUnaware(t, r, folder, only)
	}
}

// saysOfUnaware holds every view to what is promised to whoever does not know
// the stratum.
func saysOfUnaware(t *testing.T, r *report.Report, folder string, only bool) {
	t.Helper()
	const nothing = "Nothing is promised to someone who does not know w of the record."
	for _, name := range []string{"report.txt", "report.html", "report.json", "public/report.txt",
		"public/report.html", "public/report.json"} {
		text := strings.Join(strings.Fields(string(read(t, filepath.Join(folder, name)))), " ")
		if strings.Contains(text, nothing) != only || strings.Contains(text, "knows only how common each value is") {
			t.Errorf("%s, given only %v, does not say whom nothing is promised to", name, only)
		}
	}
	c, _ := claim.Find(r.Claims, "leakage.unaware")
	if want := map[bool]claim.Standing{true: claim.Nothing, false: claim.Promised}[only]; c.Standing != want ||
		only != strings.Contains(strings.Join(r.Warnings, "\n"),
			"nothing is promised to whoever does not know w (--given-only)") {
		t.Errorf("given only %v: %+v, %q", only, c, r.Warnings)
	}
	for key, factor := range map[string]string{"leakage.reached": r.Strata.Known, "leakage.overall": r.Strata.Overall,
		"leakage.together": r.Strata.Together, "leakage.stratum": r.Strata.Alone} {
		c, ok := claim.Find(r.Claims, key)
		if !ok || c.Section != "lead" || c.Public || c.Figure.Factor != factor || !c.Figure.Exact ||
			c.Standing == claim.Promised {
			t.Errorf("%s: %+v", key, c)
		}
	}
}

// A run with strata states what can be guessed, of whom, and not nought.
func TestBeliefsOfFlights(t *testing.T) {
	dir := t.TempDir()
	seed := uint64(1)
	o := pipeline.Options{Input: "../testdata/tables/flights.parquet", Column: "origin",
		Utility: "positions:../testdata/tables/airports.csv", MaxFactor: "4", Design: "safe",
		Strata: "weekday(date)", Keep: []string{"date"}, AllowLinked: []string{"date"}, Audit: "off", TestSeed: &seed,
		Output: filepath.Join(dir, "out.parquet"), Report: filepath.Join(dir, "r")}
	r := run(t, o)
	for _, g := range []*report.Guess{r.Guess, r.Strata.Unaware.Guess} {
		if !(math.Abs(g.Before-.0564) <= .0002 && g.Mean > g.Before && g.Worst > g.Mean && g.Worst <= 4*.08) {
			t.Errorf("best guess %+v", *g)
		}
	}
	if len(r.Caps) != 228 || len(r.Strata.Unaware.Caps) != 228 || r.Story == nil || r.Strata.Unaware.Story == nil ||
		r.Scale.Rarest < 8 || r.Analysts == nil && r.Strata.Rule == "shared" {
		t.Errorf("%d and %d caps, %+v", len(r.Caps), len(r.Strata.Unaware.Caps), r.Scale)
	}
	for _, name := range []string{"report.txt", "report.html"} {
		text := string(read(t, filepath.Join(o.Report, name)))
		for _, wrong := range []string{"right 0 in 100", "There are no records", "no record was redrawn"} {
			if strings.Contains(text, wrong) {
				t.Errorf("%s says %q", name, wrong)
			}
		}
		if strings.Contains(text, "5.64") != (name != "report.txt") { // which has no share of a value
			t.Errorf("%s: how often the best guess is right", name)
		}
	}
}
