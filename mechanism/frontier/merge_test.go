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

// What is said of deciding letters, and of the merger of a letter into one of no fewer records, is
// what they come to: random small tables, at every floor.
func TestAdviseAgainstMerged(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 14))
	helped, several := 0, 0
	for range 60 {
		n := 2 + rng.IntN(4)
		value, count := make([][]float64, n), make([]int64, n)
		for x := range value {
			for y := range n {
				v := -float64(min((x-y+n)%n, (y-x+n)%n)) // circular
				if n%2 == 0 {
					v = float64(rng.IntN(4))
				}
				value[x] = append(value[x], v)
			}
			count[x] = int64(rng.IntN(4)) * int64(1+rng.IntN(30))
		}
		count[0]++
		p, o := mechtest.Prior(count...), mechtest.Matrix(value)
		for rank := 1; rank <= n; rank++ {
			f := mechanism.RankFloor(rank)
			a, err := Advise(context.Background(), p, o, f, nil, optimum.Options{})
			must(t, err)
			if a.Letter < 0 {
				continue
			}
			lower, _ := a.Lower.Float64()
			checkDeciders(t, a, p, o, rank, lower)
			if len(a.Deciders) > 1 {
				several++
			}
			m := a.Merge
			if m == nil {
				continue
			}
			_, c, err := optimum.Least(context.Background(), moved(p, *m), mechanism.SupportOf(o, f), optimum.Options{})
			must(t, err)
			if !mechtest.Close(c.Upper, m.Upper) || count[m.Letter] > count[m.Into] {
				t.Errorf("%v rank %d: %d counted as %d gives %v, computed %v", count, rank, m.Letter, m.Into, m.Upper, c.Upper)
			}
			if m.Helps(a.Lower) {
				helped++
			}
		}
	}
	if helped < 25 || several < 3 {
		t.Errorf("%d helped, %d several deciders", helped, several)
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
