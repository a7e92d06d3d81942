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
			if _, f := m.Leakage(prior(t, drift...)).Max(); !eps.Admits(f) {
				t.Fatalf("counts %v: factor %v", drift, f)
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
		if _, f := mechanism.MixedLeakage(one).Max(); mechanism.Shifted(one).Cmp(f) != 0 {
			t.Fatalf("one mechanism has %v, shifted %v", f, mechanism.Shifted(one))
		}
		now := mixed(laws, counts)
		if _, f := mechanism.MixedLeakage(now).Max(); f.Cmp(mechanism.Shifted(now)) > 0 {
			t.Fatalf("the mean tells %v, more than %v", f, mechanism.Shifted(now))
		} else if target.Admits(f) && !target.Admits(mechanism.Shifted(now)) {
			told++
		}
		if !target.Admits(mechanism.Shifted(now)) {
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
