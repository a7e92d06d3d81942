package audit

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

// TestJointWithLargeTotals: rows whose products do not fit into integers take
// the way over floats, and fractions decide; so does every combination of
// outputs written out in fractions, on 1,000 random tables.
func TestJointWithLargeTotals(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	whole := 0
	for trial := range 1000 {
		var m []*mechanism.Mechanism
		size := int64(1) << 40
		if trial%4 == 0 {
			size = 8
		}
		for range 2 + rng.IntN(2) {
			m = append(m, random(t, rng, 1+rng.IntN(3), 1+rng.IntN(3), size))
		}
		cells := randomCells(rng, m, nil)
		if len(cells) == 0 {
			continue
		}
		n := int64(0)
		for _, c := range cells {
			n += c.Count
		}
		if _, ok := wholeRows(m, cells, n); ok {
			whole++
		}
		want, at := new(big.Rat), 1
		for _, k := range m {
			at *= k.Outputs()
		}
		for y := range at {
			output := place(m, y)
			possible := false
			for _, c := range cells {
				possible = possible || chance(m, c.Letter, output).Sign() > 0
			}
			if !possible {
				continue
			}
			if f := factor(m, cells, output, n); f.Cmp(want) > 0 {
				want = f
			}
		}
		j := NewJoint(m, cells)
		if !j.Exact || j.Factor.Cmp(want) != 0 || factor(m, cells, j.Output, n).Cmp(want) != 0 {
			t.Fatalf("trial %d: %v, want %v", trial, j.Factor, want)
		}
	}
	if whole < 150 || whole > 850 {
		t.Errorf("%d of 1000 tables were added up in integers", whole)
	}
}

func random(t *testing.T, rng *rand.Rand, inputs, outputs int, size int64) *mechanism.Mechanism {
	t.Helper()
	var rows []mechanism.Row
	for range inputs {
		var output []uint16
		var weight []int64
		for y := range outputs {
			if y == 0 || rng.IntN(3) > 0 {
				output, weight = append(output, uint16(y)), append(weight, 1+rng.Int64N(size))
			}
		}
		rows = append(rows, mechanism.WeightedRow(output, weight))
	}
	m, err := mechanism.New(outputs, rows)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func randomCells(rng *rand.Rand, m []*mechanism.Mechanism, so []int32) (out []Cell) {
	if len(so) == len(m) {
		if rng.IntN(3) == 0 {
			return nil
		}
		return []Cell{{append([]int32{}, so...), 1 + rng.Int64N(9)}}
	}
	for x := range m[len(so)].Inputs() {
		out = append(out, randomCells(rng, m, append(so, int32(x)))...)
	}
	return out
}
