package interior

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

var names = []string{"half", "zipf", "plane", "tiny"}

// TestLeastCloses: the bracket closes on every family, the proposal's rows sum
// to 1 and its factor, recomputed from the definition, is the one stated.
func TestLeastCloses(t *testing.T) {
	for _, n := range []int{2, 3, 10, 30, 60, 100} {
		for _, name := range names {
			for seed := range uint64(4) {
				pr := families[name](max(n, 4), rand.New(rand.NewPCG(seed, uint64(n))))
				out := Least(context.Background(), pr, Options{})
				at := fmt.Sprintf("%s of %d, seed %d", name, n, seed)
				if !out.Closed || !(out.T/out.Lower-1 <= 1e-10) || !(out.T/out.Lower-1 >= -1e-12) {
					t.Errorf("%s: bracket %v .. %v after %d steps", at, out.Lower, out.T, out.Steps)
					continue
				}
				if f := factor(t, pr, out.P); !(math.Abs(f/out.T-1) <= 1e-11) {
					t.Errorf("%s: factor %v, stated %v", at, f, out.T)
				}
			}
		}
	}
}

// factor is max p_ij/q_j, from the definition.
func factor(t *testing.T, pr Problem, p [][]float64) float64 {
	t.Helper()
	sum := make([]float64, len(pr.Prob))
	most := 0.0
	for j, col := range p {
		q, peak := 0.0, 0.0
		for k, v := range col {
			i := pr.Column[j][k]
			sum[i] += v
			q += pr.Prob[i] * v
			peak = math.Max(peak, v)
		}
		if q > 1e-13 { // fainter ones have no ratio in floats, and rounding drops them
			most = math.Max(most, peak/q)
		}
	}
	for i, v := range sum {
		if !(math.Abs(v-1) <= 1e-12) {
			t.Errorf("row %d sums to %v", i, v)
		}
	}
	return most
}

// TestLeastIsDeterministic: the same bits for 1, 2 and 4 processors.
func TestLeastIsDeterministic(t *testing.T) {
	pr := families["half"](70, rand.New(rand.NewPCG(9, 9)))
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	var first Proposal
	for k, procs := range []int{1, 2, 4} {
		runtime.GOMAXPROCS(procs)
		out := Least(context.Background(), pr, Options{})
		if k == 0 {
			first = out
			continue
		}
		same := out.T == first.T && out.Lower == first.Lower && slices.Equal(out.Y, first.Y)
		for j := range out.P {
			same = same && slices.Equal(out.P[j], first.P[j])
		}
		if !same {
			t.Errorf("%d processors: another result", procs)
		}
	}
}

// TestLeastStops: an ended context gives what is known at once.
func TestLeastStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	out := Least(ctx, families["half"](50, rand.New(rand.NewPCG(1, 1))), Options{})
	if out.Steps != 0 || out.Closed || !(out.Lower >= 1) {
		t.Errorf("after the end: %d steps, closed %v, lower %v", out.Steps, out.Closed, out.Lower)
	}
}

func BenchmarkLeast(b *testing.B) {
	for _, n := range []int{100, 200, 300, 500, 1000} {
		for _, name := range names {
			pr := families[name](n, rand.New(rand.NewPCG(1, 7)))
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					out := Least(context.Background(), pr, Options{})
					if !out.Closed {
						b.Errorf("bracket %v .. %v", out.Lower, out.T)
					}
					b.ReportMetric(float64(out.Steps), "steps")
				}
			})
		}
	}
}
