package mechtest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

// A family makes an instance of n letters and n outputs.
type Family func(n int, r *rand.Rand) (mechanism.Prior, *mechanism.Support)

// Families are the instances on which the solver is measured: half of
// all outputs at random, a quarter at random under a Zipf prior, the nearest
// quarter of points in the plane, and the same with a tenth of the letters at
// probability 1e-7.
var Families = map[string]Family{
	"half": func(n int, r *rand.Rand) (mechanism.Prior, *mechanism.Support) {
		return uneven(n, r), scattered(n, n/2, r)
	},
	"zipf": func(n int, r *rand.Rand) (mechanism.Prior, *mechanism.Support) {
		count := make([]int64, n)
		for i := range count {
			count[i] = int64(1e9 / float64(i+1))
		}
		return Counted(count), scattered(n, n/4, r)
	},
	"plane": func(n int, r *rand.Rand) (mechanism.Prior, *mechanism.Support) {
		return uneven(n, r), nearest(n, n/4, r)
	},
	"tiny": func(n int, r *rand.Rand) (mechanism.Prior, *mechanism.Support) {
		count := uneven(n, r).Counts()
		for i := 0; i < n; i += 10 {
			count[i] = 100
		}
		return Counted(count), nearest(n, n/4, r)
	},
}

// Counted is the prior of these counts.
func Counted(count []int64) mechanism.Prior {
	p, err := mechanism.NewPrior(count)
	if err != nil {
		panic(err)
	}
	return p
}

// uneven has about 1e9 records, exponentially distributed.
func uneven(n int, r *rand.Rand) mechanism.Prior {
	count := make([]int64, n)
	for i := range count {
		count[i] = 1 + int64(1e9/float64(n)*r.ExpFloat64())
	}
	return Counted(count)
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

// EachFamily runs a benchmark on every family, at several sizes, with weights
// in 0..1.
func EachFamily(b *testing.B, run func(b *testing.B, p mechanism.Prior, s *mechanism.Support, w mechanism.Weights)) {
	for _, n := range []int{100, 200, 300, 500, 1000} {
		for _, name := range []string{"half", "zipf", "plane", "tiny"} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				p, s := Families[name](n, rand.New(rand.NewPCG(1, 7)))
				w := func(x int, row []float64) {
					r := rand.New(rand.NewPCG(uint64(x), 8))
					for y := range row {
						row[y] = r.Float64()
					}
				}
				run(b, p, s, w)
			})
		}
	}
}
