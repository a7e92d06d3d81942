package utility

import (
	"testing"
)

// counting is the counting query of the paper, u'(x,y): minus the squared
// difference, one lower for too small an answer.
const counting = `x,0,1,2,3,4,5,6
0,0,-1,-4,-9,-16,-25,-36
1,-2,0,-1,-4,-9,-16,-25
2,-5,-2,0,-1,-4,-9,-16
3,-9,-5,-2,0,-1,-4,-9
4,-17,-9,-5,-2,0,-1,-4
5,-26,-17,-9,-5,-2,0,-1
6,-37,-26,-17,-9,-5,-2,0
`

var countingRank = [][]uint16{
	{7, 6, 5, 4, 3, 2, 1},
	{5, 7, 6, 4, 3, 2, 1},
	{3, 5, 7, 6, 4, 2, 1},
	{1, 3, 5, 7, 6, 4, 2},
	{1, 2, 3, 5, 7, 6, 4},
	{1, 2, 3, 4, 5, 7, 6},
	{1, 2, 3, 4, 5, 6, 7},
}

func TestPaperCountingQuery(t *testing.T) {
	in := Input{Letters: letters("0", "1", "2", "3", "4", "5", "6"), Kind: Integer, ReadFile: file(counting)}
	r := build(t, "matrix:counting.csv", in)
	wantRanks(t, r, countingRank...)
	if r.Ties != 1 {
		t.Errorf("%d rows with ties, the paper's order has 1", r.Ties)
	}
}

func TestMatrixOrderAndForbidden(t *testing.T) {
	text := "\ufeffwhat,Z,A,\"M,1\"\r\nB, 1.5 ,-inf,-0\r\n\r\nA,1e300,-Inf,2\r\n"
	r := build(t, "matrix:f.csv", Input{Letters: letters("A", "B"), ReadFile: file(text)})
	wantOutputs(t, r, letters("Z", "A", "M,1"))
	ninf := inf()
	wantValues(t, r, []float64{1e300, ninf, 2}, []float64{1.5, ninf, 0})
	wantRanks(t, r, []uint16{3, 1, 2}, []uint16{3, 1, 2})
	if s := r.Describe(1.5); s != "of utility 1.5 or better" {
		t.Error(s)
	}
}

func TestTableRefusals(t *testing.T) {
	a := letters("A")
	for _, c := range []refusal{
		{"nan", "matrix:f.csv", "x,A,B\nA,1,nan\n", a, []string{"f.csv line 2 column 3", `"nan"`}},
		{"plus infinity", "matrix:f.csv", "x,A,B\nA,+inf,1\n", a, []string{"f.csv line 2 column 2"}},
		{"overflow is not forbidding", "matrix:f.csv", "x,A,B\nA,-1e999,1\n", a, []string{"f.csv line 2 column 2",
			"not a number within"}},
		{"empty cell", "matrix:f.csv", "x,A,B\nA,,1\n", a, []string{"line 2 column 2", "write -inf"}},
		{"word", "matrix:f.csv", "x,A,B\nA,1,good\n", a, []string{"line 2 column 3", `"good"`}},
		{"ragged short", "matrix:f.csv", "x,A,B\nA,1\n", a, []string{"line 2 column 2", "the first line has 3"}},
		{"ragged long", "matrix:f.csv", "x,A,B\nA,1,2,3\n", a, []string{"line 2 column 4", "the first line has 3"}},
		{"column twice", "matrix:f.csv", "x,A,A\nA,1,2\n", a, []string{"line 1 column 3", `"A" appears twice`}},
		{"row twice", "matrix:f.csv", "x,A\nA,1\nB,1\nA,2\n", a, []string{"line 4 column 1", "line 2 column 1", `"A"`}},
		{"no outputs", "matrix:f.csv", "x\nA\n", a, []string{"at least 2"}},
		{"semicolons", "matrix:f.csv", "x;A\nA;1\n", a, []string{"separate the columns with commas"}},
		{"empty output", "matrix:f.csv", "x,A,\nA,1,2\n", a, []string{"line 1 column 3", "an output label is empty"}},
		{"open quote", "matrix:f.csv", "x,A\n\"A,1\n", a, []string{"f.csv line 2", "close them"}},
		{"stray quote", "matrix:f.csv", "x,A\nA,1\"\n", a, []string{"f.csv line 2", "bare"}},
		{"after quote", "matrix:f.csv", "x,\"A\"B\nA,1\n", a, []string{"f.csv line 1", "missing"}},
		{"lone return", "matrix:f.csv", "x,A\rA,1\r", a, []string{"carriage return"}},
		{"extra row checked", "matrix:f.csv", "x,A,B\nA,1,2\nQ,1,x\n", a, []string{"line 3 column 3"}},
		{"only a header", "matrix:f.csv", "x,A\n", a, []string{"1 of 1 input values have no row"}},
	} {
		c.run(t)
	}
}

func TestLabelsMustAgreeWithFile(t *testing.T) {
	in := Input{Letters: letters("A"), ReadFile: file("x,B,A\nA,1,2\n"), Outputs: []string{"A", "B"}}
	wantOutputs(t, build(t, "matrix:f.csv", in), letters("B", "A"))
	for _, labels := range [][]string{{"A"}, {"A", "B", "C"}, {}} {
		in.Outputs = labels
		if _, err := Build("matrix:f.csv", in); err == nil {
			t.Errorf("labels %q accepted", labels)
		}
	}
}

func TestPairs(t *testing.T) {
	text := "utility,from,to,why\n5,10,9,a\n1,9,9,b\n1,9,10,\n-inf,10,100,c\n7,11,10,d\n"
	in := Input{Letters: letters("9", "10"), Kind: Integer, ReadFile: file(text)}
	r := build(t, "pairs:f.csv", in)
	wantOutputs(t, r, letters("9", "10", "100"))
	ninf := inf()
	wantValues(t, r, []float64{1, 1, ninf}, []float64{5, ninf, ninf})
	wantRanks(t, r, []uint16{2, 3, 1}, []uint16{3, 1, 2})
	if r.Extra != 1 || r.Ties != 1 {
		t.Errorf("extra %d, ties %d", r.Extra, r.Ties)
	}
	a := letters("A")
	for _, c := range []refusal{
		{"twice", "pairs:f.csv", "from,to,utility\nA,B,1\nA,B,1\n", a, []string{"line 3", "first in line 2"}},
		{"no column", "pairs:f.csv", "from,to,distance\nA,B,1\n", a, []string{"no column utility"}},
		{"nan", "pairs:f.csv", "from,to,utility\nA,B,nan\n", a, []string{"line 2 column 3"}},
		{"nowhere", "pairs:f.csv", "from,to,utility\nB,A,1\n", a,
			[]string{"1 of 1 input values are missing in column from"}},
	} {
		c.run(t)
	}
}
