package frontier

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/mechtest"
)

// The advice of a point is that of its floor.
func TestCurvesAdvise(t *testing.T) {
	p, o := mechtest.Plane(t, 25)
	curves := mustFrontiers(t, context.Background(), p, o, Options{})
	for i := range curves.Points {
		q := &curves.Points[i]
		a := curves.Advise(p, o, i)
		if (a.Letter < 0) != (q.Lower.Cmp(one) == 0) {
			t.Errorf("%v: letter %d at factor %v", q.Floor, a.Letter, q.Lower)
		}
		if a.Letter < 0 {
			continue
		}
		byWeight, sum, most := slices.Clone(q.Weight), 0., 0.
		slices.Sort(byWeight)
		slices.Reverse(byWeight)
		for i, w := range byWeight {
			if sum += float64(w); i < a.Carriers-1 {
				most += float64(w)
			}
		}
		if w := byWeight[0]; q.Weight[a.Letter] != w || !(math.Abs(a.Share-float64(w)/sum) <= 1e-15) ||
			most >= .9*sum || most+float64(byWeight[a.Carriers-1]) < .9*sum {
			t.Errorf("%v: %+v", q.Floor, a)
		}
	}
}

// Letters that decide alone are those that do by trying each: 120 random small tables, at every
// floor.
func TestDeciders(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 14))
	several := 0
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
			a, err := Advise(t.Context(), p, o, mechanism.RankFloor(rank))
			if err != nil {
				t.Fatal(err)
			}
			if a.Letter < 0 {
				continue
			}
			lower, _ := a.Lower.Float64()
			checkDeciders(t, a, p, o, rank, lower)
			if len(a.Deciders) > 1 {
				several++
			}
		}
	}
	if several < 5 {
		t.Errorf("%d had several deciders", several)
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
