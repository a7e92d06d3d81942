package draw

import (
	"math/rand/v2"

	"github.com/tacet-privacy/tacet/mechanism"
)

// random allows each letter half of all outputs, always itself, with equal
// weights or with weights below most.
func random(rng *rand.Rand, n int, weighted bool, most int64) *mechanism.Mechanism {
	rows := make([]mechanism.Row, n)
	for x := range rows {
		var output []uint16
		var weight []int64
		for y := range n {
			if y == x || rng.IntN(2) == 0 {
				output = append(output, uint16(y))
				weight = append(weight, 1+rng.Int64N(most))
			}
		}
		rows[x] = mechanism.UniformRow(output)
		if weighted {
			rows[x] = mechanism.WeightedRow(output, weight)
		}
	}
	m, err := mechanism.New(n, rows)
	if err != nil {
		panic(err)
	}
	return m
}
