package utility

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

// TestAlong: what a line or a circle says of one output, of the best, and of those within a
// floor is what its rows say, where places coincide, lie equally far away, or so far that
// differences round alike.
func TestAlong(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	tied, rounded := 0, 0
	for range 600 {
		far := []uint64{4, 30, 1000, 1 << 61}[rng.IntN(4)]
		places := func(n int) (list []uint64) {
			for range n {
				list = append(list, 1<<61+rng.Uint64N(far))
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
		table := mechanism.Tabulate(o)
		near, whole := surveyOf(o), surveyOf(table)
		if near != whole {
			t.Fatalf("%v to %v on %d: %+v is found, and %+v in the table", in, out, around, near, whole)
		}
		tied += near.tied
		m := len(out)
		rank, value := make([]uint16, m), make([]float64, m)
		for x := range in {
			table.Row(x, rank, value)
			by := make([]uint16, m)
			for y, r := range rank {
				by[m-int(r)] = uint16(y)
				if o.Rank(x, y) != int(r) || o.Value(x, y) != value[y] {
					t.Fatalf("%v to %v on %d: output %d of %d has rank %d and value %v, and %d and %v alone", in, out, around, y,
						x, r, value[y], o.Rank(x, y), o.Value(x, y))
				}
				for z := range m {
					if out[y] != out[z] && value[y] == value[z] && far > 1000 {
						rounded++
					}
				}
			}
			for k := range m + 2 {
				if best := o.Best(x, k); !slices.Equal(best, by[:min(k, m)]) {
					t.Fatalf("%v to %v on %d: the best %d of %d are %v, and not %v", in, out, around, k, x, best, by[:min(k, m)])
				}
			}
			for _, floor := range []float64{value[by[0]], value[by[m/2]], value[by[m-1]], math.Nextafter(value[by[m/2]], 0), 1} {
				var want []uint16
				for y, v := range value {
					if v >= floor {
						want = append(want, uint16(y))
					}
				}
				if got := o.Within(x, floor); !slices.Equal(got, want) {
					t.Fatalf("%v to %v on %d: within %v of %d are %v, and not %v", in, out, around, floor, x, got, want)
				}
			}
		}
	}
	if tied < 100 || rounded < 100 {
		t.Errorf("control: %d rows are tied, %d values round alike", tied, rounded)
	}
}
