package optimum

import (
	"context"
	"math/big"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

// randomInstance draws a small support and prior of one of several kinds:
// tiny letters, ties, equal rows and columns, letters without records.
func randomInstance(r *rand.Rand) (mechanism.Prior, *mechanism.Support) {
	n, m := 1+r.IntN(8), 1+r.IntN(8)
	count := make([]int64, n)
	kind := r.IntN(5)
	for x := range count {
		switch kind {
		case 0:
			count[x] = 1
		case 1:
			count[x] = 1 + r.Int64N(20)
		case 2:
			count[x] = 1 + r.Int64N(1_000_000)
		case 3:
			count[x] = 1 + r.Int64N(2)*r.Int64N(1_000_000_000_000)
		case 4:
			count[x] = r.Int64N(4)
		}
	}
	count[r.IntN(n)]++
	s := mechanism.NewSupport(n, m)
	density := 0.15 + 0.7*r.Float64()
	for x := range n {
		if x > 0 && r.IntN(5) == 0 {
			for _, y := range s.AppendRow(nil, r.IntN(x)) {
				s.Allow(x, int(y))
			}
			continue
		}
		for y := range m {
			if y > 0 && r.IntN(6) == 0 {
				if s.Allowed(x, y-1) {
					s.Allow(x, y)
				}
			} else if r.Float64() < density {
				s.Allow(x, y)
			}
		}
		s.Allow(x, r.IntN(m))
	}
	p, err := mechanism.NewPrior(count)
	if err != nil {
		panic(err)
	}
	return p, s
}

// torture is how many random instances a test takes.
func torture(usual, long int) int {
	if os.Getenv("TACET_TORTURE") == "1" {
		return long
	}
	return usual
}

// slowFactor is max_xy p_xy/q_y by fractions alone, from the definition.
func slowFactor(p mechanism.Prior, m *mechanism.Mechanism) *big.Rat {
	cell := make([][]*big.Rat, m.Inputs())
	for x := range cell {
		cell[x] = make([]*big.Rat, m.Outputs())
		r := m.Row(x)
		for i, y := range r.Output {
			cell[x][y] = big.NewRat(r.At(i), r.Total)
		}
	}
	most := big.NewRat(1, 1)
	for y := range m.Outputs() {
		q := new(big.Rat)
		for x := range cell {
			if cell[x][y] != nil {
				q.Add(q, new(big.Rat).Mul(cell[x][y], p.Probability(x)))
			}
		}
		for x := range cell {
			if p.Count(x) == 0 || cell[x][y] == nil {
				continue
			}
			if v := new(big.Rat).Quo(cell[x][y], q); v.Cmp(most) > 0 {
				most = v
			}
		}
	}
	return most
}

// slowImpossible reports that weights prove factor T impossible for every
// T' < T, straight from the definition: for each output the largest W.v at T
// is min_mu [mu + T sum (W_x - mu P_x)_+] over the breakpoints mu = W_x/P_x.
// It must be at most sum W; where it is equal it must be smaller for every
// T' < T: because some W_x/P_x is above sum W, or because those equal to it
// have probability at most 1/T.
func slowImpossible(p mechanism.Prior, s *mechanism.Support, weight []int64, factor *big.Rat) bool {
	sum := new(big.Rat)
	for _, w := range weight {
		sum.Add(sum, new(big.Rat).SetInt64(w))
	}
	for y := range s.Outputs() {
		mass := new(big.Rat)
		var in []int
		for x := range s.Inputs() {
			if s.Allowed(x, y) && p.Count(x) > 0 {
				in = append(in, x)
				mass.Add(mass, p.Probability(x))
			}
		}
		if len(in) == 0 || mass.Mul(mass, factor).Cmp(one) <= 0 {
			continue
		}
		var best *big.Rat
		steep, top := false, new(big.Rat)
		for _, f := range in {
			mu := new(big.Rat).Quo(new(big.Rat).SetInt64(weight[f]), p.Probability(f))
			switch mu.Cmp(sum) {
			case 1:
				steep = true
			case 0:
				top.Add(top, p.Probability(f))
			}
			v := new(big.Rat)
			for _, x := range in {
				d := new(big.Rat).Mul(mu, p.Probability(x))
				d.Sub(new(big.Rat).SetInt64(weight[x]), d)
				if d.Sign() > 0 {
					v.Add(v, d)
				}
			}
			v.Mul(v, factor).Add(v, mu)
			if best == nil || v.Cmp(best) < 0 {
				best = v
			}
		}
		if c := best.Cmp(sum); c > 0 || c == 0 && !steep && top.Mul(top, factor).Cmp(one) > 0 {
			return false
		}
	}
	return true
}

// TestLeastRandom: on random small instances the bracket is proven by a slow
// independent path, closed to 1e-9, and not above the row-uniform factor.
func TestLeastRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	wide, n := 0, torture(3000, 100_000)
	for k := range n {
		p, s := randomInstance(r)
		m, c, err := Least(context.Background(), p, s, LeastOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if c.Lower.Cmp(c.Upper) > 0 {
			t.Fatalf("instance %d: lower %s above upper %s", k, c.Lower.RatString(), c.Upper.RatString())
		}
		if f := slowFactor(p, m); f.Cmp(c.Upper) != 0 {
			t.Fatalf("instance %d: factor %s, reported %s", k, f.RatString(), c.Upper.RatString())
		}
		if c.Weight != nil && !slowImpossible(p, s, c.Weight, c.Lower) || c.Weight == nil && c.Lower.Cmp(one) != 0 {
			t.Fatalf("instance %d: lower bound %s is not proven", k, c.Lower.RatString())
		}
		plain, err := mechanism.Uniform(s, mechanism.Floor{})
		if err != nil {
			t.Fatal(err)
		}
		if c.Upper.Cmp(slowFactor(p, plain)) > 0 {
			t.Fatalf("instance %d: %s is above the row-uniform factor", k, c.Upper.RatString())
		}
		checkBracket(t, "random", p, s, m, c)
		if g, _ := new(big.Rat).Quo(c.Upper, c.Lower).Float64(); !(g-1 <= 1e-9) {
			wide++
			t.Logf("instance %d: bracket %s .. %s", k, c.Lower.FloatString(12), c.Upper.FloatString(12))
		}
	}
	// Letters of probability 1e-12 leave about one in 3000 open.
	if wide > n/1000 {
		t.Errorf("%d of %d brackets are wider than 1e-9", wide, n)
	}
}

// TestOptimalRandom: at factors between the least and the largest, the
// mechanism is exactly within and the bound close to it.
func TestOptimalRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	wide, n := 0, torture(2000, 40_000)
	for k := range n {
		p, s := randomInstance(r)
		table := make([][]float64, s.Inputs())
		for x := range table {
			table[x] = make([]float64, s.Outputs())
			for y := range table[x] {
				table[x][y] = float64(r.IntN(100)) - 50
				if k%2 == 0 {
					table[x][y] = r.NormFloat64()
				}
			}
		}
		w := func(x int, row []float64) { copy(row, table[x]) }
		least, c, err := Least(context.Background(), p, s, LeastOptions{})
		if err != nil {
			t.Fatal(err)
		}
		f := new(big.Rat).SetFloat64(1 + r.Float64()*r.Float64())
		f.Mul(f, c.Upper)
		if k%7 == 0 { // a jump: some output becomes possible exactly there
			mass := s.Mass(p)
			if y := r.IntN(len(mass)); mass[y] > 0 {
				if at := big.NewRat(p.Total(), mass[y]); at.Cmp(c.Upper) >= 0 {
					f = at
				}
			}
		}
		m, v, err := Largest(context.Background(), p, s, f, w, LargestOptions{Near: least})
		if err != nil {
			t.Fatalf("instance %d: %v", k, err)
		}
		checkWorth(t, "random", p, s, f, w, m, v)
		if slow := slowFactor(p, m); slow.Cmp(f) > 0 {
			t.Fatalf("instance %d: factor %s above %s", k, slow.RatString(), f.RatString())
		}
		d, _ := new(big.Rat).Sub(v.Upper, v.Value).Float64()
		if scale := 100.0; !(d <= 1e-6*scale) {
			wide++
			if wide < 20 {
				g, _ := new(big.Rat).Quo(f, c.Upper).Float64()
				t.Logf("instance %d: gap %.3g at %.9f of the least factor", k, d, g)
			}
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d of %d utilities not within 1e-6", wide, n)
	if wide > n/100 {
		t.Errorf("%d utilities are not within 1e-6 of their bound", wide)
	}
}

// TestCertificateRefuses plants faults: a raised lower bound, a perturbed
// weight, a weight on a letter without records are all refused.
func TestCertificateRefuses(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	tried, better := 0, 0
	for range torture(500, 5000) {
		p, s := randomInstance(r)
		_, c, err := Least(context.Background(), p, s, LeastOptions{})
		if err != nil {
			t.Fatal(err)
		}
		raised := c
		raised.Lower = new(big.Rat).Mul(c.Upper, big.NewRat(1_000_001, 1_000_000))
		if err := raised.Verify(p, s); err == nil || !strings.Contains(err.Error(), "not proven") {
			t.Fatalf("a raised bound was accepted: %v", err)
		}
		if c.Weight == nil || c.Lower.Cmp(c.Upper) != 0 {
			continue
		}
		x := r.IntN(len(c.Weight))
		faulty := c
		faulty.Weight = append([]int64(nil), c.Weight...)
		faulty.Weight[x] += 1 + faulty.Weight[x]/3
		tried++
		if faulty.Verify(p, s) == nil {
			// Other weights may prove the same: then they really must.
			better++
			if p.Count(x) == 0 || !slowImpossible(p, s, faulty.Weight, c.Lower) {
				t.Fatalf("perturbed weights accepted without proof")
			}
		}
		faulty.Weight[x] = -1
		if faulty.Verify(p, s) == nil {
			t.Fatal("a negative weight was accepted")
		}
	}
	if tried < 50 || better == tried {
		t.Errorf("%d perturbed certificates, %d of them still good", tried, better)
	}
}
