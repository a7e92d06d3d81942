package mechanism

import (
	"math/rand/v2"
	"testing"
)

func newPrior(t *testing.T, count ...int64) Prior {
	t.Helper()
	p, err := NewPrior(count)
	must(t, err)
	return p
}

// randomMechanism has rows of about half of all outputs, with weights up to most.
func randomMechanism(t *testing.T, rng *rand.Rand, inputs, outputs int, most int64) *Mechanism {
	t.Helper()
	row := make([]Row, inputs)
	for x := range row {
		var output []uint16
		var weight []int64
		for y := range outputs {
			if rng.IntN(2) > 0 || y+1 == outputs && output == nil {
				output, weight = append(output, uint16(y)), append(weight, 1+rng.Int64N(most))
			}
		}
		row[x] = WeightedRow(output, weight)
	}
	m, err := New(outputs, row)
	must(t, err)
	return m
}

// randomPrior has up to most records of a letter, and often none.
func randomPrior(t *testing.T, rng *rand.Rand, letters int, most int64) Prior {
	t.Helper()
	count := make([]int64, letters)
	for x := range count {
		count[x] = rng.Int64N(4) * rng.Int64N(most) / 3
	}
	return newPrior(t, count...)
}

// must ends a test where something fails that it is not about.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
