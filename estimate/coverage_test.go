package estimate

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

// TestPopulationCovers draws samples from known laws, designs for each, and
// compares the bound with the leakage under the law itself. A bound that holds
// with probability .95 holds in fewer than .918 of 2,000 samples with
// probability below 1e-9, and in fewer than .936 of the 10,000 of TACET_TORTURE.
func TestPopulationCovers(t *testing.T) {
	const n, delta = 400, .05
	samples, least := 2000, .918
	if torture() {
		samples, least = 10_000, .936
	}
	o := cyclicOrder(t, 6)
	sets := DistinctSets(o, false, nil)
	zipf := []float64{}
	for x := range 6 {
		zipf = append(zipf, 1/float64(x+1))
	}
	for name, law := range map[string][]float64{"uniform": {1, 1, 1, 1, 1, 1}, "zipf": zipf,
		"one rare": {1, 1, 1e-5, 1, 1, 1}} {
		sum := 0.0
		for _, v := range law {
			sum += v
		}
		rng := rand.New(rand.NewPCG(7, 11))
		held := map[string]int{}
		for range samples {
			count := drawn(rng, law, sum, n)
			p := counted(t, count...)
			h := 2 + int(count[0])%5 // a floor that the data choose
			m := safe(t, p, o, h)
			truth := under(m, law, sum)
			for rule, b := range map[string]Population{"sets": Sets(m, p, sets, delta),
				"ball": Ball(m, p, Radius(6, n, delta), delta), "letters": Letters(m, p, 6, delta),
				"split": Split(m, counted(t, drawn(rng, law, sum, n)...), delta)} { // records that m does not depend on
				if truth <= b.Nats {
					held[rule]++
				}
			}
		}
		for _, rule := range []string{"sets", "ball", "letters", "split"} {
			if k := held[rule]; !(float64(k)/float64(samples) >= least) {
				t.Errorf("%s by %s: held in %d of %d samples", name, rule, k, samples)
			}
		}
	}
}

// drawn counts n draws from a law.
func drawn(rng *rand.Rand, law []float64, sum float64, n int) []int64 {
	count := make([]int64, len(law))
	for range n {
		u, x := rng.Float64()*sum, 0
		for ; x < len(law)-1 && u >= law[x]; x++ {
			u -= law[x]
		}
		count[x]++
	}
	return count
}

// TestSetsCoverExactly enumerates every sample of three letters under laws on a
// grid, one with a letter of 1e-5 among them: with a safe design at a floor that
// the sample chose, the bound over all sets fails with probability at most delta.
func TestSetsCoverExactly(t *testing.T) {
	const n, delta = 24, .1
	o := cyclicOrder(t, 3)
	sets := DistinctSets(o, false, nil)
	laws := [][]float64{{1e-5, .5 - 1e-5, .5}, {1e-5, 1e-5, 1 - 2e-5}}
	for i := 1; i < 12; i++ {
		for j := 1; i+j < 12; j++ {
			laws = append(laws, []float64{float64(i) / 12, float64(j) / 12, float64(12-i-j) / 12})
		}
	}
	worst := 0.0
	for _, law := range laws {
		miss, all := 0.0, 0.0
		for a := range n + 1 {
			for b := range n + 1 - a {
				count := []int64{int64(a), int64(b), int64(n - a - b)}
				chance := binomial(n, a, law[0]) * binomial(n-a, b, law[1]/(1-law[0]))
				all += chance
				// The sample chooses the floor whose bound fails, if one does.
				for h := 2; h <= 3; h++ {
					p := counted(t, count...)
					if b := Sets(safe(t, p, o, h), p, sets, delta); under(safe(t, p, o, h), law, 1) > b.Nats {
						miss += chance
						break
					}
				}
			}
		}
		if worst = max(worst, miss); !(miss <= delta*(1+1e-9) && math.Abs(all-1) <= 1e-9) {
			t.Fatalf("law %v: fails with probability %v of %v", law, miss, all)
		}
	}
	if !(worst > delta/100) {
		t.Errorf("the bound fails with probability %v at the most: it is not tried", worst)
	}
}

// Over two letters every sample can be enumerated: the bound fails with
// probability at most delta, whatever the law.
func TestPopulationCoversExactly(t *testing.T) {
	o := cyclicOrder(t, 2)
	sets := DistinctSets(o, false, nil)
	for _, n := range []int{1, 5, 40} {
		for _, delta := range []float64{.2, .01} {
			for i := 1; i < 100; i++ {
				law := float64(i) / 100
				miss := [3]float64{}
				for k := range n + 1 {
					p := counted(t, int64(k), int64(n-k))
					weighted, err := mechanism.New(2,
						[]mechanism.Row{mechanism.WeightedRow([]uint16{0, 1}, []int64{3, 1}),
							mechanism.UniformRow([]uint16{1})})
					if err != nil {
						t.Fatal(err)
					}
					for j, b := range []struct {
						m *mechanism.Mechanism
						Population
					}{
						{safe(t, p, o, 2), Sets(safe(t, p, o, 2), p, sets, delta)},
						{weighted, Ball(weighted, p, Radius(2, int64(n), delta), delta)},
						{weighted, Split(weighted, p, delta)},
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
						p := counted(t, int64(a), int64(b), int64(c))
						chance := math.Exp(factorial(n) - factorial(a) - factorial(b) - factorial(c) + float64(
							a)*math.Log(law[0]) + float64(b)*math.Log(law[1]) + float64(c)*math.Log(law[2]))
						truth := under(m, law, 1)
						for _, q := range []Population{Letters(m, p, 3, delta), Ball(m, p, Radius(3, n, delta), delta),
							Split(m, p, delta)} {
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
