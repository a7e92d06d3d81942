package design

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/mechtest"
)

// exactFactor is the largest factor under a prior, from the definition: the
// largest p_xy over sum_k P_k p_ky, over the letters with records.
func exactFactor(m *mechanism.Mechanism, p mechanism.Prior) *big.Rat {
	most := big.NewRat(1, 1)
	for y := range m.Outputs() {
		law, top := new(big.Rat), new(big.Rat)
		for x := range m.Inputs() {
			if p.Count(x) == 0 {
				continue
			}
			r := m.Row(x)
			for i, z := range r.Output {
				if int(z) == y {
					v := big.NewRat(r.At(i), r.Total)
					if v.Cmp(top) > 0 {
						top = v
					}
					law.Add(law, new(big.Rat).Mul(v, p.Probability(x)))
				}
			}
		}
		if law.Sign() > 0 {
			if f := top.Quo(top, law); f.Cmp(most) > 0 {
				most = f
			}
		}
	}
	return most
}

// fits reports whether a linear program finds a mechanism of the support within
// f under all priors, give or take 1e-7.
func fits(s *mechanism.Support, prior []mechanism.Prior, f float64) bool {
	n, m := s.Inputs(), s.Outputs()
	var cost []float64
	place := map[[2]int]int{}
	for x := range n {
		for y := range m {
			if s.Allowed(x, y) {
				place[[2]int{x, y}] = len(cost)
				cost = append(cost, -1)
			}
		}
	}
	var rows [][]float64
	var b []float64
	for x := range n {
		row := make([]float64, len(cost))
		for y := range m {
			if at, ok := place[[2]int{x, y}]; ok {
				row[at] = 1
			}
		}
		rows, b = append(rows, row), append(b, 1)
		for y := range m {
			at, ok := place[[2]int{x, y}]
			for _, p := range prior {
				if !ok || p.Count(x) == 0 {
					continue
				}
				row := make([]float64, len(cost))
				for k := range n {
					if z, ok := place[[2]int{k, y}]; ok {
						row[z] -= f * float64(p.Count(k)) / float64(p.Total())
					}
				}
				row[at]++
				rows, b = append(rows, row), append(b, 0)
			}
		}
	}
	return mechtest.Simplex(rows, b, cost) >= float64(n)-1e-7
}

// Under several priors every design keeps epsilon under each of them, by the
// definition; the floor is mostly the best that a linear program can reach, where the
// optimum is looked for; and the factors that are named fit.
func TestSeveralPriors(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 14))
	refused, reached, searched, missed := 0, 0, 0, 0
	for trial := range 240 {
		n := 2 + r.IntN(4)
		prior := make([]mechanism.Prior, 2+trial%2)
		for k := range prior {
			count := make([]int64, n)
			for x := range count {
				if count[x] = 1 + r.Int64N(12)*r.Int64N(12); k > 0 && r.IntN(6) == 0 {
					count[x] = 0
				}
			}
			prior[k] = mechtest.Prior(t, count...)
		}
		value := make([][]float64, n)
		for x := range value {
			for y := range n {
				v := float64(r.IntN(7))
				if trial%5 == 1 && x != y && v == 0 {
					v = math.Inf(-1)
				}
				value[x] = append(value[x], v)
			}
			value[x][x] = 7
		}
		o := mechtest.Matrix(t, value)
		kind := []string{"safe", "optimal", "auto"}[trial%3]
		g := Goal{Epsilon: mechtest.Epsilon(t, fmt.Sprintf("%.2f", 2*r.Float64())), Kind: kind, ByValue: trial%8 > 3,
			Also: prior[1:]}
		if trial%3 == 0 {
			f := mechanism.RankFloor(1 + r.IntN(n))
			if g.ByValue {
				f = mechanism.ValueFloor(float64(r.IntN(8)))
			}
			g.Floor = &f
		}
		check := func(m *mechanism.Mechanism, e Evidence) {
			t.Helper()
			most := big.NewRat(1, 1)
			for k, p := range prior {
				f := exactFactor(m, p)
				if !g.Epsilon.Admits(f) {
					t.Fatalf("trial %d: %s has factor %v under prior %d, epsilon is %v", trial, kind, f, k, g.Epsilon)
				}
				if f.Cmp(most) > 0 {
					most = f
				}
			}
			if e.Factor.Cmp(most) != 0 || len(e.Also) != len(prior)-1 || e.Lower.Cmp(e.Upper) > 0 ||
				e.Upper.Cmp(e.Factor) > 0 {
				t.Fatalf("trial %d: factor %v, evidence %v in %v .. %v", trial, most, e.Factor, e.Lower, e.Upper)
			}
			low, _ := e.Lower.Float64()
			if s := mechanism.SupportOf(o, e.Floor); low > 1 && fits(s, prior, low*(1-1e-5)) && !fits(s, prior, 1) {
				t.Fatalf("trial %d: lower bound %v, and a linear program goes below", trial, e.Lower)
			}
		}
		m, e, err := Make(context.Background(), prior[0], o, g)
		var far *UnreachableError
		var none *mechanism.NoOutputError
		switch {
		case errors.As(err, &none):
		case errors.As(err, &far):
			refused++
			if far.Least == nil {
				continue
			}
			least, _ := far.Least.Float64()
			s := mechanism.SupportOf(o, far.AtFloor)
			if !fits(s, prior, least*(1+1e-9)) {
				t.Fatalf("trial %d: %v is said to fit at %v, and no linear program finds it", trial, far.Least,
					far.AtFloor)
			}
			g.Epsilon, g.Floor = mechanism.LogOf(far.Least), &far.AtFloor
			if m, e, err = Make(context.Background(), prior[0], o, g); err != nil {
				t.Fatalf("trial %d: %v is said to fit: %v", trial, far.Least, err)
			}
			check(m, e)
		case err != nil:
			t.Fatal(err)
		default:
			reached++
			check(m, e)
			if e.Next == nil {
				continue
			}
			if f, _ := e.Next.Factor.Float64(); !fits(mechanism.SupportOf(o, e.Next.Floor), prior, f*(1+1e-9)) {
				t.Fatalf("trial %d: %v is said to fit at %v, and no linear program finds it", trial, e.Next.Factor,
					e.Next.Floor)
			}
			if f, _ := g.Epsilon.Factor().Float64(); kind == "optimal" || kind == "auto" {
				searched++
				if fits(mechanism.SupportOf(o, e.Next.Floor), prior, f*(1-1e-5)) {
					missed++
				}
			}
		}
	}
	if missed > searched/5 {
		t.Errorf("a better floor is within epsilon in %d of %d trials", missed, searched)
	}
	if refused < 20 || reached < 100 {
		t.Errorf("%d refused, %d reached", refused, reached)
	}
}
