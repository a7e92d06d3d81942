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

// Parts with Shifted within Target keep to epsilon for whoever does not know the
// part, under every drift of the shares of letters in parts that headroom names;
// where all parts are one mechanism, Shifted is its factor.
func TestShiftedCoversDrift(t *testing.T) {
	eps := mechanism.LogOf(big.NewRat(2, 1))
	target, err := Target(eps, big.NewRat(1, 10))
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(29, 30))
	mixed := func(laws []*mechanism.Mechanism, counts [][]int64) (part []mechanism.Part) {
		for w, m := range laws {
			p := prior(t, counts[w]...)
			part = append(part, mechanism.Part{Mechanism: m, Prior: p, Leakage: m.Leakage(p)})
		}
		return part
	}
	checked, told := 0, 0
	for checked < 100 {
		n, parts := 2+rng.IntN(3), 2+rng.IntN(2)
		var laws []*mechanism.Mechanism
		var counts [][]int64
		total := int64(0)
		for range parts {
			count := make([]int64, n)
			for x := range count {
				count[x] = rng.Int64N(5) * (1 + rng.Int64N(40))
				total += count[x]
			}
			laws, counts = append(laws, randomLaw(t, rng, n, 3)), append(counts, count)
		}
		one := mixed([]*mechanism.Mechanism{laws[0], laws[0]}, counts[:2])
		if _, f := mechanism.MixedLeakage(one).Max(); Shifted(one).Cmp(f) != 0 {
			t.Fatalf("one mechanism has %v, shifted %v", f, Shifted(one))
		}
		now := mixed(laws, counts)
		if _, f := mechanism.MixedLeakage(now).Max(); f.Cmp(Shifted(now)) > 0 {
			t.Fatalf("the mean tells %v, more than %v", f, Shifted(now))
		} else if target.Admits(f) && !target.Admits(Shifted(now)) {
			told++
		}
		if !target.Admits(Shifted(now)) {
			continue
		}
		checked++
		for range 20 { // shares fall to no less than 10/11
			w, x := rng.IntN(parts), rng.IntN(n)
			if counts[w][x] == 0 {
				continue
			}
			drift := make([][]int64, parts)
			for w := range drift {
				for _, c := range counts[w] {
					drift[w] = append(drift[w], 10*c)
				}
			}
			drift[w][x] += total
			if _, f := mechanism.MixedLeakage(mixed(laws, drift)).Max(); !eps.Admits(f) {
				t.Fatalf("records %v: %v", drift, f)
			}
		}
	}
	if told == 0 {
		t.Error("no parts were within the target as they are, and not however they drift")
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
