package mechanism

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// Floats against the exact posteriors, the letters that some output confirms against the
// fractions that are 1, and the orders that hold for every mechanism.
func TestBeliefsAgainstFractions(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	confirmed := 0
	for range 300 {
		n, m := 1+rng.IntN(6), 1+rng.IntN(6)
		p, k := randomPrior(t, rng, n, 1_000_000), randomMechanism(t, rng, n, m, 1<<40)
		l := k.Leakage(p)
		at, factor := l.Max()
		if info := k.MutualInformation(p); !(info <= Nats(factor)+1e-12) {
			t.Errorf("information %v, epsilon %v", info, Nats(factor))
		}
		got := k.Beliefs(p)
		if p.Total() == 0 {
			if got != nil || Cap(p, factor) != nil {
				t.Error("beliefs without records")
			}
			continue
		}
		f, _ := factor.Float64()
		if before, after := k.BayesVulnerability(p); !(after <= before*f*(1+1e-12)) || !(before <= after*(1+1e-12)) {
			t.Errorf("vulnerability %v then %v, factor %v", before, after, f)
		}
		limit := Cap(p, factor)
		for x, b := range got {
			exact := k.largestPosterior(p, x)
			if b.Certain != (exact.Cmp(one) == 0) {
				t.Errorf("letter %d: certain is %v, the posterior %v", x, b.Certain, exact)
			}
			if b.Certain {
				confirmed++
			}
			want, _ := exact.Float64()
			if !(b.Most >= want*(1-1e-16) && b.Most <= want*(1+1e-14)) || exact.Cmp(limit[x]) > 0 {
				t.Errorf("letter %d: %v, exactly %v, at most %v", x, b.Most, want, limit[x])
			}
		}
		x, y := k.WorstGuess(p, l)
		if y != at {
			t.Errorf("the worst output is %d, want %d", y, at)
		}
		near(t, "lift of the worst guess", k.chance(x, y)/k.OutputLaw(p)[y], f) // P(x|y) / P(x) is p_xy / q_y
	}
	if confirmed == 0 {
		t.Error("no letter was ever confirmed")
	}
}

// chance is p(y|x).
func (m *Mechanism) chance(x, y int) float64 {
	v, _ := m.exactly(x, y).Float64()
	return v
}

func (m *Mechanism) exactly(x, y int) *big.Rat {
	r := m.Row(x)
	for i, z := range r.Output {
		if int(z) == y {
			return big.NewRat(r.At(i), r.Total)
		}
	}
	return new(big.Rat)
}

// largestPosterior is max_y P_x p_xy / q_y, from the definition.
func (m *Mechanism) largestPosterior(p Prior, x int) *big.Rat {
	most := new(big.Rat)
	for y := range m.outputs {
		q, own := new(big.Rat), new(big.Rat)
		for k := range m.row {
			v := m.exactly(k, y)
			if q.Add(q, v.Mul(v, big.NewRat(p.Count(k), 1))); k == x {
				own = v
			}
		}
		if q.Sign() > 0 {
			if v := own.Quo(own, q); v.Cmp(most) > 0 {
				most = v
			}
		}
	}
	return most
}

func TestFactorUpIsNeverBelow(t *testing.T) {
	for _, s := range []string{"0", "0.85", "1e-30", "4", "log(7/3)", "log(1.1)", "700"} {
		e, err := ParseEpsilon(s)
		must(t, err)
		up := e.FactorUp()
		if e.Admits(new(big.Rat).SetFloat64(math.Nextafter(up, math.Inf(1)))) ||
			!(up >= math.Exp(e.Nats())*(1-1e-13)) || !(up <= math.Exp(e.Nats())*(1+1e-12)) {
			t.Errorf("e^%s is %v", s, up)
		}
		if f := new(big.Rat).SetFloat64(up); e.Exact() && f.Cmp(e.Factor()) < 0 {
			t.Errorf("e^%s is rounded down", s)
		}
	}
	e, _ := ParseEpsilon("9999")
	if !math.IsInf(e.FactorUp(), 1) {
		t.Error("e^9999 is a float")
	}
}
