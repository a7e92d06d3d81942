package draw

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

// BenchmarkDraw reports ns/record, key stream included, for uniform letters.
func BenchmarkDraw(b *testing.B) {
	for _, kind := range []string{"uniform", "alias"} {
		for _, n := range []int{4, 16, 64, 229, 1000} {
			b.Run(fmt.Sprintf("rows=%s/N=%d", kind, n), func(b *testing.B) {
				bench(b, random(rand.New(rand.NewPCG(1, uint64(n))), n, kind == "alias", 1<<32))
			})
		}
	}
	b.Run("rows=arcs/N=1000", func(b *testing.B) { bench(b, circle(b, 1000)) })
}

func bench(b *testing.B, m *mechanism.Mechanism) {
	const batch = 4096
	in, out := make([]int32, batch), make([]int32, batch)
	rng := rand.New(rand.NewPCG(2, 3))
	for i := range in {
		in[i] = int32(rng.IntN(m.Inputs()))
	}
	t, s := NewTable(m), TestStreams(1).Unit(0, 0)
	b.SetBytes(4 * batch)
	b.ReportAllocs()
	for b.Loop() {
		copy(out, in)
		t.Draw(s, out)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/batch, "ns/record")
}

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
