package utility

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestAlong: what a line or a circle says of one output, of the best, and of those within a
// floor is what its rows say, where places coincide, lie equally far away, or so far that
// differences round alike.
func TestAlong(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	rounded, looked, copied := 0, 0, 0
	for range 600 {
		far := []uint64{4, 30, 1000, 1 << 61}[rng.IntN(4)]
		next := far == 4 && rng.IntN(2) == 0 // each behind the other
		places := func(n int) (list []uint64) {
			for i := range n {
				list = append(list, 1<<61+rng.Uint64N(far))
				if next {
					list[i] = 1<<61 + uint64(i)
				}
				if far > 1000 && rng.IntN(2) == 0 { // differences that round alike
					list[len(list)-1] = 1<<61 + rng.Uint64N(3)*far/3 + rng.Uint64N(9)
				}
			}
			return list
		}
		in, out := places(1+rng.IntN(9)), places(1+rng.IntN(14))
		around := uint64(0)
		if rng.IntN(2) == 0 {
			all := slices.Concat(in, out)
			around = slices.Max(all) - slices.Min(all) + 1 + rng.Uint64N(3)
		}
		o := newLine(in, out, around, math.Pow10(rng.IntN(3)))
		rowsAgree(t, fmt.Sprintf("%v to %v on %d", in, out, around), o, func(value []float64) {
			for y, v := range value {
				for z := range value {
					if out[y] != out[z] && v == value[z] && far > 1000 {
						rounded++
					}
				}
			}
		})
		if o.worth != nil { // rows are looked up
			looked++
			if o.dense {
				copied++
			}
		}
	}
	if rounded < 100 || looked < 50 || looked > 550 || copied < 50 || copied == looked {
		t.Errorf("control: %d values round alike, %d orders are looked up, %d copied", rounded, looked, copied)
	}
}
