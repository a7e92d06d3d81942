package optimum

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/mechtest"
)

// A family makes an instance of n letters and n outputs.
type family func(n int, r *rand.Rand) (mechanism.Prior, *mechanism.Support)

// families are the instances on which the solver is measured: half of
// all outputs at random, a quarter at random under a Zipf prior, the nearest
// quarter of points in the plane, and the same with a tenth of the letters at
// probability 1e-7.
var families = map[string]family{
	"half": func(n int, r *rand.Rand) (mechanism.Prior, *mechanism.Support) {
		return uneven(n, r), scattered(n, n/2, r)
	},
	"zipf": func(n int, r *rand.Rand) (mechanism.Prior, *mechanism.Support) {
		count := make([]int64, n)
		for i := range count {
			count[i] = int64(1e9 / float64(i+1))
		}
		return mechtest.Prior(count...), scattered(n, n/4, r)
	},
	"plane": func(n int, r *rand.Rand) (mechanism.Prior, *mechanism.Support) {
		return uneven(n, r), nearest(n, n/4, r)
	},
	"tiny": func(n int, r *rand.Rand) (mechanism.Prior, *mechanism.Support) {
		count := uneven(n, r).Counts()
		for i := 0; i < n; i += 10 {
			count[i] = 100
		}
		return mechtest.Prior(count...), nearest(n, n/4, r)
	},
}

// uneven has about 1e9 records, exponentially distributed.
func uneven(n int, r *rand.Rand) mechanism.Prior {
	count := make([]int64, n)
	for i := range count {
		count[i] = 1 + int64(1e9/float64(n)*r.ExpFloat64())
	}
	return mechtest.Prior(count...)
}

func scattered(n, k int, r *rand.Rand) *mechanism.Support {
	s := mechanism.NewSupport(n, n)
	for x := range n {
		for _, y := range r.Perm(n)[:k] {
			s.Allow(x, y)
		}
	}
	return s
}

func nearest(n, k int, r *rand.Rand) *mechanism.Support {
	at := make([][2]float64, n)
	for i := range at {
		at[i] = [2]float64{r.Float64(), r.Float64()}
	}
	s := mechanism.NewSupport(n, n)
	by := make([]int, n)
	for x := range n {
		far := func(y int) float64 { return math.Hypot(at[x][0]-at[y][0], at[x][1]-at[y][1]) }
		for y := range by {
			by[y] = y
		}
		slices.SortFunc(by, func(a, b int) int {
			if far(a) < far(b) {
				return -1
			}
			return 1
		})
		for _, y := range by[:k] {
			s.Allow(x, y)
		}
	}
	return s
}

// valued has weights in 0..1.
func valued(x int, row []float64) {
	r := rand.New(rand.NewPCG(uint64(x), 8))
	for y := range row {
		row[y] = r.Float64()
	}
}

// What the float solver proposes closes every bracket on every family: of the least factor,
// the largest weight without and with a limit of the shift, and the least shift.
func TestFamiliesClose(t *testing.T) {
	for _, n := range []int{4, 10, 30, 60, 100} {
		for name, instance := range families {
			for seed := range uint64(2 - n/100) {
				at := fmt.Sprintf("%s of %d, seed %d", name, n, seed)
				p, s := instance(n, rand.New(rand.NewPCG(seed, uint64(n))))
				_, c, err := Least(context.Background(), p, s, Options{})
				if err != nil || c.Verify(p, s) != nil || !(rounded(c.Upper) <= rounded(c.Lower)*(1+1e-9)) {
					t.Fatalf("%s: %v .. %v, %v", at, c.Lower, c.Upper, err)
				}
				g := Problem{Prior: p, Support: s, Stands: standing(n)}
				for _, above := range []*big.Rat{big.NewRat(1001, 1000), big.NewRat(11, 10), big.NewRat(2, 1)} {
					f := new(big.Rat).Mul(c.Upper, above)
					_, b, err := LeastShift(context.Background(), g, f, Options{})
					if err != nil || b.Verify(g, f, nil, nil) != nil || !(rounded(b.Upper)-rounded(b.Lower) <= Gap) {
						t.Fatalf("%s, %v above: shift %v .. %v, %v", at, above, b.Lower, b.Upper, err)
					}
					within := new(big.Rat).Sub(one, b.Shift)
					within.Add(b.Shift, within.Quo(within, big.NewRat(10, 1)))
					for _, limit := range []*big.Rat{nil, within} {
						if _, v, err := Largest(context.Background(), g, f, limit, valued, Options{}); err != nil ||
							v.Verify(g, f, limit, valued) != nil || !(v.Gap <= Gap) {
							t.Errorf("%s, %v above, limit %v: gap %v, %v", at, above, limit, v.Gap, err)
						}
					}
				}
			}
		}
	}
}

// The same mechanism for 1, 2 and 4 processors.
func TestProcessorsDoNotMatter(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	p, s := families["half"](70, rand.New(rand.NewPCG(9, 9)))
	var first *mechanism.Mechanism
	for _, procs := range []int{1, 2, 4} {
		runtime.GOMAXPROCS(procs)
		m, _, err := Least(context.Background(), p, s, Options{})
		must(t, err)
		if first == nil {
			first = m
		}
		for x := range p.Letters() {
			if a, b := m.Row(x), first.Row(x); !slices.Equal(a.Weight, b.Weight) || !slices.Equal(a.Output, b.Output) {
				t.Fatalf("%d processors: another row of letter %d", procs, x)
			}
		}
	}
}
