package estimate

import (
	"fmt"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

// The rank of a circulant of m ones is n - gcd(m, n) + 1, and where it is
// singular no letter stands alone: all are alike.
func TestIdentifiableCirculants(t *testing.T) {
	gcd := func(a, b int) int {
		for b != 0 {
			a, b = b, a%b
		}
		return a
	}
	for n := 1; n <= 12; n++ {
		for m := 1; m <= n; m++ {
			span := SpanOf(cyclic(t, n, m))
			rank, alone := span.Rank(), span.Alone()
			want := n - gcd(m, n) + 1
			if rank != want {
				t.Errorf("n = %d, m = %d: rank %d, want %d", n, m, rank, want)
			}
			for x, ok := range alone {
				if ok != (want == n) {
					t.Errorf("n = %d, m = %d: letter %d alone is %v", n, m, x, ok)
				}
			}
		}
	}
}

func TestIdentifiableParts(t *testing.T) {
	for _, c := range []struct {
		row  []mechanism.Row
		rank int
		want string
	}{
		// Letters 0 and 1 are published alike, 2 as itself.
		{[]mechanism.Row{mechanism.UniformRow([]uint16{0}), mechanism.UniformRow([]uint16{0}),
			mechanism.UniformRow([]uint16{1})}, 2, "[false false true]"},
		// One output for all.
		{[]mechanism.Row{mechanism.UniformRow([]uint16{0}), mechanism.UniformRow([]uint16{0})}, 1, "[false false]"},
		// Letter 2 is the even mixture of the others.
		{[]mechanism.Row{mechanism.UniformRow([]uint16{0}), mechanism.UniformRow([]uint16{1}),
			mechanism.UniformRow([]uint16{0, 1})}, 2, "[false false false]"},
		// Randomised response is regular.
		{[]mechanism.Row{mechanism.WeightedRow([]uint16{0, 1}, []int64{3, 1}),
			mechanism.WeightedRow([]uint16{0, 1}, []int64{1, 3})}, 2, "[true true]"},
		// Weights that are multiples of the prime vanish in the field but for their proportion.
		{[]mechanism.Row{mechanism.WeightedRow([]uint16{0, 1}, []int64{field + 1, 1}),
			mechanism.WeightedRow([]uint16{0, 1}, []int64{1, field + 3})}, 2, "[true true]"},
	} {
		m, err := mechanism.New(2, c.row)
		must(t, err)
		span := SpanOf(m)
		if rank, alone := span.Rank(), span.Alone(); rank != c.rank || fmt.Sprint(alone) != c.want {
			t.Errorf("rank %d, %v; want %d, %s", rank, alone, c.rank, c.want)
		}
	}
}

func TestFieldArithmetic(t *testing.T) {
	for _, a := range []uint64{1, 2, 3, 1 << 60, field - 1, field / 3, 123456789012345} {
		if got := times(a, inverse(a)); got != 1 {
			t.Errorf("%d times its inverse is %d", a, got)
		}
		if got := plus(a, field-a); got != 0 {
			t.Errorf("%d and its opposite are %d", a, got)
		}
	}
	if got := times(field-1, field-1); got != 1 {
		t.Errorf("(-1)^2 is %d", got)
	}
}
