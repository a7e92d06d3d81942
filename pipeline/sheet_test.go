package pipeline_test

import (
	"crypto/sha256"
	"fmt"
	"html"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// TestPageOneAnswers: page one of every view answers what somebody asks who has to
// decide: what is promised, to whom, what other columns add, whether the column may be
// counted, and what is open.
func TestPageOneAnswers(t *testing.T) {
	line, seed := "ordered:a,b,c,d", uint64(3)
	all := &report.About{Release: "R7", Date: "2026-01-02", DataFrom: "2025", Series: "single", Owner: "Office",
		NextReview: "2027", Purpose: "p", Recipients: "all", Access: "open", Terms: "t", WhyColumn: "w", WhyDetail: "d",
		Row: "a trip", Persons: "1"}
	told := func(answers ...string) []string { return answers }
	plain := told("any guess about the true one at most 3.3202 times as likely to be right (epsilon 1.2)",
		"someone who sees one published cell and knows how common each value is in this file")
	for name, c := range map[string]struct {
		o      pipeline.Options
		nulls  bool
		wanted []string
	}{
		"plain": {pipeline.Options{Epsilon: "1.2", Drop: []string{"d", "s"}}, false, append(plain,
			"largest risk", "counting Not as it stands, no limit was asked for. The share of a group of values is off by up "+
				"to", "declarations missing: release id, release date")},
		"declared": {pipeline.Options{Epsilon: "1.2", Drop: []string{"d", "s"}, About: all}, false, append(plain,
			"(rows per person: 1)")},
		"max-shift": {pipeline.Options{Epsilon: "1.2", MaxShift: "8%", Keep: []string{"s"},
			AllowLinked: []string{"s"}}, false, append(plain,
			"largest risk", "counting Large groups yes, to within 8 points", "declarations missing")},
		"strata": {pipeline.Options{Epsilon: "1.5", Strata: "s", Keep: []string{"s"}, AllowLinked: []string{"s"}}, false,
			told("at most 4.4817 times as likely to be right (epsilon 1.5)", "someone who knows s of the record, sees its "+
				"published cell and knows how common each value is among the records that share it",
				"For someone who does not know s of the record, and knows how common each value is in this file: at most 4.4817",
				"s and the published cell",
				"counting Not as it stands", "declarations missing")},
		"several columns": {pipeline.Options{Columns: []pipeline.Choice{{Column: "c", Utility: line, Epsilon: "1.2"},
			{Column: "d", Utility: line, Epsilon: "1.2"}}, AllowLinked: []string{"s"}}, false, append(plain,
			"the published cells of c and d", "counting Not as it stands",
			"declarations missing")},
		"nulls stay": {pipeline.Options{Epsilon: "1.2", Null: "public", Keep: []string{"s"},
			AllowLinked: []string{"s"}}, true,
			told("at most 3.3202 times",
				"knows that the cell has a value, and how common each is among those of this file", "counting Not as it stands",
				"10 nulls stay as they are")},
		"unchanged": {pipeline.Options{Epsilon: "4.5", AllowUnchanged: true, AllowLinked: []string{"d", "s"}}, false, told(
			"The output is the input, up to the names of values")},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			o := c.o
			o.Input, o.Output, o.Report, o.TestSeed = filepath.Join(dir, "in"), filepath.Join(dir, "out"),
				filepath.Join(dir, "report"), &seed
			if o.AllowSorted = true; o.Columns == nil {
				o.Column, o.Utility = "c", line
			}
			crowded(t, o.Input, rand.New(rand.NewPCG(5, 7)), c.nulls)
			run(t, o)
			folder := o.Report
			if o.Columns != nil {
				folder = filepath.Join(folder, "1")
			}
			answers(t, folder, c.wanted...)
			if text := pageOne(t, folder, "report.html"); (o.About != nil) != !strings.Contains(text, "owner not stated") {
				t.Errorf("what is open:\n%s", text)
			}
		})
	}
	t.Run("ledger", func(t *testing.T) {
		s := newSeries4(t)
		for range 2 {
			o, r, err := s.release(t, night4{p4(), func(o *pipeline.Options) { o.Epsilon = "log(4)" }})
			if err != nil {
				t.Fatal(err)
			}
			answers(t, o.Report, "at most 4 times as likely to be right (epsilon log(4))", "someone who sees one published cell",
				"all releases", "largest risk", "counting", "declarations missing")
			if r.Shares == nil {
				t.Error("control: no figure of shares")
			}
		}
	})
}

// answers fails where page one of a view lacks an answer, or the name of the release.
func answers(t *testing.T, folder string, wanted ...string) {
	t.Helper()
	named, box := filepath.Join(folder, "report.json"), []string{"approve", "reject", "signature"}
	if joint := filepath.Join(filepath.Dir(folder), "joint.json"); filepath.Base(folder) == "1" {
		named, box = joint, nil // a release of several columns has one name, and one decision
	}
	id := fmt.Sprintf("release %x", sha256.Sum256(read(t, named)))[:len("release ")+8]
	for _, name := range []string{"report.txt", "report.html"} {
		text := pageOne(t, folder, name)
		for _, want := range slices.Concat(wanted, box) {
			want = strings.ToLower(strings.Join(strings.Fields(strings.ReplaceAll(want, ":", " ")), " "))
			if !strings.Contains(strings.ToLower(text), want) {
				t.Errorf("%s lacks %q:\n%s", name, want, text)
			}
		}
		if name != "report.txt" && !strings.Contains(text, id) {
			t.Errorf("%s is not called %q", name, id)
		}
	}
}

var tags = regexp.MustCompile(`(?s)<svg.*?</svg>|<style.*?</style>|<[^>]*>`)

// pageOne is the text of page one of a view, without markup, line breaks and colons.
func pageOne(t *testing.T, folder, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	text, end := string(data), "\n\n"
	if filepath.Ext(name) == ".html" {
		end = "<nav"
	}
	text, _, found := strings.Cut(text, end)
	if !found {
		t.Fatalf("%s has no end of page one", name)
	}
	if filepath.Ext(name) == ".html" {
		text = html.UnescapeString(tags.ReplaceAllString(text, " "))
	}
	return strings.Join(strings.Fields(strings.ReplaceAll(text, ":", " ")), " ")
}
