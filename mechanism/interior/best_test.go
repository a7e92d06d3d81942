package interior

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestBestCloses: above the least factor the run closes, stays within t, and
// its Y bound the utility from above within 1e-8.
func TestBestCloses(t *testing.T) {
	for _, n := range []int{4, 10, 30, 60} {
		for _, name := range names {
			for seed := range uint64(3) {
				r := rand.New(rand.NewPCG(seed, uint64(n)))
				pr := families[name](n, r)
				w := worths(pr, r)
				for _, above := range []float64{1.001, 1.1, 2} {
					f := Least(context.Background(), pr, Options{}).T * above
					out := Best(context.Background(), pr, f, make([]bool, len(pr.Column)), w, Options{})
					at := fmt.Sprintf("%s of %d, seed %d, %v above", name, n, seed, above)
					if got := factor(t, pr, out.P); !(got <= f*(1+1e-7)) {
						t.Errorf("%s: factor %v, limit %v", at, got, f)
					}
					value := 0.0
					for j, col := range out.P {
						for k, v := range col {
							value += pr.Prob[pr.Column[j][k]] * v * w[j][k]
						}
					}
					if upper := ceiling(pr, f, w, out.Y); !(math.Abs(upper-value) <= 1e-7) {
						t.Errorf("%s: utility %v, bound %v, closed %v after %d steps", at, value, upper, out.Closed,
							out.Steps)
					}
				}
			}
		}
	}
}

// ceiling is the bound that prices a prove, from the formula of Best.
func ceiling(pr Problem, t float64, w [][]float64, a []float64) float64 {
	most := math.Inf(-1)
	for j, rows := range pr.Column {
		by := make([]int, len(rows))
		mass := 0.0
		for k, i := range rows {
			by[k] = k
			mass += pr.Prob[i]
		}
		if t*mass < 1 {
			continue
		}
		gain := func(k int) float64 { return w[j][k] - a[rows[k]] }
		slices.SortFunc(by, func(x, y int) int {
			if gain(x) > gain(y) {
				return -1
			}
			return 1
		})
		left, sum := 1.0, 0.0
		for _, k := range by {
			v := math.Min(left, t*pr.Prob[rows[k]])
			sum += v * gain(k)
			left -= v
		}
		most = math.Max(most, sum)
	}
	for i, v := range a {
		most += pr.Prob[i] * v
	}
	return most
}

func worths(pr Problem, r *rand.Rand) [][]float64 {
	w := make([][]float64, len(pr.Column))
	for j, rows := range pr.Column {
		w[j] = make([]float64, len(rows))
		for k := range rows {
			w[j][k] = r.Float64()
		}
	}
	return w
}

func BenchmarkBest(b *testing.B) {
	for _, n := range []int{100, 200, 300, 500, 1000} {
		for _, name := range names {
			r := rand.New(rand.NewPCG(1, 7))
			pr := families[name](n, r)
			w := worths(pr, r)
			t := 0.0
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				if t == 0 {
					t = 1.1 * Least(context.Background(), pr, Options{Gap: 1e-3}).T
				}
				b.ReportAllocs()
				for b.Loop() {
					out := Best(context.Background(), pr, t, make([]bool, len(pr.Column)), w, Options{})
					if !out.Closed {
						b.Errorf("not closed after %d steps", out.Steps)
					}
					b.ReportMetric(float64(out.Steps), "steps")
				}
			})
		}
	}
}
