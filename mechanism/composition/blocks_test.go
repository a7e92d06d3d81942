package composition

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

// TestEdgeOfSharedRows: the edge of letters that share rows is that of the same rows
// apart.
func TestEdgeOfSharedRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(34, 55))
	moved := 0
	for range 500 {
		n, m := 2+rng.IntN(6), 2+rng.IntN(4)
		var law []mechanism.Row
		for range 1 + rng.IntN(3) {
			var output []uint16
			var weight []int64
			for y := range m {
				if rng.IntN(3) > 0 || y == m-1 && output == nil {
					output, weight = append(output, uint16(y)), append(weight, 1+rng.Int64N(5))
				}
			}
			law = append(law, mechanism.WeightedRow(output, weight))
		}
		row, apart, count := make([]mechanism.Row, n), make([]mechanism.Row, n), make([]int64, n)
		for x := range row {
			row[x] = law[rng.IntN(len(law))]
			apart[x] = mechanism.WeightedRow(slices.Clone(row[x].Output), slices.Clone(row[x].Weight))
			count[x] = rng.Int64N(3) * rng.Int64N(50)
		}
		p, err := mechanism.NewPrior(count)
		if err != nil {
			t.Fatal(err)
		}
		a, err := mechanism.New(m, row)
		if err != nil {
			t.Fatal(err)
		}
		b, err := mechanism.New(m, apart)
		if err != nil {
			t.Fatal(err)
		}
		e, err := mechanism.ParseEpsilon("1.5")
		if err != nil {
			t.Fatal(err)
		}
		x, y := EdgeOf(a, p, e), EdgeOf(b, p, e)
		if x.Factor.Cmp(y.Factor) != 0 || x.Moves != y.Moves || x.Output != y.Output || x.Holds != y.Holds {
			t.Fatalf("shared rows: %+v, apart: %+v", x, y)
		}
		if x.Moves > 0 && x.Moves < p.Total() {
			moved++
		}
	}
	if moved < 50 {
		t.Errorf("only %d edges are within reach", moved)
	}
}
