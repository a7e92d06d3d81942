package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// small is a report with every member that must be there.
func small() *Report {
	return &Report{Schema: Schema, Column: "x", Outputs: []Output{{Label: Label{Text: "a"}}, {Label: NullLabel}},
		Caps: []Cap{{Label: NullLabel}}}
}

func encoded(t *testing.T, r *Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestReadWhatWasWritten(t *testing.T) {
	r, p, err := Read([]byte(encoded(t, small())))
	if err != nil || p != nil || r.Column != "x" || !r.Caps[0].Label.Null || r.Outputs[0].Label.Text != "a" {
		t.Errorf("%+v, %v, %v", r, p, err)
	}
	var b bytes.Buffer
	if err := small().Publish().WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	if r, p, err = Read(b.Bytes()); err != nil || r != nil || p.Column != "x" {
		t.Errorf("%+v, %v, %v", r, p, err)
	}
}

// TestReadRefuses: nothing is read that is not whole, of this version, and
// known; and nothing of the document is quoted.
func TestReadRefuses(t *testing.T) {
	whole := encoded(t, small())
	replaced := func(old, new string) string {
		if !strings.Contains(whole, old) {
			t.Fatalf("control: no %s", old)
		}
		return strings.Replace(whole, old, new, 1)
	}
	for name, c := range map[string]struct{ data, says string }{
		"empty":                   {"", "not one whole JSON document"},
		"half":                    {whole[:len(whole)/2], "not one whole"},
		"more behind":             {whole + "{}", "not one whole"},
		"text":                    {"secret words", "not one whole"},
		"a list":                  {"[]", "no report"},
		"null":                    {"null", "no report"},
		"no schema":               {`{"column": "secret"}`, "names no schema"},
		"schema a number":         {replaced(`"tacet.report/v3"`, "7"), "no text"},
		"another version":         {replaced("tacet.report/v3", "tacet.report/v2"), "its schema is not"},
		"the plan":                {replaced("tacet.report/v3", "tacet.plan/v2"), "its schema is not"},
		"unknown member":          {replaced(`"column"`, `"secret": 1, "column"`), "not known"},
		"unknown within":          {replaced(`"rule"`, `"secret": 1, "rule"`), "not known"},
		"a member missing":        {replaced(`"letters": 0,`, ""), "is missing"},
		"a member twice":          {replaced(`"column"`, `"column": "secret", "column"`), "there twice"},
		"twice within":            {replaced(`"rule"`, `"rule": "secret", "rule"`), "there twice"},
		"in capitals":             {replaced(`"column"`, `"Column"`), "as no run writes it"},
		"a number in capitals":    {replaced(`"letters": 0`, `"letters": 0E1`), "another type"},
		"a member missing within": {replaced(`"rank": 0,`, ""), "is missing"},
		"NaN":                     {replaced(`"target_factor": 0`, `"target_factor": NaN`), "not one whole"},
		"infinite":                {replaced(`"target_factor": 0`, `"target_factor": 1e999`), "of another type"},
		"another type":            {replaced(`"column": "x"`, `"column": ["secret"]`), "of another type"},
		"deep":                    {strings.Repeat("[", 100_000), "not one whole"},
	} {
		r, p, err := Read([]byte(c.data))
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "secret") ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, %v, the error is %v, want %q", name, r, p, err, c.says)
		}
	}
}

// TestReadsBytesThatAreNoText: such a byte of a name is a sign of its own in the
// report, which is read again.
func TestReadsBytesThatAreNoText(t *testing.T) {
	r := small()
	r.Input.Path = "a\xffb\ufffd<&\u2028"
	if back, _, err := Read([]byte(encoded(t, r))); err != nil || back.Input.Path != "a\ufffdb\ufffd<&\u2028" {
		t.Errorf("%+v, %v", back, err)
	}
}

func TestNumbersThatAreNoneAreNotWritten(t *testing.T) {
	r := small()
	zero := 0.
	r.Scale.Rarest = zero / zero
	if err := r.WriteJSON(&bytes.Buffer{}); err == nil {
		t.Error("NaN was written")
	}
}

func TestRoundUpNeverRoundsDown(t *testing.T) {
	for v, want := range map[float64]string{0.84729786: "0.8473", 1: "1", 2.00001: "2.0001", 0: "0", 1e300: "1" +
		strings.Repeat("0", 300)} {
		if got := RoundUp(v, 4); got != want && v < 1e299 || v >= 1e299 && len(got) != 301 {
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

// TestPublishTellsNothingOfTheCounts changes everything in a report that
// depends on the counts: what may be published stays the same.
func TestPublishTellsNothingOfTheCounts(t *testing.T) {
	public := func(r *Report) string {
		var b bytes.Buffer
		if err := r.Publish().WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	of := func(n int64, f float64, s string) *Report {
		r := small()
		r.Records, r.Letters, r.Epsilon = n, int(n), Epsilon{"0.85", s, f}
		r.Input = File{s, s, n, n, "parquet", int(n), []string{s}, nil}
		r.Prior, r.Scale, r.Guess = Prior{s, f, f, int(n), int(n), s, s, f, s, s, n > 1, []string{s}, &Part{n, n, s, f}},
			Scale{f, f, new(int(n)), &f, new(int(n)), &f}, &Guess{f, f, f}
		r.Floor = Floor{Rank: 3, Value: -2, Of: 7, Asked: "best", Least: int(n), Most: int(n), InWords: "at most 2 away",
			NextRank: int(n), NextNeed: s}
		r.Population = &Population{Delta: s, Bounded: true, Rule: s, Nats: f, Records: n, Letters: int(n),
			Domain: s, Rules: []Rule{{Rule: s, Delta: f, Nats: f}}, If: []string{s}}
		r.Design = Design{s, s, s, n > 1, f, s, s, "auto", s, n > 1, s}
		r.Utility = Utility{f, f, f, f, s, n, f, f, f, f, []Reach{{f, n}}}
		r.Nulls = &Nulls{"public", n, f, s, f, s, f}
		r.Domain = Domain{"observed", 4, int(n), s, "refuse", &Bins{s, s}}
		r.Outputs, r.Caps = []Output{{Label: Label{Text: s}, Factor: s, Nats: f, Support: int(n), Share: f,
			EarlierRows: n, Earlier: s, EarlierNats: f}}, []Cap{{Label{Text: s}, n, f, f, f, true, f}}
		r.Binding, r.Story = &Binding{Label{Text: s}, int(n), n}, &Story{Label{Text: s}, Label{Text: s}, f, f, s, nil}
		r.Analysts = &Analysts{int(n), int(n), int(n)}
		r.Order = Order{"positions:/home/" + s + "/places.csv", "positions", s, int(n), int(n)}
		r.Columns = []Column{{"x", "int64", "privatized"}, {"y", "string", "published in clear"}, {s, s, "dropped"}}
		r.Checks, r.Plan, r.Warnings = []Check{{s, true, s}}, Hashes{s, s}, []string{s}
		r.Output = File{"/home/" + s + "/out.parquet", "abc", 1000, 2000, "csv", 3, nil, &Dialect{";", true}}
		r.Settings = []Setting{{"input", s, "flag"}, {"drop", "z", "flag"}, {"design", "auto", "default"}}
		r.Made, r.Command = s, s
		return r
	}
	one, two := public(of(17, .25, "1/3")), public(of(1234, .5, "22/7"))
	if one != two {
		t.Errorf("the public reports differ:\n%s\n%s", one, two)
	}
	for _, leak := range []string{"1/3", "17", "0.25"} {
		if strings.Contains(strings.ReplaceAll(one, `"share": 0.25`, ""), leak) {
			t.Errorf("the public report holds %s:\n%s", leak, one)
		}
	}
	declared := of(17, .25, "1/3")
	declared.Floor.Asked = "rank >= 2"
	if p := declared.Publish().Floor; p != (PublicFloor{Declared: "rank >= 2"}) {
		t.Errorf("with a declared floor, %+v is told", p)
	}
}

func TestBare(t *testing.T) {
	for spec, want := range map[string]string{
		"positions:/home/me/a.csv": "positions:a.csv", "ordered:a/b,c": "ordered:a/b,c",
		"ordered:@/x/y.txt": "ordered:@y.txt",
		"numeric":           "numeric", "prefix:1,3": "prefix:1,3", "/a/b.parquet": "b.parquet", "": "",
	} {
		if got := bare(spec); got != want {
			t.Errorf("%s is %s, want %s", spec, got, want)
		}
	}
}
