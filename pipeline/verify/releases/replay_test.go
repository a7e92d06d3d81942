package releases

import (
	"math"
	"math/big"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel/files"
)

func labels(text ...string) (l []files.Label) {
	for _, t := range text {
		l = append(l, files.Label{Text: t})
	}
	return l
}

func equal(t *testing.T, what string, got *big.Rat, p, q int64) {
	t.Helper()
	if got == nil || got.Cmp(big.NewRat(p, q)) != 0 {
		t.Errorf("%s is %v, want %d/%d", what, got, p, q)
	}
}

// TestTwice: the uniform design of three letters that allows two has factor
// 3/2; two draws have 3, not 9/4, and a third output that no letter gives with
// them shows a change. A total of 3/2 has the second show the first again.
func TestTwice(t *testing.T) {
	p := &Plan{Inputs: labels("a", "b", "c"), Outputs: labels("a", "b", "c"), Count: []int64{5, 5, 5}, Rows: []kernel.Row{
		{Output: []int32{0, 1}, Weight: []int64{1, 1}, Total: 2}, {Output: []int32{1, 2}, Weight: []int64{1, 1}, Total: 2},
		{Output: []int32{0, 2}, Weight: []int64{1, 1}, Total: 2}}}
	tight := kernel.Target{Factor: big.NewRat(3, 2)}
	w := NewWorld([]Channel{{Plan: p}, {Plan: p}, {Plan: p}, {Plan: p, Total: &tight}})
	a, b, c := w.Of(files.Label{Text: "a"}), w.Of(files.Label{Text: "b"}), w.Of(files.Label{Text: "c"})
	one := w.Start(p).After(0, a)
	equal(t, "one draw", one.exactly(nil), 3, 2)
	equal(t, "the same output again", one.After(1, a).exactly(nil), 3, 2)
	two := one.After(1, b)
	equal(t, "two draws", two.exactly(nil), 3, 1)
	if !(math.Abs(two.Factor-3) <= 1e-12) {
		t.Errorf("as a float it is %v", two.Factor)
	}
	if three := two.After(2, c); three.Factor != 0 {
		t.Error("outputs that no letter gives together have a factor")
	}
	if one.Draws(3) || !w.Start(p).Draws(3) || one.After(3, a) != one {
		t.Error("the total does not have the first output shown again")
	}
	var peak Peak
	peak.Worst(one, 1)
	most, all := peak.Exact()
	if equal(t, "the worst of a second draw", most, 3, 1); !all {
		t.Error("not all were compared")
	}
}

// TestExactAtTheEdge: a total that is exactly the factor admits it, and one
// that is less by a part in 10^15 does not, which floats cannot tell.
func TestExactAtTheEdge(t *testing.T) {
	p := &Plan{Inputs: labels("a", "b", "c"), Outputs: labels("x", "y"), Count: []int64{1, 1, 1}, Rows: []kernel.Row{
		{Output: []int32{0}, Weight: []int64{1}, Total: 1}, {Output: []int32{0, 1}, Weight: []int64{1, 2}, Total: 3},
		{Output: []int32{1}, Weight: []int64{1}, Total: 1}}}
	edge := big.NewRat(9, 4) // of x: 1 / ((1 + 1/3)/3)
	for total, want := range map[*big.Rat]bool{edge: true, new(big.Rat).Sub(edge, big.NewRat(1, 1e15)): false} {
		w := NewWorld([]Channel{{Plan: p, Total: &kernel.Target{Factor: total}}})
		if got := w.Start(p).Draws(0); got != want {
			t.Errorf("with the total %s it draws: %v", total.RatString(), got)
		}
	}
}
