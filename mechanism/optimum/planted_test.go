package optimum

import (
	"context"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/test/torture"
)

// planted is an instance whose least factor is k/r for a reason: the first k
// letters may give r each of k groups of outputs, in a circle, so that k =
// sum_x sum_y p_xy <= t sum_y q_y r. It is reached: every letter may take such
// a part of any law that gives every group 1/k, and the last letter, of
// probability max(r/k, 1 - r/k) or more and free to give anything, makes up
// for what the others leave of it.
func planted(t *testing.T, rng *rand.Rand, k, r, n, m int) (mechanism.Prior, *mechanism.Support) {
	t.Helper()
	s := mechanism.NewSupport(n, m)
	group := make([]int, m)
	for y := range group {
		group[y] = y % k
	}
	count, rest := make([]int64, n), int64(0)
	for x := range n - 1 {
		at := x
		if x >= k {
			at = rng.IntN(k)
		}
		for y, g := range group {
			if (g-at+k)%k < r || x >= k && rng.IntN(3) == 0 {
				s.Allow(x, y)
			}
		}
		count[x] = 1 + rng.Int64N(500)
		rest += count[x]
	}
	for y := range m {
		s.Allow(n-1, y)
	}
	small := int64(min(r, k-r))
	count[n-1] = rest*(int64(k)-small)/small + 1 + rng.Int64N(1000)
	p, err := mechanism.NewPrior(count)
	if err != nil {
		t.Fatal(err)
	}
	return p, s
}

// TestPlantedFactor: the least factor comes out as the fraction that it is,
// and the largest expected utility at that factor, where no law has any slack,
// is known to a millionth of the range.
func TestPlantedFactor(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	for trial := range torture.Count(25, 1000) {
		k := 3 + rng.IntN(6)
		r := 1 + rng.IntN(k-1)
		n := k + 2 + rng.IntN(40)
		m := 2*k + rng.IntN(40)
		p, s := planted(t, rng, k, r, n, m)
		want := big.NewRat(int64(k), int64(r))
		found, c, err := Least(context.Background(), p, s, LeastOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if f := found.Factor(p); f.Cmp(want) != 0 || c.Upper.Cmp(want) != 0 {
			t.Fatalf("trial %d: %d letters, %d outputs: factor %v, stated %v, least %v", trial, n, m, f, c.Upper, want)
		}
		w := func(x int, row []float64) {
			for y := range row {
				row[y] = float64((x*x*31 + y*y*17 + 7*x*y) % 101)
			}
		}
		g := Problem{Prior: p, Support: s}
		best, worth, err := Largest(context.Background(), g, want, nil, w, Options{Near: found, Least: c.Lower})
		if err != nil {
			t.Fatal(err)
		}
		if f := best.Factor(p); f.Cmp(want) > 0 {
			t.Fatalf("trial %d: factor %v above %v", trial, f, want)
		}
		if err := worth.Verify(g, want, nil, w); err != nil {
			t.Fatal(err)
		}
		if !(worth.Gap >= 0 && worth.Gap <= 1e-6) {
			t.Errorf("trial %d: %d letters, %d outputs, factor %v: utility %v to %v, gap %v", trial, n, m, want,
				worth.Lower.FloatString(9), worth.Upper.FloatString(9), worth.Gap)
		}
	}
}
