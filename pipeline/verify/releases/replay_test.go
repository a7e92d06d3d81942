package releases

import (
	"math"
	"math/big"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
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
// them shows a change.
func TestTwice(t *testing.T) {
	p := &Plan{Inputs: labels("a", "b", "c"), Outputs: labels("a", "b", "c"), Count: []int64{5, 5, 5}, Rows: []exact.Row{
		{Output: []int32{0, 1}, Weight: []int64{1, 1}, Total: 2}, {Output: []int32{1, 2}, Weight: []int64{1, 1}, Total: 2},
		{Output: []int32{0, 2}, Weight: []int64{1, 1}, Total: 2}}}
	w := NewWorld([]Channel{{Plan: p}, {Plan: p}, {Plan: p}})
	a, b, c := w.Of(files.Label{Text: "a"}), w.Of(files.Label{Text: "b"}), w.Of(files.Label{Text: "c"})
	one := w.Start(p).After(0, a)
	equal(t, "one draw", one.Exact(), 3, 2)
	equal(t, "the same output again", one.After(1, a).Exact(), 3, 2)
	two := one.After(1, b)
	equal(t, "two draws", two.Exact(), 3, 1)
	if !(math.Abs(two.Factor-3) <= 1e-12) {
		t.Errorf("as a float it is %v", two.Factor)
	}
	if three := two.After(2, c); !three.Visible || three.Exact() != nil {
		t.Error("outputs that no letter gives together have a factor")
	}
	// An output that no letter gives any more is not shown, and still it is a draw.
	rule := &Rule{Over: "repeat", Factor: 3, Admits: func(f *big.Rat) bool { return f.Cmp(big.NewRat(3, 1)) <= 0 }}
	v := NewWorld([]Channel{{Plan: p}, {Plan: p}, {Plan: p, Rule: rule}})
	a, b, c = v.Of(files.Label{Text: "a"}), v.Of(files.Label{Text: "b"}), v.Of(files.Label{Text: "c"})
	if d := v.Start(p).After(0, a).After(1, b).Decide(2); d.Action != Draw || d.May(c) || !d.May(a) || d.Publish(2) != b {
		t.Errorf("the decision is %+v", d)
	}
	var peak Peak
	one.Decide(1).Worst(&peak)
	most, all := peak.Exact()
	if equal(t, "the worst of a second draw", most, 3, 1); !all {
		t.Error("not all were compared")
	}
}

// TestSuppression: P = (.9, .1), a always gives 1, b gives 1 or 2 with even
// chances. Suppressing 2 once it is drawn has factor 10; with the total 5 the
// rule publishes s for whoever could draw it, and the history knows that.
func TestSuppression(t *testing.T) {
	p := &Plan{Inputs: labels("a", "b"), Outputs: labels("1", "2"), Count: []int64{9, 1}, Rows: []exact.Row{
		{Output: []int32{0}, Weight: []int64{1}, Total: 1}, {Output: []int32{0, 1}, Weight: []int64{1, 1}, Total: 2}}}
	five := big.NewRat(5, 1)
	for _, over := range []string{"suppress", "repeat"} {
		rule := &Rule{Over: over, Factor: 5, Admits: func(f *big.Rat) bool { return f.Cmp(five) <= 0 }}
		w := NewWorld([]Channel{{Plan: p, Rule: rule}})
		d := w.Start(p).Decide(0)
		if over == "repeat" { // nothing can be repeated
			if d.Action != Refused {
				t.Errorf("a new record is %v", d.Action)
			}
			continue
		}
		// Null stands for 2 alone, which tells as much: it is published without a draw.
		if d.Action != Fixed || d.Publish(0) != w.Null || d.May(w.Of(files.Label{Text: "1"})) || !d.May(w.Null) {
			t.Errorf("the decision is %v", d)
		}
		equal(t, "what is told then", w.Start(p).After(0, w.Null).Exact(), 1, 1)
	}
	// Once 1 was published it can stand for 2: then nothing is told.
	rule := &Rule{Over: "repeat", Factor: 5, Admits: func(f *big.Rat) bool { return f.Cmp(five) <= 0 }}
	w := NewWorld([]Channel{{Plan: p}, {Plan: p, Rule: rule}})
	first := w.Of(files.Label{Text: "1"})
	st := w.Start(p).After(0, first)
	equal(t, "the first output", st.Exact(), 20, 19)
	d := st.Decide(1)
	if d.Action != Merged || d.Publish(1) != first || d.Publish(0) != first {
		t.Errorf("the decision is %+v", d)
	}
	equal(t, "after the merged output", st.After(1, first).Exact(), 20, 19)
}

// TestExactAtTheEdge: a total that is exactly the factor admits it, and one
// that is less by a part in 10^15 does not, which floats cannot tell.
func TestExactAtTheEdge(t *testing.T) {
	p := &Plan{Inputs: labels("a", "b", "c"), Outputs: labels("x", "y"), Count: []int64{1, 1, 1}, Rows: []exact.Row{
		{Output: []int32{0}, Weight: []int64{1}, Total: 1}, {Output: []int32{0, 1}, Weight: []int64{1, 2}, Total: 3},
		{Output: []int32{1}, Weight: []int64{1}, Total: 1}}}
	edge := big.NewRat(9, 4) // of x: 1 / ((1 + 1/3)/3)
	for total, want := range map[*big.Rat]Action{edge: Draw, new(big.Rat).Sub(edge, big.NewRat(1, 1e15)): Refused} {
		f, _ := total.Float64()
		w := NewWorld([]Channel{{Plan: p, Rule: &Rule{Over: "refuse", Factor: f,
			Admits: func(v *big.Rat) bool { return v.Cmp(total) <= 0 }}}})
		if got := w.Start(p).Decide(0).Action; got != want {
			t.Errorf("with the total %s the action is %v, want %v", total.RatString(), got, want)
		}
	}
}
