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

// Under several priors every design keeps epsilon under each of them, and the factors that
// are named fit.
func TestSeveralPriors(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 14))
	refused, reached := 0, 0
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
			prior[k] = mechtest.Prior(count...)
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
		o := mechtest.Matrix(value)
		kind := []string{"safe", "optimal", "auto"}[trial%3]
		g := Goal{Epsilon: mechtest.Epsilon(fmt.Sprintf("%.2f", 2*r.Float64())), Kind: kind, ByValue: trial%8 > 3,
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
				f := m.Factor(p)
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
		}
	}
	if refused < 20 || reached < 100 {
		t.Errorf("%d refused, %d reached", refused, reached)
	}
}
