package estimate

import (
	"math"
	"math/big"
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
	if h := mechanism.RankFloor(11); sets != 381 || DistinctSets(o, true, nil) != 381 ||
		DistinctSets(o, false, &h) != 20 {
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
		want := map[float64][3]float64{1e3: {1.6820, 2.6830, 2.1092}, 1e4: {1.6825, 1.9058, 1.8087},
			1e5: {1.6826, 1.7480, 1.7216}}[c.n]
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
		mechanism.UniformRow([]uint16{0}), mechanism.WeightedRow([]uint16{0, 1}, []int64{1, 9}),
		mechanism.UniformRow([]uint16{1})})
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
