package estimate

import (
	"math"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

// Over two letters every sample can be enumerated: the bound fails with
// probability at most delta, whatever the law.
func TestPopulationCoversExactly(t *testing.T) {
	single, mixed := weighted(t, []int64{1, 0}, []int64{0, 1}), weighted(t, []int64{3, 1}, []int64{0, 1})
	for _, n := range []int{1, 5, 40} {
		for _, delta := range []float64{.2, .01} {
			for i := 1; i < 100; i++ {
				law := float64(i) / 100
				miss := [3]float64{}
				for k := range n + 1 {
					p := prior(t, int64(k), int64(n-k))
					for j, b := range []struct {
						m *mechanism.Mechanism
						Population
					}{
						{single, Letters(single, p, 2, delta)}, {mixed, Letters(mixed, p, 2, delta)}, {mixed, Split(mixed, p, delta)},
					} {
						if under(b.m, []float64{law, 1 - law}, 1) > b.Nats {
							miss[j] += binomial(n, k, law)
						}
					}
				}
				for j, v := range miss {
					if !(v <= delta*(1+1e-9)) {
						t.Fatalf("n=%d delta=%v law %v: bound %d fails with probability %v", n, delta, law, j, v)
					}
				}
			}
		}
	}
}

// under is the leakage of m under a law.
func under(m *mechanism.Mechanism, law []float64, sum float64) float64 {
	worst := 0.0
	for _, c := range columns(m) {
		most, mean := 0.0, 0.0
		for i, x := range c.letter {
			most = max(most, c.chance[i])
			mean += law[x] / sum * c.chance[i]
		}
		if most > 0 {
			worst = max(worst, math.Log(most/mean))
		}
	}
	return worst
}

// TestLettersCover enumerates every sample of three letters: the bound fails
// with probability at most delta under laws on a grid, for a mechanism with
// zeros and for one without.
func TestLettersCover(t *testing.T) {
	const n, delta = 14, .1
	factorial := func(k int) float64 { v, _ := math.Lgamma(float64(k) + 1); return v }
	for name, m := range map[string]*mechanism.Mechanism{
		"zeros": weighted(t, []int64{3, 1, 0}, []int64{0, 1, 1}, []int64{1, 0, 2}),
		"none":  weighted(t, []int64{2, 1, 1}, []int64{1, 2, 1}, []int64{1, 1, 3}),
	} {
		for i := 1; i < 12; i++ {
			for j := 1; i+j < 12; j++ {
				law := []float64{float64(i) / 12, float64(j) / 12, float64(12-i-j) / 12}
				miss := map[string]float64{}
				for a := range n + 1 {
					for b := range n + 1 - a {
						c := n - a - b
						p := prior(t, int64(a), int64(b), int64(c))
						chance := math.Exp(factorial(n) - factorial(a) - factorial(b) - factorial(c) + float64(
							a)*math.Log(law[0]) + float64(b)*math.Log(law[1]) + float64(c)*math.Log(law[2]))
						truth := under(m, law, 1)
						for _, q := range []Population{Letters(m, p, 3, delta), Split(m, p, delta)} {
							if truth > q.Nats {
								miss[q.Rule] += chance
							}
						}
					}
				}
				for rule, v := range miss {
					if rule != "" && !(v <= delta*(1+1e-9)) {
						t.Fatalf("%s, law %v: %s fails with probability %v", name, law, rule, v)
					}
				}
			}
		}
	}
}
