package estimate

import (
	"math"
	"testing"
)

// TestAtLeastCovers adds up the binomial law exactly: at every probability on
// a fine grid the bound is above it with probability at most delta. It is no
// more careful than that: at the bound itself the tail is delta.
func TestAtLeastCovers(t *testing.T) {
	for _, n := range []int{1, 2, 7, 50, 200} {
		for _, delta := range []float64{.2, .05, 1e-6} {
			bound := make([]float64, n+1)
			for k := range bound {
				bound[k] = AtLeast(int64(k), int64(n), delta)
			}
			for i := 1; i < 400; i++ {
				p := float64(i) / 400
				miss := 0.0
				for k := range n + 1 {
					if bound[k] > p {
						miss += binomial(n, k, p)
					}
				}
				if !(miss <= delta*(1+1e-9)) {
					t.Fatalf("n=%d delta=%v: at %v the bound fails with probability %v", n, delta, p, miss)
				}
			}
			for k := 1; k <= n; k++ {
				tail, l := 0.0, bound[k]
				for j := k; j <= n; j++ {
					tail += binomial(n, j, l)
				}
				if !(math.Abs(tail/delta-1) <= 1e-8) {
					t.Fatalf("n=%d k=%d delta=%v: tail %v", n, k, delta, tail)
				}
			}
		}
	}
	if l := AtLeast(0, 10, .05); l != 0 {
		t.Errorf("no hit: %v", l)
	}
}

// TestBoundsOnLeakage are the 20-letter cyclic order at half the outputs: the
// leakage bound of 381 sets by Clopper and Pearson.
func TestBoundsOnLeakage(t *testing.T) {
	for _, c := range []struct {
		hits, n int64
		want    float64
	}{{186, 1e3, 2.1092}, {1859, 1e4, 1.8087}, {18589, 1e5, 1.7216}} {
		if got := -math.Log(AtLeast(c.hits, c.n, 1e-6/381)); !(math.Abs(got-c.want) <= 6e-5) {
			t.Errorf("n=%d: %v by Clopper and Pearson, want %v", c.n, got, c.want)
		}
	}
}

// TestAtLeastNearAll holds the bound where nearly all of many records are hits:
// of n of n it is the n-th root of delta, and elsewhere its tail is delta.
func TestAtLeastNearAll(t *testing.T) {
	for _, n := range []int64{2064, 16_309, 65_000, 1_000_000} {
		want := math.Pow(1e-9, 1/float64(n))
		if got := AtLeast(n, n, 1e-9); !(math.Abs((1-got)/(1-want)-1) <= 1e-5) {
			t.Errorf("%d of %d: %v, want %v", n, n, got, want)
		}
		for m := int64(1); m <= 40; m++ {
			p := AtLeast(n-m, n, 1e-9)
			// At most m misses, by Poisson's law within the square of their share.
			mean, term := float64(n)*(1-p), 1.0
			tail := term
			for k := 1.0; k <= float64(m); k++ {
				term *= mean / k
				tail += term
			}
			if got := tail * math.Exp(-mean) / 1e-9; !(got >= .3 && got <= 3) {
				t.Errorf("%d of %d: %v, whose tail is %v of what is allowed", n-m, n, p, got)
			}
		}
	}
}
