package draw

import (
	"math"
	"slices"
	"testing"
)

// TestOrderIsUniform counts the orders of four things: chi squared with 23 degrees of
// freedom is above 93 with a chance below 1e-9. The seed is fixed.
func TestOrderIsUniform(t *testing.T) {
	const times = 240_000
	seen := map[[4]uint32]float64{}
	s := TestOrderStream(1)
	for range times {
		seen[[4]uint32(Order(s, 4))]++
	}
	chi := 0.0
	for _, n := range seen {
		chi += (n - times/24) * (n - times/24) / (times / 24)
	}
	if len(seen) != 24 || !(chi <= 93) {
		t.Errorf("%d orders, chi squared %v", len(seen), chi)
	}
}

// TestOrderIsAnOrder: everything comes once, and far from where it was.
func TestOrderIsAnOrder(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 1000, 70_000} {
		order := Order(TestOrderStream(2), n)
		moved := 0.0
		for i, k := range order {
			moved += math.Abs(float64(i) - float64(k))
		}
		sorted := slices.Sorted(slices.Values(order))
		for i, k := range sorted {
			if int(k) != i {
				t.Fatalf("%d things: %d stands at place %d", n, k, i)
			}
		}
		if want := float64(n) / 3; n >= 1000 && !(math.Abs(moved/float64(n)-want) <= .1*want) {
			t.Errorf("%d things move by %v places, want %v", n, moved/float64(n), want)
		}
	}
}

// TestBelow: the words that would make some numbers likelier than others are
// refused, and no others. 2^32 mod 3 is 1, so of 32 bits only 0 is.
func TestBelow(t *testing.T) {
	for _, c := range []struct {
		words []uint16
		n     uint32
		want  uint32
	}{
		{[]uint16{0, 0, 0x5555, 0x5556}, 3, 1},
		{[]uint16{0, 0, 0x5555, 0x5555}, 3, 0},
		{[]uint16{0, 1}, 3, 0},
		{[]uint16{0xffff, 0xffff}, 3, 2},
		{[]uint16{0, 0}, 4, 0},
		{[]uint16{0xffff, 0xffff}, math.MaxUint32, math.MaxUint32 - 1},
		{[]uint16{0, 0, 0, 2}, math.MaxUint32, 1},
	} {
		s := Scripted(c.words, TestOrderStream(3))
		if got := s.below(c.n); got != c.want {
			t.Errorf("%x below %d give %d, want %d", c.words, c.n, got, c.want)
		}
	}
}

// TestOrderHasAStreamOfItsOwn: the words that order rows draw none.
func TestOrderHasAStreamOfItsOwn(t *testing.T) {
	k := NewKey()
	run := Run{Key: k, ID: "a"}
	order := first(run.Order([32]byte{}), 64)
	for name, s := range map[string]*Source{
		"rows":         run.Streams([32]byte{}, "").Unit(0, 0),
		"rows, bare":   NewStreams(k).Unit(0, 0),
		"another plan": run.Order([32]byte{1}),
		"two plans":    run.Order([32]byte{}, [32]byte{}),
		"another run":  Run{Key: k, ID: "b"}.Order([32]byte{}),
		"another key":  Run{Key: NewKey(), ID: "a"}.Order([32]byte{}),
		"another file": Run{Key: k, ID: "a", Content: [32]byte{1}}.Order([32]byte{}),
	} {
		if slices.Equal(first(s, 64), order) {
			t.Errorf("%s: the same stream", name)
		}
	}
}
