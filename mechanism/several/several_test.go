package several

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/mechtest"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// An instance is a small support with several priors and weights.
type instance struct {
	prior   []mechanism.Prior
	support *mechanism.Support
	value   [][]float64
}

func random(t *testing.T, r *rand.Rand, priors int) instance {
	n, m := 2+r.IntN(4), 2+r.IntN(4)
	in := instance{support: mechanism.NewSupport(n, m)}
	for k := range priors {
		count := make([]int64, n)
		for x := range count {
			count[x] = 1 + r.Int64N(9)*r.Int64N(9)
			// Only the first prior has all letters.
			if k > 0 && r.IntN(5) == 0 {
				count[x] = 0
			}
		}
		in.prior = append(in.prior, mechtest.Prior(t, count...))
	}
	for x := range n {
		in.support.Allow(x, r.IntN(m))
		row := make([]float64, m)
		for y := range m {
			if r.IntN(3) > 0 {
				in.support.Allow(x, y)
			}
			row[y] = float64(r.IntN(9))
		}
		in.value = append(in.value, row)
	}
	return in
}

func (in instance) weights(x int, row []float64) { copy(row, in.value[x]) }

// simplex is the largest of sum p_xy c_xy over p >= 0 with rows that sum to 1
// at the most and p_xy <= t q^k_y for every x of prior k.
func (in instance) simplex(t *testing.T, f float64, c func(x, y int) float64) float64 {
	t.Helper()
	n, m := in.support.Inputs(), in.support.Outputs()
	place := make(map[[2]int]int)
	var cost []float64
	for x := range n {
		for y := range m {
			if in.support.Allowed(x, y) {
				place[[2]int{x, y}] = len(cost)
				cost = append(cost, -c(x, y))
			}
		}
	}
	cells := len(cost)
	var rows [][]float64
	var b []float64
	shake := rand.New(rand.NewPCG(1, 1))
	for x := range n {
		row := make([]float64, cells)
		for y := range m {
			if at, ok := place[[2]int{x, y}]; ok {
				row[at] = 1
			}
		}
		rows, b = append(rows, row), append(b, 1)
	}
	for k := range n * m {
		xy := [2]int{k / m, k % m}
		at, ok := place[xy]
		for _, p := range in.prior {
			if !ok {
				break
			}
			if p.Total() == 0 || p.Count(xy[0]) == 0 {
				continue
			}
			row := make([]float64, cells)
			for x := range n {
				if k, ok := place[[2]int{x, xy[1]}]; ok {
					row[k] -= f * float64(p.Count(x)) / float64(p.Total())
				}
			}
			row[at]++
			rows, b = append(rows, row), append(b, 1e-9*shake.Float64()) // or the simplex may cycle
		}
	}
	return mechtest.Simplex(rows, b, cost)
}

// least is the least factor by bisection.
func (in instance) least(t *testing.T) float64 {
	n := float64(in.support.Inputs())
	fits := func(f float64) bool { // NaN does not
		return in.simplex(t, f, func(int, int) float64 { return 1 }) >= n-1e-8
	}
	low, high := 1.0, 1.0
	for !fits(high) {
		low = high
		if high *= 2; high > 1e6 {
			return math.NaN()
		}
	}
	for range 40 {
		if mid := (low + high) / 2; fits(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return high
}

// Against a linear program: the bracket holds the least factor and is narrow,
// and what is largest within a factor is as large.
func TestAgainstSimplex(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 3))
	open, wide, own, lost, dual := 0, 0, 0, 0, 0
	trials := 300
	for trial := range trials {
		in := random(t, r, 2+trial%2)
		p, also := in.prior[0], in.prior[1:]
		m, b, err := Least(context.Background(), p, also, in.support, optimum.LeastOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if f := m.Factor(in.prior...); f.Cmp(b.Upper) != 0 || b.Lower.Cmp(b.Upper) > 0 {
			t.Fatalf("trial %d: factor %v in %v .. %v", trial, f, b.Lower, b.Upper)
		}
		want := in.least(t)
		low, high := rounded(b.Lower), rounded(b.Upper)
		if math.IsNaN(want) {
			lost++
			continue
		}
		if !(low <= want*(1+1e-6) && high >= want*(1-1e-6)) {
			t.Fatalf("trial %d: %v .. %v, the simplex says %v", trial, low, high, want)
		}
		if !(high <= low*(1+1e-6)) {
			wide++
			t.Logf("trial %d: %v .. %v, the simplex says %v", trial, low, high, want)
		}
		if b.Lower.Cmp(single(t, in)) > 0 {
			proven := new(big.Rat).Mul(b.Lower, big.NewRat(99_999_999, 100_000_000))
			switch d := b.Dual; {
			case d == nil || d.Lower.Cmp(proven) < 0:
				t.Fatalf("trial %d: %v is proven, and the dual shows %v", trial, low, d)
			case d.Verify(p, also, in.support) != nil:
				t.Fatalf("trial %d: %v", trial, d.Verify(p, also, in.support))
			default:
				above := *d
				above.Lower = new(big.Rat).Mul(b.Upper, big.NewRat(1_000_001, 1_000_000))
				if above.Verify(p, also, in.support) == nil {
					t.Fatalf("trial %d: a factor above the reached one is refused", trial)
				}
				above = *d
				above.Weight = make([]int64, len(d.Weight))
				if above.Verify(p, also, in.support) == nil {
					t.Fatalf("trial %d: no weights at all prove something", trial)
				}
			}
			dual++
		}
		f := new(big.Rat).Mul(b.Upper, big.NewRat(1000+int64(r.IntN(400)), 1000))
		if trial%3 == 0 {
			f = new(big.Rat).SetInt64(int64(math.Ceil(high)))
		}
		m, w, err := Largest(context.Background(), p, also, in.support, f, in.weights, optimum.LargestOptions{Near: m})
		if err != nil {
			t.Fatal(err)
		}
		if m.Factor(in.prior...).Cmp(f) > 0 {
			t.Fatalf("trial %d: factor %v where %v was asked for", trial, m.Factor(in.prior...), f)
		}
		if _, _, ok := m.Within(in.support); !ok {
			t.Fatal("outside of the support")
		}
		const heavy = 1e3
		most := in.simplex(t, rounded(f), func(x, y int) float64 {
			return heavy + in.value[x][y]*float64(p.Count(x))/float64(p.Total())
		}) - heavy*float64(in.support.Inputs())
		v, u := m.ExpectedWeight(p, in.weights), rounded(w.Upper)
		if math.IsNaN(most) {
			lost++
			continue
		}
		if !(v <= most+1e-6 && u >= most-1e-6) {
			t.Fatalf("trial %d: value %v, bound %v, the simplex says %v", trial, v, u, most)
		}
		if !(u-v <= 1e-5) {
			open++
			t.Logf("trial %d: value %v, bound %v, the simplex says %v, factor %v of least %v", trial, v, u, most, rounded(f),
				high)
		}
		single, _, err := optimum.Largest(context.Background(), p, in.support, f, in.weights, optimum.LargestOptions{})
		if err == nil && single.Factor(in.prior...).Cmp(f) > 0 {
			own++
		}
		// Half way from 1 to the least there is nothing.
		below := new(big.Rat).Add(b.Lower, one)
		if below.Quo(below, big.NewRat(2, 1)); below.Cmp(b.Lower) < 0 {
			var far *optimum.FactorError
			if _, _, err := Largest(context.Background(), p, also, in.support, below, in.weights,
				optimum.LargestOptions{}); !errors.As(err, &far) {
				t.Fatalf("trial %d: below the least factor: %v", trial, err)
			}
		}
	}
	t.Logf("%d of %d brackets wide, %d open, %d needed a program of their own, %d without an answer of the simplex, %d "+
		"proven by two priors", wide, trials, open, own, lost, dual)
	if dual < trials/20 {
		t.Errorf("%d proofs by two priors in %d trials", dual, trials)
	}
}

// single is what one letter, or the first prior alone, proves.
func single(t *testing.T, in instance) *big.Rat {
	t.Helper()
	bound, err := optimum.LowerBound(in.prior[0], in.support, in.prior[1:]...)
	if err != nil {
		t.Fatal(err)
	}
	_, c, err := optimum.Least(context.Background(), in.prior[0], in.support, optimum.LeastOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if c.Lower.Cmp(bound) > 0 {
		return c.Lower
	}
	return bound
}
