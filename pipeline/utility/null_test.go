package utility

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

func TestNullRule(t *testing.T) {
	text := "x,A,B\nA,3,1\nB,-inf,-inf\n"
	r := build(t, "matrix:f.csv", Input{Letters: withNull("A", "B"), ReadFile: file(text)})
	wantOutputs(t, r, withNull("A", "B"))
	ninf := inf()
	wantValues(t, r, []float64{3, 1, 0}, []float64{ninf, ninf, ninf}, []float64{-1, -1, 0})
	wantRanks(t, r, []uint16{3, 2, 1}, []uint16{1, 2, 3}, []uint16{1, 2, 3})

	n := build(t, "numeric", Input{Letters: withNull("1", "2", "5"), Kind: Integer})
	wantValues(t, n, []float64{0, -1, -4, -5}, []float64{-1, 0, -3, -4}, []float64{-4, -3, 0, -5},
		[]float64{-5, -5, -5, 0})
	if !n.NullRule || n.Describe(-3) != "at most 3 away" || n.Describe(-4) != "at most 4 away, or null" {
		t.Error(n.NullRule, n.Describe(-3), n.Describe(-4))
	}

	ranks := build(t, "matrix:f.csv", Input{Letters: withNull("A", "B"), ReadFile: file("x,A,B\nA,2,1\nB,1,2\n")})
	wantRanks(t, ranks, []uint16{3, 2, 1}, []uint16{2, 3, 1}, []uint16{1, 2, 3})

	// 1e17 - 1 is 1e17 as a float, and null must still be worse.
	large := build(t, "matrix:f.csv", Input{Letters: withNull("A"), ReadFile: file("x,A,B\nA,1e17,2e17\n")})
	wantRanks(t, large, []uint16{2, 3, 1}, []uint16{1, 2, 3})

	only := build(t, "numeric", Input{Letters: withNull(), Kind: Integer})
	wantValues(t, only, []float64{0})
}

// A forbidden output stays below null, so that ranks follow from values.
func TestNullAboveForbidden(t *testing.T) {
	r := build(t, "pairs:f.csv", Input{Letters: withNull("A"), ReadFile: file("from,to,utility\nA,A,5\nA,B,-inf\n")})
	wantRanks(t, r, []uint16{3, 1, 2}, []uint16{1, 2, 3})
	wantValues(t, r, []float64{5, inf(), 4}, []float64{-1, -1, 0})
}

func TestOrderNamesNull(t *testing.T) {
	in := Input{Letters: withNull("A", "B"), ReadFile: file("x,,A,B\n,9,1,2\nA,-inf,5,4\nB,0,4,5\n")}
	r := build(t, "matrix:f.csv", in)
	wantOutputs(t, r, withNull("A", "B"))
	wantValues(t, r, []float64{5, 4, inf()}, []float64{4, 5, 0}, []float64{1, 2, 9})

	in.ReadFile = file("x,A,B\n,1,2\nA,5,4\nB,4,5\n") // null is always replaced
	r = build(t, "matrix:f.csv", in)
	wantOutputs(t, r, letters("A", "B"))
	if r.NullRule || r.Order.Inputs() != 3 {
		t.Error(r.NullRule, r.Order.Inputs())
	}

	in.ReadFile = file("A\n\"\"\nB\n")
	r = build(t, "ordered:@f", in)
	wantOutputs(t, r, withNull("A", "B"))
	wantValues(t, r, []float64{0, -2, -1}, []float64{-2, 0, -1}, []float64{-1, -1, 0})
	wantOutputs(t, build(t, "circular:A,,B", in), withNull("A", "B"))

	in.ReadFile = file(";none;*\nA;some;*\nB;some;*\n")
	wantValues(t, build(t, "hierarchy:f.csv", in), []float64{0, -1, -2}, []float64{-1, 0, -2}, []float64{-2, -2, 0})

	in.ReadFile = file("from,to,utility\nA,A,1\nB,A,1\n,,0\n")
	r = build(t, "pairs:f.csv", in)
	wantOutputs(t, r, withNull("A"))
	wantValues(t, r, []float64{1, inf()}, []float64{1, inf()}, []float64{inf(), 0})
}

func TestNullAmongLabels(t *testing.T) {
	in := Input{Letters: withNull("A", "B"), Outputs: []string{"", "A"}}
	wantOutputs(t, build(t, "ordered:A,B", in), withNull("A"))
	wantOutputs(t, build(t, "ordered:A,,B", in), withNull("A"))
	in.Outputs = []string{"A"}
	wantOutputs(t, build(t, "ordered:A,B", in), withNull("A"))
	wantOutputs(t, build(t, "ordered:A,,B", in), letters("A"))
}

func TestEmptyStringAndNull(t *testing.T) {
	empty := Input{Letters: letters("", "A"), ReadFile: file("x,,A\n,1,0\nA,0,1\n")}
	wantOutputs(t, build(t, "matrix:f.csv", empty), letters("", "A"))
	empty.Letters.Null = true
	empty.ReadFile = file("x,,A,\n,3,1,2\nA,1,3,2\n,1,2,3\n")
	r := build(t, "matrix:f.csv", empty)
	wantOutputs(t, r, withNull("", "A"))
	wantValues(t, r, []float64{3, 1, 2}, []float64{1, 3, 2}, []float64{1, 2, 3})
	for _, c := range []refusal{
		{"which", "matrix:f.csv", "x,,A\n,1,2\nA,1,2\n", withNull("", "A"),
			[]string{"line 1 column 2", "both nulls and empty strings"}},
		{"which pair", "pairs:f.csv", "from,to,utility\n,A,1\nA,A,1\n", withNull("", "A"),
			[]string{"line 2 column 1", "both"}},
		{"null twice", "ordered:A,,B,", "", withNull("A", "B"), []string{"column 4", "null appears twice"}},
		{"no row for null", "matrix:f.csv", "x,A,\nA,1,0\n", withNull("A"), []string{"1 of 2 input values have no row",
			"null"}},
	} {
		c.run(t)
	}
}

// TestLoadedOrder reads back what a plan holds when its order is no table: the
// spec file and the outputs in letter order.
func TestLoadedOrder(t *testing.T) {
	in := Input{Letters: withNull("2", "10", "30"), Kind: Integer, Outputs: []string{"10", "7"}}
	r := build(t, "numeric", in)
	wantOutputs(t, r, withNull("7", "10"))
	in.Outputs = r.Outputs.Label
	if a, b := csvOf(t, r), csvOf(t, build(t, "numeric", in)); a != b {
		t.Errorf("read back\n%s, was\n%s", b, a)
	}
}

// TestNullOfLevels: null of a large order with levels is one level above all others, where the rule puts it
// in the table of such an order, too.
func TestNullOfLevels(t *testing.T) {
	var codes []string
	for i := range 400 {
		codes = append(codes, fmt.Sprintf("%03d", i))
	}
	plain := build(t, "prefix", Input{Letters: letters(codes...)})
	got := build(t, "prefix", Input{Letters: withNull(codes...)})
	if _, ok := got.Order.(*mechanism.Tree); !ok {
		t.Fatalf("the order is a %T", got.Order)
	}
	want := &nullRule{base: plain.Order, others: below(min(0, plain.Lowest))}
	one, other := make([]float64, 401), make([]float64, 401)
	for x := range 401 {
		got.Order.Row(x, nil, one)
		if want.Row(x, nil, other); !slices.Equal(one, other) {
			t.Fatalf("row %d is %v, not %v", x, one, other)
		}
	}
}
