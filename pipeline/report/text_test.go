package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// sample is the report of the paper's counting query at the floor rank 3.
func sample() *Report {
	return &Report{
		Schema: Schema, Column: "x", Type: "int64", Records: 7000, Letters: 7,
		Prior:   Prior{Of: "this file", Max: 1.0 / 7, Min: 1.0 / 7, Person: "not stated"},
		Epsilon: Epsilon{Target: "0.85", Factor: "7/3", Nats: 0.8472978603872037},
		Floor:   Floor{Rank: 3, Value: -17, Of: 7, Asked: "best", Least: 5, Most: 5, InWords: "of utility -17 or better", NextRank: 4, NextNeed: "7/2"},
		Design:  Design{Kind: "safe", Lower: "1", Upper: "7/3"},
		Utility: Utility{Worst: -17, Expected: -3.7714, UpperBound: 0, Realised: -3.75, Unchanged: 1400},
		Scale:   Scale{Commonest: 1.9459, Rarest: 1.9459},
		Binding: &Binding{Output: Label{Text: "0"}, Letters: 3, Records: 3000},
		Outputs: []Output{{Label{Text: "0"}, "7/3", 0.8472978603872037, 3, .1}, {NullLabel, "7/4", 0.5597, 4, .1}},
		Order:   Order{Spec: "matrix:u.csv", Form: "matrix"},
		Columns: []Column{{"x", "int64", "privatized"}, {"y", "string", "published in clear"}, {"z", "string", "dropped"}},
		Checks:  []Check{{"rows", true, "7000 rows"}},
		Output:  File{SHA256: "abc"}, Warnings: []string{"look here"},
	}
}

func text1(t *testing.T, r *Report) []string {
	t.Helper()
	var b bytes.Buffer
	if err := r.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
}

func TestTextSaysFirstWhatCounts(t *testing.T) {
	lines := text1(t, sample())
	if len(lines) >= 60 {
		t.Errorf("%d lines, under 60 are promised", len(lines))
	}
	first := strings.Join(strings.Fields(strings.Join(lines[:11], " ")), " ")
	for _, sentence := range []string{
		"Promised: no published value makes any guess about a record's true x more than e^epsilon times as often right, epsilon = 0.85.",
		"Reached: at most 2.3334 times as often (epsilon 0.8473, rounded up; exactly 7/3), and no record was replaced by anything worse than rank 3 of 7 (of utility -17 or better).",
		"It does not mean: relative to this file's own histogram, for an observer of one row's cell. It is per row: several rows of one person together can say more (rows per person: not stated). It says nothing about the population, and columns published beside it were not judged.",
	} {
		if !strings.Contains(first, sentence) {
			t.Errorf("the first lines lack %q:\n%s", sentence, strings.Join(lines[:11], "\n"))
		}
	}
}

func TestTextHasTheFigures(t *testing.T) {
	all := strings.Join(text1(t, sample()), "\n")
	for _, want := range []string{
		"records             7000, 7 letters", "design              safe, 5 outputs per record",
		"next better floor   rank 4 needs --max-factor 7/2", "records changed     5600 (80.00 %)",
		"decided by          output 0, given by 3 letters that 3000 records hold",
		"published in clear  y", "dropped             z", "(null)", "warning: look here", "sha256    abc",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is missing in\n%s", want, all)
		}
	}
}

func TestTextOfHostileLabels(t *testing.T) {
	r := sample()
	r.Column = "a\nb\x1b[31m\u202e"
	r.Outputs[0].Label.Text = strings.Repeat("long", 5000) + "\r"
	lines := text1(t, r)
	for i, l := range lines {
		if strings.ContainsAny(l, "\x1b\r\u202e") || len(l) > 300 {
			t.Errorf("line %d holds a control character or is too long: %.80q", i+1, l)
		}
	}
	if len(lines) >= 60 {
		t.Errorf("%d lines", len(lines))
	}
}

func TestTextOfManyWarningsAndColumns(t *testing.T) {
	r := sample()
	for range 500 {
		r.Columns = append(r.Columns, Column{"column", "string", "published in clear"})
		r.Outputs = append(r.Outputs, r.Outputs[0])
	}
	if n := len(text1(t, r)); n >= 60 {
		t.Errorf("%d lines", n)
	}
}

func TestRoundUpNeverRoundsDown(t *testing.T) {
	for v, want := range map[float64]string{0.84729786: "0.8473", 1: "1", 2.00001: "2.0001", 0: "0"} {
		if got := RoundUp(v, 4); got != want {
			t.Errorf("RoundUp(%v) = %s, want %s", v, got, want)
		}
	}
}

func TestLabelsSurviveJSON(t *testing.T) {
	in := Labels([]string{"", "null", "<b>", "ü"}, true)
	data, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	var out []Label
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	if len(out) != len(in) {
		t.Fatalf("%d labels became %d", len(in), len(out))
	}
	for i := range in {
		if in[i] != out[i] {
			t.Errorf("label %d: %v became %v", i, in[i], out[i])
		}
	}
}
