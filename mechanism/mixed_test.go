package mechanism

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestMixedLeakage counts the records of 1,000 small tables one by one: each
// gives its outputs by the mechanism of its part, and nobody sees which.
func TestMixedLeakage(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 21))
	for trial := range 1000 {
		inputs, outputs := 1+rng.IntN(4), 1+rng.IntN(4)
		var parts []Part
		joint := make([][]*big.Rat, outputs) // of output and letter
		for y := range joint {
			for range inputs {
				joint[y] = append(joint[y], new(big.Rat))
			}
		}
		own, n := make([]int64, inputs), int64(0)
		for range 1 + rng.IntN(4) {
			rows, count := make([]Row, inputs), make([]int64, inputs)
			for x := range rows {
				var output []uint16
				var weight []int64
				for y := range outputs {
					if rng.IntN(2) > 0 || y+1 == outputs && output == nil {
						output, weight = append(output, uint16(y)), append(weight, 1+rng.Int64N(4))
					}
				}
				rows[x], count[x] = WeightedRow(output, weight), rng.Int64N(4)*rng.Int64N(3)
				total := int64(0)
				for _, w := range weight {
					total += w
				}
				for range count[x] {
					own[x]++
					n++
					for i, y := range output {
						joint[y][x].Add(joint[y][x], big.NewRat(weight[i], total))
					}
				}
			}
			m, err := New(outputs, rows)
			if err != nil {
				t.Fatal(err)
			}
			prior, err := NewPrior(count)
			if err != nil {
				t.Fatal(err)
			}
			parts = append(parts, Part{m, prior, m.Leakage(prior)})
		}
		got := MixedLeakage(parts)
		for y, of := range joint {
			mass, most := new(big.Rat), new(big.Rat)
			for x, p := range of {
				if mass.Add(mass, p); own[x] > 0 {
					if v := new(big.Rat).Quo(p, big.NewRat(own[x], 1)); v.Cmp(most) > 0 {
						most = v
					}
				}
			}
			if mass.Sign() == 0 {
				if got.Output[y] != nil && n > 0 {
					t.Fatalf("table %d: output %d has no record and leaks %v", trial, y, got.Output[y])
				}
				continue
			}
			want := most.Mul(most, new(big.Rat).Quo(big.NewRat(n, 1), mass))
			if got.Output[y] == nil || got.Output[y].Cmp(want) != 0 {
				t.Fatalf("table %d, output %d: %v, the records give %v", trial, y, got.Output[y], want)
			}
		}
	}
}
