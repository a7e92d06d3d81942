package page

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/account"
	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// sample is the report of the paper's counting query at the floor rank 3.
func sample() *report.Report {
	r := &report.Report{
		Schema: report.Schema, Command: "run", Column: "x", Type: "int64", Records: 7000, Letters: 7,
		Most:    2.3396468519259908,
		Prior:   report.Prior{Of: "this file", Max: 1.0 / 7, Min: 1.0 / 7, Person: "not stated"},
		Domain:  report.Domain{Rule: "observed", Observed: 7, Unseen: "none", Null: "refuse"},
		Epsilon: report.Epsilon{Target: "0.85", Factor: "7/3", Nats: 0.8472978603872037},
		Floor: report.Floor{Rank: 3, Value: -17, Of: 7, Asked: "best", Least: 5, Most: 5,
			InWords: "of utility -17 or better", NextRank: 4, NextNeed: "7/2"},
		Design:  report.Design{Kind: "safe", Lower: "1", Upper: "7/3"},
		Utility: report.Utility{Worst: -17, Expected: -3.7714, UpperBound: 0, Realised: -3.75, Unchanged: 1400},
		Scale:   report.Scale{Commonest: 1.9459, Rarest: 1.9459},
		Guess:   &report.Guess{Before: 1.0 / 7, Mean: .2, Worst: 1.0 / 3},
		Story: &report.Story{Output: report.Label{Text: "0"}, Guess: report.Label{Text: "secretive"}, Before: 1.0 / 7,
			After: 1.0 / 3, Factor: "7/3"},
		Binding: &report.Binding{Output: report.Label{Text: "0"}, Letters: 3, Records: 3000},
		Outputs: []report.Output{{Label: report.Label{Text: "0"}, Factor: "7/3", Nats: 0.8472978603872037, Support: 3,
			Share: .1},
			{Label: report.NullLabel, Factor: "7/4", Nats: 0.5597, Support: 4, Share: .1}},
		Grid:     []report.GridCap{{Share: .01, Cap: .0234}, {Share: .5, Cap: 1}},
		Analysts: &report.Analysts{Letters: 7, Rank: 3, Estimable: 1},
		Order:    report.Order{Spec: "matrix:u.csv", Form: "matrix"},
		Stated: report.Stated{Version: "devel",
			Draws: report.Draws{Generator: "AES", Key: "32 bytes, never stored", Kind: "fresh"},
			Columns: []report.Column{{Name: "x", Type: "int64", Fate: "privatized"},
				{Name: "y", Type: "string", Fate: "published in clear"}, {Name: "z", Type: "string", Fate: "dropped"}},
			Settings: []report.Setting{{Name: "input", Value: "/a/in file.parquet", Origin: "flag"},
				{Name: "epsilon", Value: "0.85", Origin: "environment"},
				{Name: "overwrite", Value: "true", Origin: "flag"}, {Name: "drop", Value: "z", Origin: "flag"},
				{Name: "design", Value: "auto", Origin: "default"}}},
		Checks: []report.Check{{Name: "rows", Passed: true, Detail: "7000 rows"}},
		Input:  report.File{Path: "/a/in.parquet", Rows: 7000}, Output: report.File{Path: "/b/out.parquet", SHA256: "abc",
			Rows: 7000}, Warnings: []string{"look here"},
	}
	r.Beside.State, r.History.State = "not measured", "not tracked"
	for i := range 7 {
		r.Caps = append(r.Caps, report.Cap{Label: report.Label{Text: fmt.Sprint("letter", i)}, Records: 1000,
			Share: 1.0 / 7,
			Cap:   1.0 / 3, Reached: 1.0 / 3})
	}
	r.Caps[6].Cap, r.Caps[6].Reached, r.Caps[6].Certain = 1, 1, true
	r.Scale.Uncapped, r.Scale.UncappedRow, r.Scale.Certain, r.Scale.CertainRow = new(1), new(1.0/7), new(1), new(1.0/7)
	account.Claim(r)
	return r
}

var showing = map[string]func(io.Writer, *report.Document) error{"text": report.Text, "html": report.HTML}

func shown(t *testing.T, d *report.Document, format string) string {
	t.Helper()
	var b bytes.Buffer
	if err := showing[format](&b, d); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// flat is text without line breaks and runs of blanks.
func flat(s string) string { return strings.Join(strings.Fields(s), " ") }

// TestShortViewNamesNoValue: the text view may be shown to more people, and
// names outputs only.
func TestShortViewNamesNoValue(t *testing.T) {
	if s := shown(t, Internal(sample()), "text"); strings.Contains(s, "letter6") || strings.Contains(s, "secretive") {
		t.Errorf("a value of the data stands in the short view:\n%s", s)
	}
}

// TestNothingIsClaimedThatDoesNotHold: words that would be a legal finding, or
// the sentence of differential privacy, stand nowhere.
func TestNothingIsClaimedThatDoesNotHold(t *testing.T) {
	bad := regexp.MustCompile(`(?i)anonym|complian|\bodds\b|pseudonym|\bsafe to|guarantees privacy|percent of the max`)
	for _, d := range []*report.Document{Internal(sample()), Public(sample().Publish()), Internal(&report.Report{}),
		Public((&report.Report{}).Publish())} {
		for format := range showing {
			if found := bad.FindString(shown(t, d, format)); found != "" {
				t.Errorf("%s: the %s view says %q", d.Title, format, found)
			}
		}
	}
}

func TestBoundsAreRoundedUp(t *testing.T) {
	for p, want := range map[float64]string{0: "0 in 100", 1: "100 in 100", 1.0 / 3: "33.4 in 100", .04: "4 in 100",
		.22560001: "22.6 in 100", 1e-7: "1e-05 in 100", .99999: "100 in 100", .2: "20 in 100"} {
		if got := atMost(p); got != want {
			t.Errorf("atMost(%v) is %s, want %s", p, got, want)
		}
	}
	if got := shortDown("1013083999999/1000000000000"); got != "about 1.013083" {
		t.Errorf("a lower bound is shown as %s", got)
	}
	if got := short("1013083000001/1000000000000"); got != "about 1.013084" {
		t.Errorf("an upper bound is shown as %s", got)
	}
}

// TestFactorsAreNoLargerThanTheyMustBe: epsilon is rounded up before, and its
// exponential would turn a factor of 4 into 4.0001.
func TestFactorsAreNoLargerThanTheyMustBe(t *testing.T) {
	for fraction, want := range map[string]string{"4": "4", "100": "100", "5/2": "2.5", "200000/48797": "4.0987",
		"5000/83": "60.241", "40000000000000000000001/10000000000000000000000": "4.0001", "1": "1"} {
		f, _ := new(big.Rat).SetString(fraction)
		v, _ := f.Float64()
		if got := times(fraction, math.Nextafter(math.Log(v), 20)+1e-12); got != want {
			t.Errorf("a factor of %s is shown as %s, want %s", fraction, got, want)
		}
	}
	if got := times("", 0.5); got != "1.6488" {
		t.Errorf("half a nat without a factor is shown as %s", got)
	}
}

// TestLabelsThatCouldBeTakenForOthers: what a label is not, it does not look
// like.
func TestLabelsThatCouldBeTakenForOthers(t *testing.T) {
	seen := map[string]report.Label{}
	for _, l := range []report.Label{report.NullLabel, {Text: ""}, {Text: "(null)"}, {Text: `"(null)"`}, {Text: " a"},
		{Text: "a"}, {Text: `" a"`}, {Text: "=cmd|' /C calc'!A0"}, {Text: "-5"}, {Text: "-x"}, {Text: "@x"}, {Text: "+1"}} {
		s := show(l)
		if other, ok := seen[s]; ok {
			t.Errorf("%v and %v are both shown as %s", l, other, s)
		}
		if seen[s] = l; l.Text != "-5" && l.Text != "+1" && s != "" && strings.ContainsRune("=+-@", rune(s[0])) {
			t.Errorf("%v is shown as %s, which a spreadsheet would run", l, s)
		}
	}
}

func TestCommandCanBeTypedAgain(t *testing.T) {
	if got, want := say("command line", sample()),
		"tacet run --input '/a/in file.parquet' --epsilon 0.85 --overwrite --drop z"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// TestCountable: a limit stands in the public report where it was promised for all rows and
// nowhere else.
func TestCountable(t *testing.T) {
	for _, c := range []struct {
		standing claim.Standing
		begins   string
	}{
		{claim.Promised, "Large groups yes"},
		{claim.Nothing, "Not as it stands. w"},
		{"", "Not as it stands: the shares"},
	} {
		p := &report.Public{Column: "x"}
		if c.standing != "" {
			v := claim.Value{Standing: c.standing, Facts: claim.Facts{Asked: "5%", Given: "s"}}
			p.Claims = []claim.Claim{{Key: "shift", Section: "lead", Value: v, Words: "w"}}
		}
		if column, table := say("countable", p), say("countable table", p); !strings.HasPrefix(column, c.begins) ||
			strings.Contains(table, "the limit holds in each") != (c.standing == claim.Promised) {
			t.Errorf("%s: %s\n%s", c.standing, column, table)
		}
	}
}

// The terminal says how many pairs of columns were judged where some were not.
func TestSummaryOfPairs(t *testing.T) {
	for _, c := range []struct {
		looked, possible int
		says             string
	}{{4950, 5050, "4950 of 5050 pairs"}, {10, 10, ""}} {
		var b strings.Builder
		r := &report.Report{Stated: report.Stated{Beside: report.Beside{Looked: c.looked, Possible: c.possible}}}
		if err := Summary(&b, []*report.Report{r}); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); c.says == "" == strings.Contains(got, "pairs") || !strings.Contains(got, c.says) {
			t.Errorf("%d of %d: %s", c.looked, c.possible, got)
		}
	}
}

// TestPublicReportAdvisesNoCommand: it is for who uses the file, not for who made it, and
// what it names is there for everyone.
func TestPublicReportAdvisesNoCommand(t *testing.T) {
	bad := regexp.MustCompile(`--[a-z]{2,}|\btacet (run|verify|recover|report|frontier|design|apply|estimate)\b|` +
		`stated above|see the section|\bplan\.json|order\.csv`)
	for format := range showing {
		for _, r := range []*report.Report{sample(), everywhere("plain")} {
			text := shown(t, Public(r.Publish()), format)
			if format == "html" {
				text = regexp.MustCompile(`(?s)<style>.*</style>`).ReplaceAllString(text, "")
			}
			check := regexp.MustCompile(`tacet verify --report report\.json --output`) // which page one names
			if found := bad.FindString(check.ReplaceAllString(flat(text), "")); found != "" {
				t.Errorf("the %s view says %q", format, found)
			}
		}
	}
}

// TestHeads: tables have one word for each idea, and where utility is a distance they say
// so.
func TestHeads(t *testing.T) {
	twice := regexp.MustCompile(`(?i)\b(letters?|symbols?|caps?|laws?|channels?|supports?)\b|^(worst |mean )?utility$`)
	away := regexp.MustCompile(`-[0-9][0-9.,]* ?km\b`)
	full := everywhere("plain")
	full.Utility.Unit = "km"
	full.Utility.Worst, full.Utility.Expected, full.Floor.Value = -1234.5, -12.25, -1234.5
	tables := 0
	for _, r := range []*report.Report{sample(), full} {
		for _, d := range []*report.Document{Internal(r), Public(r.Publish())} {
			for _, s := range d.All() {
				for _, table := range s.Tables {
					tables++
					for _, words := range append(table.Head, table.Caption) {
						if found := twice.FindString(words); found != "" {
							t.Errorf("a table of section %q says %q", s.Title, words)
						}
					}
				}
			}
			for format := range showing {
				if found := away.FindString(shown(t, d, format)); found != "" {
					t.Errorf("the %s view has a distance below 0: %q", format, found)
				}
			}
		}
	}
	if tables < 12 {
		t.Errorf("%d tables were looked at", tables)
	}
}
