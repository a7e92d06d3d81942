package frontier

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/mechtest"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// What is said of deciding letters and of mergers is what trying all of a letter into one
// of no fewer records gives: 120 random small tables, at every floor.
func TestAdviseAgainstAllMergers(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 14))
	helped, none, several := 0, 0, 0
	for range 120 {
		n := 2 + rng.IntN(4)
		value, count := make([][]float64, n), make([]int64, n)
		for x := range value {
			value[x] = make([]float64, n)
			for y := range value[x] {
				value[x][y] = -float64(min((x-y+n)%n, (y-x+n)%n)) // circular
				if n%2 == 0 {
					value[x][y] = float64(rng.IntN(4))
				}
			}
			count[x] = int64(rng.IntN(4)) * int64(1+rng.IntN(30))
		}
		count[0]++
		p, o := mechtest.Prior(t, count...), mechtest.Matrix(t, value)
		for rank := 1; rank <= n; rank++ {
			a, err := Advise(context.Background(), p, o, mechanism.RankFloor(rank), optimum.LeastOptions{})
			must(t, err)
			if a.Letter < 0 {
				continue
			}
			s := mechanism.SupportOf(o, mechanism.RankFloor(rank))
			lower, _ := a.Lower.Float64()
			checkDeciders(t, a, p, o, rank, lower)
			if len(a.Deciders) > 1 {
				several++
			}
			best := math.Inf(1)
			for x := range n {
				for z := range n {
					if x == z || count[x] == 0 || count[z] < count[x] {
						continue
					}
					_, c, err := optimum.Least(context.Background(), moved(p, Merger{Letter: x, Into: z}), s,
						optimum.LeastOptions{})
					must(t, err)
					f, _ := c.Upper.Float64()
					best = min(best, f)
					if m := a.Merge; m != nil && m.Letter == x && m.Into == z && !mechtest.Close(c.Upper, m.Upper) {
						t.Errorf("%v rank %d: %d counted as %d gives %v, computed %v", count, rank, x, z, m.Upper, c.Upper)
					}
				}
			}
			switch m := a.Merge; {
			case m != nil && count[m.Letter] > count[m.Into]:
				t.Errorf("%v rank %d: %d is merged into the rarer %d", count, rank, m.Letter, m.Into)
			case m == nil:
				if !math.IsInf(best, 1) {
					t.Errorf("%v rank %d: no merger of %v", count, rank, best)
				}
			case m.Helps(a.Lower):
				helped++
				if got, _ := m.Upper.Float64(); a.Whole && !(got <= best*(1+1e-6)) {
					t.Errorf("%v rank %d: the best merger gives %v, not %v", count, rank, best, got)
				}
			default:
				none++
				if !a.Whole || !(best >= lower*(1-2e-6)) {
					t.Errorf("%v rank %d: no merger helps (all: %v), and one gives %v instead of %v", count, rank, a.Whole, best,
						lower)
				}
			}
		}
	}
	if helped < 50 || none < 3 || several < 5 {
		t.Errorf("%d helped, %d had none, %d several deciders", helped, none, several)
	}
}

// checkDeciders computes for every letter what it alone costs.
func checkDeciders(t *testing.T, a Advice, p mechanism.Prior, o mechanism.Order, rank int, lower float64) {
	t.Helper()
	n := o.Inputs()
	ranks := make([][]uint16, n)
	for x := range ranks {
		ranks[x] = make([]uint16, o.Outputs())
		o.Row(x, ranks[x], nil)
	}
	for x := range n {
		least := int64(0)
		for y := range o.Outputs() {
			if int(ranks[x][y]) < rank {
				continue
			}
			mass := int64(0)
			for z := range n {
				if int(ranks[z][y]) >= rank {
					mass += p.Count(z)
				}
			}
			least = max(least, mass)
		}
		alone := p.Count(x) > 0 && math.Abs(float64(p.Total())/float64(least)-lower) <= 1e-9*lower
		if alone != slices.Contains(a.Deciders, x) {
			t.Errorf("%v rank %d: letter %d decides alone: %v, said %v", p.Counts(), rank, x, alone, a.Deciders)
		}
	}
}
