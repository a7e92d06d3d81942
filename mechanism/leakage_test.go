package mechanism

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// Sums beyond 64 bits, many row totals, and the largest numbers there are.
func TestLeakageExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	for trial := range 100 {
		n, m := 1+rng.IntN(9), 1+rng.IntN(9)
		count, row := make([]int64, n), make([]Row, n)
		for x := range row {
			if count[x] = rng.Int64N(math.MaxInt64 / 2 / int64(n)); trial%3 == 0 {
				count[x] = rng.Int64N(3)
			}
			var output []uint16
			var weight []int64
			for y := range m {
				if y == m-1 || rng.IntN(2) == 0 {
					output, weight = append(output, uint16(y)), append(weight, 1+rng.Int64N(math.MaxInt64/2/int64(m)))
				}
			}
			if x%2 == 1 { // the same total, so that sums carry
				output, weight = row[x-1].Output, slices.Clone(row[x-1].Weight)
				slices.Reverse(weight)
			}
			row[x] = WeightedRow(output, weight)
		}
		p := newPrior(t, count...)
		c, err := New(m, row)
		must(t, err)
		for y, got := range c.Leakage(p).Output {
			q, most := new(big.Rat), new(big.Rat)
			for x, r := range row {
				for i, z := range r.Output {
					if int(z) == y && count[x] > 0 {
						v := big.NewRat(r.Weight[i], r.Total)
						q.Add(q, new(big.Rat).Mul(v, big.NewRat(count[x], p.Total())))
						if v.Cmp(most) > 0 {
							most = v
						}
					}
				}
			}
			if q.Sign() == 0 != (got == nil) || got != nil && got.Cmp(most.Quo(most, q)) != 0 {
				t.Fatalf("trial %d, output %d: %v, want %v", trial, y, got, most)
			}
		}
	}
}
