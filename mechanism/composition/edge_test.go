package composition

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

// A design for Target keeps to epsilon under every drift that headroom names.
func TestTargetCoversDrift(t *testing.T) {
	eps := mechanism.LogOf(big.NewRat(2, 1))
	tenth := big.NewRat(1, 10)
	target, err := Target(eps, tenth)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "the target", target.Factor(), 20, 11)
	if same, err := Target(eps, new(big.Rat)); err != nil || same.String() != eps.String() {
		t.Errorf("no headroom gives %v, %v", same, err)
	}
	for _, bad := range []*big.Rat{big.NewRat(-1, 10), big.NewRat(11, 10)} {
		if _, err := Target(eps, bad); err == nil {
			t.Errorf("headroom %v is accepted", bad)
		}
	}
	rng := rand.New(rand.NewPCG(25, 26))
	checked := 0
	for checked < 200 {
		n := 2 + rng.IntN(4)
		count := make([]int64, n)
		for x := range count {
			count[x] = 1000 + rng.Int64N(3000)
		}
		p, m := prior(t, count...), randomLaw(t, rng, n, 3)
		_, f := m.Leakage(p).Max()
		if !target.Admits(f) {
			continue
		}
		checked++
		for range 20 { // shares fall to no less than 10/11
			drift := make([]int64, n)
			for x := range drift {
				drift[x] = count[x] * 10
			}
			drift[rng.IntN(n)] += p.Total()
			if e := EdgeOf(m, prior(t, drift...), eps); !e.Holds || e.Room.Sign() < 0 {
				t.Fatalf("counts %v: %v", drift, e)
			}
		}
	}
}

// Moves against moving records one by one, in every way, on small counts.
func TestMovesToTheEdge(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 28))
	reached := 0
	for range 300 {
		count := []int64{rng.Int64N(6), rng.Int64N(6), 1 + rng.Int64N(6)}
		p, m := prior(t, count...), randomLaw(t, rng, 3, 3)
		eps := mechanism.LogOf(big.NewRat(5+rng.Int64N(20), 5))
		e := EdgeOf(m, p, eps)
		if !e.Holds {
			if e.Moves != 0 || e.Room.Sign() >= 0 {
				t.Fatalf("beyond the edge: %+v", e)
			}
			continue
		}
		least := p.Total()
		for a := int64(0); a <= p.Total(); a++ {
			for b := int64(0); a+b <= p.Total(); b++ {
				to := []int64{a, b, p.Total() - a - b}
				if _, f := m.Leakage(prior(t, to...)).Max(); eps.Admits(f) {
					continue
				}
				moves := int64(0)
				for x := range to {
					moves += max(0, count[x]-to[x])
				}
				least = min(least, moves)
			}
		}
		if e.Moves > least {
			t.Fatalf("%d moves pass %v, and %d were said to be needed: counts %v", least, eps, e.Moves, count)
		}
		if e.Moves == least && least < p.Total() {
			reached++
		}
	}
	if reached < 60 {
		t.Errorf("the bound was exact in only %d cases", reached)
	}
}

// A uniform prior over ten letters, nine outputs each: factor 10/9. At eps =
// log 5/4 an output holds until fewer than 8 of 10 shares may give it: from 9
// of 10 that is 101 of 1000 records.
func TestEdgeByHand(t *testing.T) {
	count := make([]int64, 10)
	for i := range count {
		count[i] = 100
	}
	e := EdgeOf(cyclic(t, 10, 9), prior(t, count...), mechanism.LogOf(big.NewRat(5, 4)))
	equal(t, "the factor", e.Factor, 10, 9)
	equal(t, "the room", e.Room, 1, 8)
	if !e.Holds || e.Moves != 101 {
		t.Errorf("%+v", e)
	}
}
