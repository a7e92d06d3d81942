package estimate

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

// cyclicOrder is the order in which output y is worth most to letter y, and less
// the farther the letter lies ahead.
func cyclicOrder(t *testing.T, n int) mechanism.Order {
	t.Helper()
	rank := make([][]uint16, n)
	for x := range rank {
		rank[x] = make([]uint16, n)
		for y := range n {
			rank[x][y] = uint16(n - (x-y+n)%n)
		}
	}
	o, err := mechanism.NewRanks(rank)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func counted(t *testing.T, count ...int64) mechanism.Prior {
	t.Helper()
	p, err := mechanism.NewPrior(count)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func safe(t *testing.T, p mechanism.Prior, o mechanism.Order, h int) *mechanism.Mechanism {
	t.Helper()
	m, err := mechanism.Safe(p, o, mechanism.RankFloor(h))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestPopulation is the cyclic order of twenty letters at half the outputs:
// the file's own leakage, the bound over the l1 ball, and that of 381 sets.
func TestPopulation(t *testing.T) {
	o := cyclicOrder(t, 20)
	sets := DistinctSets(o, false, nil)
	if h := mechanism.RankFloor(11); sets != 381 || DistinctSets(o, true, nil) != 381 || DistinctSets(o, false, &h) != 20 {
		t.Fatalf("%d sets", sets)
	}
	for _, c := range []struct{ n, hits, each float64 }{{1e3, 186, 0}, {1e4, 1859, 0}, {1e5, 18589, 0}} {
		count := make([]int64, 20)
		for x := range count {
			mass := int64(c.hits)
			if x >= 10 {
				mass = int64(c.n - c.hits)
			}
			count[x] = mass / 10
			if int64(x%10) < mass%10 {
				count[x]++
			}
		}
		p := counted(t, count...)
		m := safe(t, p, o, 11)
		own := m.Leakage(p).Nats()
		ball := Ball(m, p, Radius(20, p.Total(), 1e-6), 1e-6)
		set := Sets(m, p, sets, 1e-6)
		want := map[float64][3]float64{1e3: {1.6820, 2.6830, 2.1092}, 1e4: {1.6825, 1.9058, 1.8087}, 1e5: {1.6826, 1.7480, 1.7216}}[c.n]
		for i, got := range []float64{own, ball.Nats, set.Nats} {
			if !(math.Abs(got-want[i]) <= 6e-5) {
				t.Errorf("n=%v: %v, want %v", c.n, got, want[i])
			}
		}
		if set.Rule != "sets" || ball.Rule != "ball" || set.Output != ball.Output {
			t.Errorf("%+v, %+v", set, ball)
		}
	}
}

// A column with a zero may stay finite although the ball is wider than the
// mass of its largest entry.
func TestBallWorstCase(t *testing.T) {
	m, err := mechanism.New(2, []mechanism.Row{
		mechanism.UniformRow([]uint16{0}), mechanism.WeightedRow([]uint16{0, 1}, []int64{1, 9}), mechanism.UniformRow([]uint16{1})})
	if err != nil {
		t.Fatal(err)
	}
	p := counted(t, 5, 55, 40)
	if b := Ball(m, p, .3, .1); b.Output != 0 || !(math.Abs(b.Nats+math.Log(.045)) <= 1e-9) {
		t.Errorf("%+v, want 3.10", b)
	}
	if b := Ball(m, p, 1.3, .1); b.Rule != "" || !math.IsInf(b.Nats, 1) {
		t.Errorf("%+v where a law gives none of the letters", b)
	}
	// No law in the ball leaks more, and one leaks as much.
	worst := 0.0
	for i := range 101 {
		for j := range 101 - i {
			a, b := float64(i)/100, float64(j)/100
			if math.Abs(a-.05)+math.Abs(b-.55)+math.Abs(1-a-b-.4) <= .3+1e-12 {
				worst = max(worst, 1/(a+.1*b))
			}
		}
	}
	if !(worst <= 1/.045*(1+1e-9) && worst >= 1/.045*(1-1e-9)) {
		t.Errorf("worst law %v, want %v", worst, 1/.045)
	}
}

// TestPopulationCovers draws samples from known laws, designs for each, and
// compares the bound with the leakage under the law itself. A bound that holds
// with probability .95 holds in fewer than .937 of 10,000 samples with
// probability below 1e-9.
func TestPopulationCovers(t *testing.T) {
	const n, samples, delta = 400, 10_000, .05
	o := cyclicOrder(t, 6)
	sets := DistinctSets(o, false, nil)
	zipf := []float64{}
	for x := range 6 {
		zipf = append(zipf, 1/float64(x+1))
	}
	for name, law := range map[string][]float64{"uniform": {1, 1, 1, 1, 1, 1}, "zipf": zipf, "one rare": {1, 1, 1e-5, 1, 1, 1}} {
		sum := 0.0
		for _, v := range law {
			sum += v
		}
		rng := rand.New(rand.NewPCG(7, 11))
		held := map[string]int{}
		for range samples {
			count := make([]int64, 6)
			for range n {
				u := rng.Float64() * sum
				x := 0
				for ; x < 5 && u >= law[x]; x++ {
					u -= law[x]
				}
				count[x]++
			}
			p := counted(t, count...)
			h := 2 + int(count[0])%5 // a floor that the data choose
			m := safe(t, p, o, h)
			truth := under(m, law, sum)
			for rule, b := range map[string]Population{"sets": Sets(m, p, sets, delta), "ball": Ball(m, p, Radius(6, n, delta), delta), "letters": Letters(m, p, 6, delta)} {
				if truth <= b.Nats {
					held[rule]++
				}
			}
		}
		for _, rule := range []string{"sets", "ball", "letters"} {
			if k := held[rule]; !(float64(k)/samples >= .937) {
				t.Errorf("%s by %s: held in %d of %d samples", name, rule, k, samples)
			}
		}
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
					weighted, err := mechanism.New(2, []mechanism.Row{mechanism.WeightedRow([]uint16{0, 1}, []int64{3, 1}), mechanism.UniformRow([]uint16{1})})
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

// A design at SetTarget or BallTarget keeps the target in the population, and
// a design a little above does not.
func TestTargets(t *testing.T) {
	const n, delta = 10_000, 1e-6
	target := big.NewRat(4, 1)
	f, ok := SetTarget(target, n, 381, delta)
	if !ok {
		t.Fatal("no set suffices")
	}
	need := new(big.Rat).Quo(big.NewRat(n, 1), f).Num().Int64()
	if at, below := AtLeast(need, n, delta/381), AtLeast(need-1, n, delta/381); !(at >= .25 && below < .25*(1+1e-9)) {
		t.Errorf("%d records bound by %v, one fewer by %v", need, at, below)
	}
	if _, ok := SetTarget(big.NewRat(101, 100), 10, 381, delta); ok {
		t.Error("ten records suffice for a factor of 1.01")
	}
	radius := Radius(20, n, delta)
	b, ok := BallTarget(target, radius)
	if v, _ := b.Float64(); !ok || !(math.Abs(1/v-.25-radius/2) <= 1e-9) {
		t.Errorf("factor %v", b)
	}
	if _, ok := BallTarget(target, 1.6); ok {
		t.Error("a ball of radius 1.6 leaves room for a factor of 4")
	}
}

// TestLettersCover enumerates every sample of three letters: the bound fails
// with probability at most delta under laws on a grid, for a mechanism with
// zeros and for one without.
func TestLettersCover(t *testing.T) {
	const n, delta = 14, .1
	rows := func(w ...[]int64) *mechanism.Mechanism {
		var r []mechanism.Row
		for _, v := range w {
			var y []uint16
			var k []int64
			for i, c := range v {
				if c > 0 {
					y, k = append(y, uint16(i)), append(k, c)
				}
			}
			r = append(r, mechanism.WeightedRow(y, k))
		}
		m, err := mechanism.New(3, r)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	factorial := func(k int) float64 { v, _ := math.Lgamma(float64(k) + 1); return v }
	for name, m := range map[string]*mechanism.Mechanism{
		"zeros": rows([]int64{3, 1, 0}, []int64{0, 1, 1}, []int64{1, 0, 2}), "none": rows([]int64{2, 1, 1}, []int64{1, 2, 1}, []int64{1, 1, 3}),
	} {
		for i := 1; i < 12; i++ {
			for j := 1; i+j < 12; j++ {
				law := []float64{float64(i) / 12, float64(j) / 12, float64(12-i-j) / 12}
				miss := map[string]float64{}
				for a := range n + 1 {
					for b := range n + 1 - a {
						c := n - a - b
						p := counted(t, int64(a), int64(b), int64(c))
						chance := math.Exp(factorial(n) - factorial(a) - factorial(b) - factorial(c) + float64(a)*math.Log(law[0]) + float64(b)*math.Log(law[1]) + float64(c)*math.Log(law[2]))
						truth := under(m, law, 1)
						for _, q := range []Population{Letters(m, p, 3, delta), Ball(m, p, Radius(3, n, delta), delta), Split(m, p, delta)} {
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
