package mechanism

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// Floats against the exact posteriors, and the letters that some output
// confirms against the fractions that are 1.
func TestBeliefsAgainstFractions(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	confirmed := 0
	for range 300 {
		n, m := 1+rng.IntN(6), 1+rng.IntN(6)
		count, row := make([]int64, n), make([]Row, n)
		for x := range row {
			count[x] = rng.Int64N(4) * rng.Int64N(1_000_000)
			var out []uint16
			var weight []int64
			for y := range m {
				if rng.IntN(3) > 0 || y == m-1 && len(out) == 0 {
					out, weight = append(out, uint16(y)), append(weight, 1+rng.Int64N(1<<40))
				}
			}
			row[x] = WeightedRow(out, weight)
		}
		p := newPrior(t, count...)
		k, err := New(m, row)
		if err != nil {
			t.Fatal(err)
		}
		exact, got := k.largestPosterior(p), k.Beliefs(p)
		if p.Total() == 0 {
			if got != nil {
				t.Error("beliefs without records")
			}
			continue
		}
		for x, b := range got {
			if b.Certain != (exact[x].Cmp(one) == 0) {
				t.Errorf("letter %d: certain is %v, the posterior %v", x, b.Certain, exact[x])
			}
			if b.Certain {
				confirmed++
			}
			want, _ := exact[x].Float64()
			if !(b.Most >= want*(1-1e-16) && b.Most <= want*(1+1e-14)) {
				t.Errorf("letter %d: %v, exactly %v", x, b.Most, want)
			}
		}
		l := k.Leakage(p)
		x, y := k.WorstGuess(p, l)
		at, factor := l.Max()
		if y != at {
			t.Errorf("the worst output is %d, want %d", y, at)
		}
		// P(x|y) / P(x) is p_xy / q_y.
		weight := int64(0)
		for i, o := range k.Row(x).Output {
			if int(o) == y {
				weight = k.Row(x).At(i)
			}
		}
		lift := float64(weight) / float64(k.Row(x).Total) / k.OutputLaw(p)[y]
		want, _ := factor.Float64()
		near(t, "lift of the worst guess", lift, want)
	}
	if confirmed == 0 {
		t.Error("no letter was ever confirmed")
	}
}

func TestFactorUpIsNeverBelow(t *testing.T) {
	for _, s := range []string{"0", "0.85", "1e-30", "4", "log(7/3)", "log(1.1)", "700"} {
		e, err := ParseEpsilon(s)
		if err != nil {
			t.Fatal(err)
		}
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
