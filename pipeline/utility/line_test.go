package utility

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestLine: rows that are looked up are those that are computed.
func TestLine(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	looked, copied := 0, 0
	for range 400 {
		n, far := 1+r.IntN(12), []int{6, 40, 4000}[r.IntN(3)]
		places := func() []uint64 {
			at := shift(int64(r.IntN(9) - 4))
			list := make([]uint64, n)
			for i := range list {
				if list[i] = at + uint64(i); far > 6 {
					list[i] = at + uint64(r.IntN(far))
				}
			}
			return list
		}
		in, out := places(), places()
		around := uint64(0)
		if r.IntN(2) == 0 {
			around = slices.Max(append(slices.Clone(in), out...)) - slices.Min(append(slices.Clone(in), out...)) + 1 +
				uint64(r.IntN(3))
		}
		o := newLine(in, out, around, math.Pow10(r.IntN(3)))
		if o.worth != nil {
			looked++
			if o.dense {
				copied++
			}
		}
		row := make([]float64, n)
		for x := range in {
			o.Row(x, nil, row)
			for y := range out {
				if want := o.value(in[x], out[y]); row[y] != want {
					t.Fatalf("%v to %v on %d: %v, want %v", in, out, around, row, want)
				}
			}
		}
	}
	if looked < 50 || looked > 350 || copied < 50 || copied == looked {
		t.Errorf("%d of 400 rows are looked up, %d of them copied", looked, copied)
	}
}
