package interior

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSharesClose: with shares asked for, runs close, keep factor and limit, and
// their prices bound what was asked for within 1e-7: the least shift, and the
// largest utility within a limit above that.
func TestSharesClose(t *testing.T) {
	for _, n := range []int{4, 10, 30, 60} {
		for _, name := range names {
			for seed := range uint64(3) {
				r := rand.New(rand.NewPCG(seed, uint64(n)))
				pr := families[name](n, r)
				w := worths(pr, r)
				share := make([]float64, len(pr.Column))
				for j := range share {
					if j < n && r.IntN(8) > 0 {
						share[j] = pr.Prob[j]
					}
				}
				for _, above := range []float64{1.1, 2} {
					f := Least(context.Background(), pr, Options{}).T * above
					at := fmt.Sprintf("%s of %d, seed %d, %v above", name, n, seed, above)
					none := make([][]float64, len(w))
					for j := range w {
						none[j] = make([]float64, len(w[j]))
					}
					level := make([]bool, len(w))
					s := &Shares{Share: share, Least: true}
					out := Best(context.Background(), pr, f, level, none, Options{Shares: s})
					least := shiftOf(pr, share, out.P)
					if upper := tolled(pr, f, none, out.Y, share, -1); !(math.Abs(least+upper) <= 1e-7) {
						t.Errorf("%s: shift %v, bound %v, closed %v after %d steps", at, least, -upper, out.Closed,
							out.Steps)
					}
					s = &Shares{Share: share, Limit: least + (1-least)/10}
					out = Best(context.Background(), pr, f, level, w, Options{Shares: s})
					if d := shiftOf(pr, share, out.P); !(d <= s.Limit+1e-7) {
						t.Errorf("%s: shift %v, limit %v", at, d, s.Limit)
					}
					if got := factor(t, pr, out.P); !(got <= f*(1+1e-6)) {
						t.Errorf("%s: factor %v, limit %v", at, got, f)
					}
					value := 0.0
					for j, col := range out.P {
						for k, v := range col {
							value += pr.Prob[pr.Column[j][k]] * v * w[j][k]
						}
					}
					if upper := tolled(pr, f, w, out.Y, share, s.Limit); !(math.Abs(upper-value) <= 1e-6) {
						t.Errorf("%s: utility %v, bound %v, closed %v after %d steps", at, value, upper, out.Closed,
							out.Steps)
					}
				}
			}
		}
	}
}

// shiftOf is sum (q - pi)^+.
func shiftOf(pr Problem, share []float64, p [][]float64) float64 {
	d := 0.0
	for j, col := range p {
		q := 0.0
		for k, v := range col {
			q += pr.Prob[pr.Column[j][k]] * v
		}
		d += math.Max(0, q-share[j])
	}
	return d
}

// tolled is the bound that prices a prove of utility less shift, or with a limit
// of utility within it: the least over c, by trying every kappa.
func tolled(pr Problem, t float64, w [][]float64, a, share []float64, limit float64) float64 {
	base := 0.0
	for i, v := range a {
		base += pr.Prob[i] * v
	}
	kappa, top := make([]float64, len(pr.Column)), math.Inf(-1)
	for j := range pr.Column {
		kappa[j] = ceiling(Problem{pr.Prob, pr.Column[j : j+1]}, t, w[j:j+1], a) - base
		top = math.Max(top, kappa[j])
	}
	try := slices.Clone(kappa)
	if limit < 0 {
		try = []float64{top - 1}
	}
	least := math.Inf(1)
	for _, c := range try {
		sum := base + c
		if math.IsInf(c, 0) {
			continue
		}
		for j, v := range kappa {
			sum += share[j] * math.Max(0, v-c)
		}
		if limit >= 0 {
			sum += limit * (top - c)
		}
		if limit < 0 || c <= top {
			least = math.Min(least, sum)
		}
	}
	return least
}
