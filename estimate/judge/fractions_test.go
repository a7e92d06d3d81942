package judge

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

// TestJointInFractions: floats choose and fractions decide as every combination of
// outputs written out in fractions does, on 1,000 random tables.
func TestJointInFractions(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
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
		want := new(big.Rat)
		for _, output := range combinations(m) {
			if f := written(m, cells, output); f != nil && f.Cmp(want) > 0 {
				want = f
			}
		}
		j := NewJoint(m, cells)
		if !j.Exact || j.Factor.Cmp(want) != 0 || written(m, cells, j.Output).Cmp(want) != 0 {
			t.Fatalf("trial %d: %v, want %v", trial, j.Factor, want)
		}
		if top := j.Explain(m, cells, 1); len(top) != 1 || top[0].Factor.Cmp(want) != 0 {
			t.Fatalf("trial %d: %v, explained by %+v", trial, j.Factor, top)
		}
	}
}

// combinations are all of one output of each.
func combinations(m []*mechanism.Mechanism) (all [][]int32) {
	all = [][]int32{nil}
	for _, k := range m {
		var longer [][]int32
		for _, c := range all {
			for y := range k.Outputs() {
				longer = append(longer, append(append([]int32{}, c...), int32(y)))
			}
		}
		all = longer
	}
	return all
}

// written is the largest factor by which these outputs multiply the chance of
// a combination of letters, posterior over prior; nil where no record gives
// them.
func written(m []*mechanism.Mechanism, cells []Cell, output []int32) *big.Rat {
	n, of, all := int64(0), make([]*big.Rat, len(cells)), new(big.Rat)
	for i, c := range cells {
		n += c.Count
		of[i] = big.NewRat(c.Count, 1)
		for k, x := range c.Letter {
			r, p := m[k].Row(int(x)), new(big.Rat)
			for j, y := range r.Output {
				if int32(y) == output[k] {
					p.SetFrac64(r.At(j), r.Total)
				}
			}
			of[i].Mul(of[i], p)
		}
		all.Add(all, of[i])
	}
	if all.Sign() == 0 {
		return nil
	}
	most := new(big.Rat)
	for i, c := range cells {
		posterior, prior := of[i].Quo(of[i], all), big.NewRat(c.Count, n)
		if f := posterior.Quo(posterior, prior); f.Cmp(most) > 0 {
			most = f
		}
	}
	return most
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
