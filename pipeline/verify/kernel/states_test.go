package kernel

import (
	"math"
	"math/big"
	"testing"
)

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
	p := &Design{Inputs: labels(3), Outputs: labels(3), Count: []int64{5, 5, 5}, Rows: []Row{
		{Output: []int32{0, 1}, Weight: []int64{1, 1}, Total: 2}, {Output: []int32{1, 2}, Weight: []int64{1, 1}, Total: 2},
		{Output: []int32{0, 2}, Weight: []int64{1, 1}, Total: 2}}}
	tight := Target{Factor: big.NewRat(3, 2)}
	w := &world{Channels: []Channel{{p, nil}, {p, nil}, {p, nil}, {p, &tight}}}
	const a, b, c = 0, 1, 2
	first := w.begin(p).after(0, a)
	equal(t, "one draw", first.exactly(nil), 3, 2)
	equal(t, "the same output again", first.after(1, a).exactly(nil), 3, 2)
	two := first.after(1, b)
	equal(t, "two draws", two.exactly(nil), 3, 1)
	if !(math.Abs(two.factor-3) <= 1e-12) {
		t.Errorf("as a float it is %v", two.factor)
	}
	if three := two.after(2, c); three.factor != 0 {
		t.Error("outputs that no letter gives together have a factor")
	}
	if first.drawn(3) || !w.begin(p).drawn(3) || first.after(3, a) != first {
		t.Error("the total does not have the first output shown again")
	}
	var top peak
	for _, st := range []*state{first, two, first.after(1, a)} {
		top.add(st, nil)
	}
	equal(t, "the largest", top.factor(), 3, 1)
}

// TestExactAtTheEdge: a total that is exactly the factor admits it, and one
// that is less by a part in 10^15 does not, which floats cannot tell.
func TestExactAtTheEdge(t *testing.T) {
	p := &Design{Inputs: labels(3), Outputs: labels(2), Count: []int64{1, 1, 1}, Rows: []Row{
		{Output: []int32{0}, Weight: []int64{1}, Total: 1}, {Output: []int32{0, 1}, Weight: []int64{1, 2}, Total: 3},
		{Output: []int32{1}, Weight: []int64{1}, Total: 1}}}
	edge := big.NewRat(9, 4) // of x: 1 / ((1 + 1/3)/3)
	for total, want := range map[*big.Rat]bool{edge: true, new(big.Rat).Sub(edge, big.NewRat(1, 1e15)): false} {
		w := &world{Channels: []Channel{{p, &Target{Factor: total}}}}
		if got := w.begin(p).drawn(0); got != want {
			t.Errorf("with the total %s it draws: %v", total.RatString(), got)
		}
	}
}

// TestHeldAlone: a total that two outputs reach has the last of them shown again. They may even
// each other out, and then that row tells what its single draw does.
func TestHeldAlone(t *testing.T) {
	p := &Design{Inputs: labels(2), Outputs: labels(2), Count: []int64{1, 1}, Rows: []Row{
		{Output: []int32{0, 1}, Weight: []int64{3, 1}, Total: 4}, {Output: []int32{0, 1}, Weight: []int64{1, 3}, Total: 4}}}
	none := Target{Factor: one}
	n := &Nights{Night: 3, Begun: map[int]*Design{1: p, 2: p, 3: p}, Channel: 2,
		world: world{Channels: []Channel{{p, nil}, {p, nil}, {p, &none}}}, place: placesOf(p.Outputs)}
	v := n.ruling([]Entry{{Channel: 0, Output: 0, First: 1, Last: 1}, {Channel: 1, Output: 1, First: 2, Last: 2}})
	if v == nil || !v.keeps || v.shows != p.Outputs[1] {
		t.Fatalf("the last output is not shown again: %v", v)
	}
	equal(t, "both together", v.told.exact(), 1, 1)
	var h Held
	if !n.take(&h, v, nothing, false) || h.Rows != 1 {
		t.Fatal("the row is not counted")
	}
	equal(t, "the row", h.all.factor(), 3, 2)
	equal(t, "the row that is sure", h.sure.factor(), 3, 2)
}
