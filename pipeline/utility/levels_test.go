package utility

import (
	"strings"
	"testing"
)

const education = `Bachelors;Undergraduate;Higher education;*
Some-college;Undergraduate;Higher education;*
Masters;Graduate;Higher education;*
11th;High School;Secondary education;*
`

func TestHierarchy(t *testing.T) {
	in := Input{Letters: letters("11th", "Bachelors", "Masters"), ReadFile: file(education)}
	r := build(t, "hierarchy:f.csv", in)
	wantValues(t, r, []float64{0, -3, -3}, []float64{-3, 0, -2}, []float64{-3, -2, 0})
	wantRanks(t, r, []uint16{3, 1, 2}, []uint16{1, 3, 2}, []uint16{1, 2, 3})
	if r.Extra != 1 || r.Describe(-2) != "in the same group at most 2 levels up" {
		t.Error(r.Extra, r.Describe(-2))
	}
	comma := in
	comma.ReadFile = file(strings.ReplaceAll(education, ";", ","))
	if a, b := csvOf(t, r), csvOf(t, build(t, "hierarchy:f.csv", comma)); a != b {
		t.Errorf("commas give\n%s", b)
	}
}

func TestHierarchyInnerOutputs(t *testing.T) {
	text := "1;0-9;0-99;*\n2;0-9;0-99;*\n15;10-19;0-99;*\n150;100-199;100-199;*\n"
	in := Input{Letters: letters("1", "2", "15", "150"), Kind: Integer, ReadFile: file(text),
		Outputs: []string{"0-9", "100-199", "*", "15", "0-99"}}
	r := build(t, "hierarchy:f.csv", in)
	wantOutputs(t, r, letters("*", "0-9", "0-99", "100-199", "15"))
	wantValues(t, r, []float64{-3, -1, -2, -3, -2}, []float64{-3, -1, -2, -3, -2}, []float64{-3, -2, -2, -3, 0},
		[]float64{-3, -3, -3, -1, -3})
	in.Outputs = []string{"10-18"}
	if _, err := Build("hierarchy:f.csv", in); err == nil || !strings.Contains(err.Error(), `"10-18"`) {
		t.Errorf("error %v", err)
	}
	in.ReadFile, in.Letters, in.Outputs = file("a;X;Y;*\nb;Z;X;*\n"), letters("a", "b"), []string{"X"}
	if _, err := Build("hierarchy:f.csv", in); err == nil || !strings.Contains(err.Error(),
		`"X" is the name of two groups`) {
		t.Errorf("error %v", err)
	}
}

const countries = `code,parent,label
AT,EU,Austria
DE,EU,Germany
EU,,Europe
BY,DE,Bavaria
BE,DE,Berlin
W,AT,Vienna
JP,,Japan
`

func TestTree(t *testing.T) {
	in := Input{Letters: letters("AT", "BE", "BY", "JP", "W"), ReadFile: file(countries)}
	r := build(t, "tree:f.csv", in)
	wantValues(t, r, []float64{0, -2, -2, -3, -1}, []float64{-2, 0, -1, -3, -2}, []float64{-2, -1, 0, -3, -2},
		[]float64{-3, -3, -3, 0, -3}, []float64{-1, -2, -2, -3, 0})
	if r.Extra != 2 {
		t.Errorf("extra %d", r.Extra)
	}
	in.Outputs = []string{"EU", "DE"}
	r = build(t, "tree:f.csv", in)
	wantOutputs(t, r, letters("DE", "EU"))
	wantValues(t, r, []float64{-2, -2}, []float64{-1, -2}, []float64{-1, -2}, []float64{-3, -3}, []float64{-2, -2})
}

func TestTreeAndHierarchyRefusals(t *testing.T) {
	a := letters("A")
	for _, c := range []refusal{
		{"two parents", "tree:f.csv", "code,parent\nA,P\nP,\nQ,\nA,Q\n", a, []string{"f.csv line 5 column 2",
			`"A" has several parents: "Q", and "P" in line 2`}},
		{"twice", "tree:f.csv", "code,parent\nA,\nA,\n", a, []string{"line 3 column 1", `"A" appears twice`}},
		{"cycle", "tree:f.csv", "code,parent\nR,\nA,B\nB,C\nC,B\n", a,
			[]string{"line 4 column 2", `"B" under "C" under "B"`}},
		{"own parent", "tree:f.csv", "code,parent\nA,A\n", a, []string{`"A" under "A"`}},
		{"no line for parent", "tree:f.csv", "code,parent\nA,P\n", a, []string{"line 2 column 2", `"P" has no line`}},
		{"no header", "tree:f.csv", "A,B\nB,\n", a, []string{"no column code"}},
		{"empty code", "tree:f.csv", "code,parent\n,A\nA,\n", a, []string{"line 2 column 1", "empty code"}},
		{"leaf twice", "hierarchy:f.csv", "A;*\nA;*\n", a, []string{"line 2 column 1", `"A" appears twice`}},
		{"unequal ancestors", "hierarchy:f.csv", "A;G;H;*\nB;G;I;*\n", a, []string{"line 2 column 2", `"G"`, "line 1"}},
		{"two roots", "hierarchy:f.csv", "A;*\nB;+\n", a, []string{"line 2 column 2", `"+"`}},
		{"ragged", "hierarchy:f.csv", "A;G;*\nB;*\n", a, []string{"line 2", "the first line has 3"}},
		{"one column", "hierarchy:f.csv", "A\nB\n", a, []string{"line 1", "at least two columns"}},
		{"prefix lengths", "prefix:1,x", "", a, []string{`"1,x"`}},
		{"prefix descending", "prefix:3,3", "", a, []string{"ascending"}},
		{"prefix of prose", "prefix", "", letters(strings.Repeat("x", 201)), []string{"201 characters"}},
	} {
		c.run(t)
	}
}

func TestPrefix(t *testing.T) {
	icd := Input{Letters: letters("E11.0", "E119", "E12.0", "F11.0")}
	wantValues(t, build(t, "prefix", icd), []float64{0, -1, -2, -4}, []float64{-1, 0, -2, -4}, []float64{-2, -2, 0, -4},
		[]float64{-4, -4, -4, 0})
	wantValues(t, build(t, "prefix:1,3", icd), []float64{0, -1, -2, -3}, []float64{-1, 0, -2, -3},
		[]float64{-2, -2, 0, -3}, []float64{-3, -3, -3, 0})
	icd.Outputs = []string{"E11", "E"}
	wantValues(t, build(t, "prefix", icd), []float64{-3, -1}, []float64{-3, -1}, []float64{-3, -2}, []float64{-4, -4})
	same := build(t, "prefix", Input{Letters: letters("E11.0", "E110", "ä")})
	wantValues(t, same, []float64{0, -1, -4}, []float64{-1, 0, -4}, []float64{-4, -4, 0})
}

func TestNAICS(t *testing.T) {
	in := Input{Letters: letters("311111", "311119", "325110", "441110", "459999", "491110", "541110"), Kind: Integer}
	value, _ := table2(build(t, "prefix:naics", in))
	for _, c := range []struct {
		x, y int
		want float64
	}{{0, 0, 0}, {0, 1, -1}, {0, 2, -4}, {3, 4, -4}, {4, 5, -5}, {0, 6, -5}} {
		if value[c.x][c.y] != c.want {
			t.Errorf("%s to %s: %v, want %v", in.Letters.Label[c.x], in.Letters.Label[c.y], value[c.x][c.y], c.want)
		}
	}
	// Without the name, nothing is merged.
	value, _ = table2(build(t, "prefix:2,3,4,5", in))
	if value[0][2] != -5 || value[3][4] != -5 {
		t.Error(value[0][2], value[3][4])
	}
}
