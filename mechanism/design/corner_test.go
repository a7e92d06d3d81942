package design

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/mechtest"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// corner is a random prior, one in three with a letter without records, and a
// factor in its high-privacy corner.
func corner(t *testing.T, rng *rand.Rand) (mechanism.Prior, *big.Rat) {
	n := 2 + rng.IntN(5)
	count := make([]int64, n)
	for x := range count {
		count[x] = 1 + rng.Int64N(40)
	}
	if n > 2 && rng.IntN(3) == 0 {
		count[n-1] = 0
	}
	p := mechtest.Prior(t, count...)
	f := HighPrivacyLimit(p)
	f.Sub(f, oneOf).Mul(f, big.NewRat(rng.Int64N(11), 10))
	return p, f.Add(f, oneOf)
}

// localLevel is the largest |log p(y|x)/p(y|z)|, +Inf where one of them alone is 0.
func localLevel(m *mechanism.Mechanism) float64 {
	most := 0.0
	for y := range m.Outputs() {
		low, high := math.Inf(1), 0.0
		for x := range m.Inputs() {
			v, _ := chance(m, x, y).Float64()
			low, high = min(low, v), max(high, v)
		}
		if high > 0 {
			most = max(most, math.Log(high/low))
		}
	}
	return most
}

// chance is p(y|x).
func chance(m *mechanism.Mechanism, x, y int) *big.Rat {
	r := m.Row(x)
	for i, z := range r.Output {
		if int(z) == y {
			return big.NewRat(r.At(i), r.Total)
		}
	}
	return new(big.Rat)
}

// The closed form: integer rows, factor t at every output, the prior kept, and
// the local differential privacy that epsilon implies.
func TestHighPrivacyForm(t *testing.T) {
	rng := rand.New(rand.NewPCG(53, 1))
	for range 300 {
		p, f := corner(t, rng)
		m, err := HighPrivacy(p, f)
		if err != nil {
			t.Fatal(err)
		}
		law := make([]*big.Rat, p.Letters())
		for y := range law {
			law[y] = new(big.Rat)
		}
		for x := range p.Letters() {
			r := m.Row(x)
			for i, y := range r.Output {
				v := big.NewRat(r.At(i), r.Total)
				if int(y) != x && p.Count(x) > 0 && v.Cmp(new(big.Rat).Mul(f, p.Probability(int(y)))) != 0 {
					t.Fatalf("counts %v, factor %v: p(%d|%d) = %v", p.Counts(), f, y, x, v)
				}
				if p.Count(x) == 0 && v.Cmp(p.Probability(int(y))) != 0 {
					t.Fatalf("counts %v: p(%d|%d) = %v for a letter without records", p.Counts(), y, x, v)
				}
				law[y].Add(law[y], v.Mul(v, p.Probability(x)))
			}
		}
		for y, q := range law {
			if q.Cmp(p.Probability(y)) != 0 {
				t.Fatalf("counts %v, factor %v: P_Y(%d) = %v", p.Counts(), f, y, q)
			}
		}
		for y, l := range m.Leakage(p).Output {
			if p.Count(y) > 0 && l.Cmp(f) != 0 {
				t.Fatalf("counts %v: output %d leaks %v, want %v", p.Counts(), y, l, f)
			}
		}
		if x, _ := p.Least(); p.Count(p.Letters()-1) > 0 && f.Cmp(HighPrivacyLimit(p)) < 0 {
			if got, most := localLevel(m),
				ImpliedLocalLevel(p, mechanism.LogOf(f)); !(math.Abs(got-most) <= 1e-9*(1+most)) {
				t.Fatalf("counts %v, factor %v, least letter %d: local level %v, implied %v", p.Counts(), f, x, got,
					most)
			}
		}
	}
}

// The solver, which knows nothing of the closed form, finds no more utility:
// for weights that penalise what the output speaks against, and for any.
func TestHighPrivacyIsBest(t *testing.T) {
	rng := rand.New(rand.NewPCG(53, 2))
	for trial := range 120 {
		p, f := corner(t, rng)
		outputs := p.Letters()
		w := mechanism.Weights(func(x int, row []float64) {
			clear(row)
			for y := range row {
				switch c := p.Count(y); {
				case c == 0:
					row[y] = -1 // or it would be free
				case x == y:
					row[y] = -1 / float64(c)
				}
			}
		})
		made := HighPrivacy
		if trial%2 == 1 {
			outputs = 1 + rng.IntN(6)
			table := make([][]float64, p.Letters())
			for x := range table {
				for range outputs {
					table[x] = append(table[x], math.Floor(20*rng.Float64()))
				}
			}
			w = func(x int, row []float64) { copy(row, table[x]) }
			made = func(p mechanism.Prior, f *big.Rat) (*mechanism.Mechanism, error) {
				return HighPrivacyBest(p, outputs, f, w)
			}
		}
		m, err := made(p, f)
		if err != nil {
			t.Fatal(err)
		}
		if _, l := m.Leakage(p).Max(); l.Cmp(f) > 0 {
			t.Fatalf("counts %v: factor %v above %v", p.Counts(), l, f)
		}
		s := mechanism.NewSupport(p.Letters(), outputs)
		for x := range p.Letters() {
			for y := range outputs {
				s.Allow(x, y)
			}
		}
		_, worth, err := optimum.Largest(context.Background(), p, s, f, w, optimum.LargestOptions{})
		if err != nil {
			t.Fatal(err)
		}
		row, got, scale := make([]float64, outputs), 0.0, 1.0
		for x := range p.Letters() {
			w(x, row)
			r := m.Row(x)
			for i, y := range r.Output {
				got += float64(p.Count(x)) / float64(p.Total()) * float64(r.At(i)) / float64(r.Total) * row[y]
				scale = math.Max(scale, math.Abs(row[y]))
			}
		}
		found, _ := worth.Value.Float64()
		most, _ := worth.Upper.Float64()
		if !(found <= got+1e-9*scale) || !(got <= most+1e-9*scale) {
			t.Errorf("trial %d, counts %v, factor %v: %v, the solver has %v .. %v", trial, p.Counts(), f, got, found,
				most)
		}
	}
}

func TestHighPrivacyRange(t *testing.T) {
	p := mechtest.Prior(t, 1, 2, 4)
	for _, f := range []*big.Rat{big.NewRat(8, 7), big.NewRat(7, 6)} {
		_, err := HighPrivacy(p, f)
		if ok := f.Cmp(big.NewRat(7, 6)) <= 0; ok != (err == nil) {
			t.Errorf("factor %v: error %v", f, err)
		}
	}
	for _, f := range []*big.Rat{big.NewRat(7001, 6000), big.NewRat(99, 100)} {
		if _, err := HighPrivacy(p, f); err == nil {
			t.Errorf("factor %v was accepted", f)
		}
	}
	if _, err := HighPrivacy(p, new(big.Rat).SetFrac64(1<<62+1, 1<<62)); err == nil {
		t.Error("a row total beyond 2^62 was accepted")
	}
	for _, count := range [][]int64{{5}, {0, 5}, {0, 0}} {
		m, err := HighPrivacy(mechtest.Prior(t, count...), big.NewRat(100, 1))
		if err != nil {
			t.Fatalf("counts %v: %v", count, err)
		}
		if _, f := m.Leakage(mechtest.Prior(t, count...)).Max(); f.Cmp(oneOf) != 0 {
			t.Errorf("counts %v: factor %v", count, f)
		}
	}
	bad := func(x int, row []float64) { row[0] = math.Inf(-1) }
	if _, err := HighPrivacyBest(p, 2, oneOf, bad); err == nil {
		t.Error("an infinite weight was accepted")
	}
}

// ImpliedLocalLevel is the least level of local differential privacy, in
// nats, that every mechanism within epsilon has:
//
//	log(e^eps P_min / (1 - e^eps (1 - P_min)))    while eps < -log(1 - P_min)
//
// from p_xy <= e^eps ((1 - P_k) max_x p_xy + P_k p_ky), and +Inf from there
// on, where an output may be impossible for a letter. It is for letters with
// records. A mechanism of this level need not be within epsilon: that is
// LocalLevel, which is smaller.
func ImpliedLocalLevel(p mechanism.Prior, e mechanism.Epsilon) float64 {
	x, c := p.Least()
	if x < 0 || c == p.Total() {
		return 0
	}
	least := float64(c) / float64(p.Total())
	left := least - math.Expm1(e.Nats())*(1-least) // 1 - e^eps (1 - P_min)
	if !(left > 0) {
		return math.Inf(1)
	}
	return e.Nats() + math.Log(least) - math.Log(left)
}
