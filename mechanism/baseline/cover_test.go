package baseline

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/mechtest/given"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"
)

func mustCover(t *testing.T, p mechanism.Prior, s *mechanism.Support) Cover {
	t.Helper()
	c, err := CoverBound(p, s)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Verify(p, s); err != nil {
		t.Fatal(err)
	}
	if c.Lower.Cmp(c.Upper) > 0 || c.Lower.Cmp(one) < 0 {
		t.Fatalf("lower %v, upper %v", c.Lower, c.Upper)
	}
	return c
}

func randomSupport(rng *rand.Rand, n, m int, share float64) *mechanism.Support {
	s := mechanism.NewSupport(n, m)
	for x := range n {
		s.Allow(x, rng.IntN(m))
		for y := range m {
			if rng.Float64() < share {
				s.Allow(x, y)
			}
		}
	}
	return s
}

func equalPrior(t *testing.T, n int) mechanism.Prior {
	count := make([]int64, n)
	for x := range count {
		count[x] = 1
	}
	return given.Prior(t, count...)
}

// The cover number by gonum's simplex method, as an independent program.
func simplexCover(t *testing.T, s *mechanism.Support) float64 {
	t.Helper()
	n := s.Inputs()
	var used []int // simplex refuses empty columns
	for y, mass := range s.Mass(equalPrior(t, n)) {
		if mass > 0 {
			used = append(used, y)
		}
	}
	m := len(used)
	c := make([]float64, m+n)
	a, b := mat.NewDense(n, m+n, nil), make([]float64, n)
	for j := range used {
		c[j] = 1
	}
	for x := range n {
		b[x] = 1
		a.Set(x, m+x, -1)
		for j, y := range used {
			if s.Allowed(x, y) {
				a.Set(x, j, 1)
			}
		}
	}
	v, _, err := lp.Simplex(c, a, b, 1e-10, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestCoverAgainstSimplex(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 1))
	exact, all := 0, 0
	for range 300 {
		n, m := 1+rng.IntN(8), 1+rng.IntN(8)
		s := randomSupport(rng, n, m, .1+.6*rng.Float64())
		c := mustCover(t, equalPrior(t, n), s)
		want := simplexCover(t, s)
		lo, _ := c.Lower.Float64()
		hi, _ := c.Upper.Float64()
		if !(math.Abs(lo-want) <= 1e-8*want && math.Abs(hi-want) <= 1e-8*want) {
			t.Fatalf("%d x %d: %v .. %v, simplex %v", n, m, lo, hi, want)
		}
		if want > 1+1e-9 {
			all++
			if c.Lower.Cmp(c.Upper) == 0 {
				exact++
			}
		}
	}
	if exact < all*9/10 {
		t.Errorf("only %d of %d brackets are closed", exact, all)
	}
}

// Under every prior the least factor is no less; under none of the stated
// instances either.
func TestCoverBelowEveryPrior(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 2))
	for range 60 {
		n := 2 + rng.IntN(6)
		s := randomSupport(rng, n, 2+rng.IntN(6), .4)
		for range 3 {
			count := make([]int64, n)
			for x := range count {
				count[x] = 1 + rng.Int64N(1+1<<rng.IntN(20))
			}
			p := given.Prior(t, count...)
			_, least, err := optimum.Least(context.Background(), p, s, optimum.LeastOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if c := mustCover(t, p, s); c.Lower.Cmp(least.Upper) > 0 {
				t.Fatalf("counts %v: cover %v, least factor %v", count, c.Lower, least.Upper)
			}
		}
	}
	for _, i := range given.Instances(t) {
		if i.Support().Empty() >= 0 {
			continue
		}
		c := mustCover(t, given.Prior(t, i.Counts...), i.Support())
		high := new(big.Rat).Mul(given.Ratio(t, i.High), big.NewRat(1e9+1, 1e9))
		if c.Lower.Cmp(high) > 0 {
			t.Errorf("%s: cover %v above the least factor %v", i.Name, c.Lower, i.High)
		}
		if g, _ := new(big.Rat).Quo(c.Upper, c.Lower).Float64(); !(g-1 <= 1e-9) {
			t.Errorf("%s: %v .. %v", i.Name, c.Lower, c.Upper)
		}
	}
}

// A circulant of m ones needs n/m; letters without records do not count.
func TestCoverExact(t *testing.T) {
	for _, k := range [][2]int{{7, 3}, {10, 9}, {229, 50}, {229, 3}} {
		n, m := k[0], k[1]
		s := mechanism.NewSupport(n, n)
		for x := range n {
			for j := range m {
				s.Allow(x, (x+j)%n)
			}
		}
		c := mustCover(t, equalPrior(t, n), s)
		if want := big.NewRat(int64(n), int64(m)); c.Lower.Cmp(want) != 0 || c.Upper.Cmp(want) != 0 {
			t.Errorf("%d of %d: %v .. %v", m, n, c.Lower, c.Upper)
		}
	}
	s := mechanism.NewSupport(3, 3)
	for x := range 3 {
		s.Allow(x, x)
	}
	if c := mustCover(t, given.Prior(t, 5, 0, 2), s); c.Lower.Cmp(big.NewRat(2, 1)) != 0 || c.Upper.Cmp(c.Lower) != 0 {
		t.Errorf("two letters with records: %v .. %v", c.Lower, c.Upper)
	}
	if c := mustCover(t, given.Prior(t, 0, 0, 0), s); c.Lower.Cmp(one) != 0 {
		t.Errorf("no records: %v", c.Lower)
	}
	var none *mechanism.NoOutputError
	if _, err := CoverBound(given.Prior(t, 1, 1), mechanism.NewSupport(2, 2)); !errors.As(err, &none) {
		t.Errorf("no output: error %v", err)
	}
}

func TestCoverRefusesFaults(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 3))
	p := equalPrior(t, 8)
	for range 50 {
		s := randomSupport(rng, 8, 8, .3)
		c := mustCover(t, p, s)
		if c.Weight == nil {
			continue
		}
		c.Lower = new(big.Rat).Mul(c.Lower, big.NewRat(1e12+1, 1e12))
		if c.Verify(p, s) == nil {
			t.Fatal("a bound beyond its weights was accepted")
		}
	}
}

// The size that is promised, with points in the plane.
func BenchmarkCover229(b *testing.B) {
	rng := rand.New(rand.NewPCG(51, 4))
	s := randomSupport(rng, 229, 229, .2)
	count := make([]int64, 229)
	for x := range count {
		count[x] = 1
	}
	p, _ := mechanism.NewPrior(count)
	for b.Loop() {
		if _, err := CoverBound(p, s); err != nil {
			b.Fatal(err)
		}
	}
}
