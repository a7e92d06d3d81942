package optimum

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/mechtest"
)

// A crowd is a small support under several priors.
type crowd struct {
	prior   []mechanism.Prior
	support *mechanism.Support
	value   [][]float64
}

func newCrowd(t *testing.T, r *rand.Rand, priors int) crowd {
	n, m := 2+r.IntN(4), 2+r.IntN(4)
	c := crowd{support: mechanism.NewSupport(n, m)}
	for k := range priors {
		count := make([]int64, n)
		for x := range count {
			if count[x] = 1 + r.Int64N(9)*r.Int64N(9); k > 0 && r.IntN(5) == 0 {
				count[x] = 0
			}
		}
		c.prior = append(c.prior, mechtest.Prior(t, count...))
	}
	for x := range n {
		c.support.Allow(x, r.IntN(m))
		row := make([]float64, m)
		for y := range m {
			if r.IntN(3) > 0 {
				c.support.Allow(x, y)
			}
			row[y] = float64(r.IntN(9))
		}
		c.value = append(c.value, row)
	}
	return c
}

// most is the largest of sum c_xy p_xy over rows that sum to 1 at the most, within factor
// f under all priors.
func (c crowd) most(f float64, of func(x, y int) float64) float64 {
	var cost []float64
	place := map[[2]int]int{}
	for x := range c.value {
		for y := range c.value[x] {
			if c.support.Allowed(x, y) {
				place[[2]int{x, y}] = len(cost)
				cost = append(cost, -of(x, y))
			}
		}
	}
	var rows [][]float64
	var b []float64
	shake := rand.New(rand.NewPCG(1, 1)) // or the simplex may cycle
	for x := range c.value {
		row := make([]float64, len(cost))
		for y := range c.value[x] {
			at, ok := place[[2]int{x, y}]
			if !ok {
				continue
			}
			row[at] = 1
			for _, p := range c.prior {
				if p.Total() == 0 || p.Count(x) == 0 {
					continue
				}
				cap := make([]float64, len(cost))
				for k := range c.value {
					if z, ok := place[[2]int{k, y}]; ok {
						cap[z] -= f * float64(p.Count(k)) / float64(p.Total())
					}
				}
				cap[at]++
				rows, b = append(rows, cap), append(b, 1e-9*shake.Float64())
			}
		}
		rows, b = append(rows, row), append(b, 1)
	}
	return mechtest.Simplex(rows, b, cost)
}

// TestAmong: what is found under several priors is within the factor under each, never
// above what a linear program allows, and on the whole near it; what is said to be
// proven is.
func TestAmong(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 3))
	trials, lost := 0, 0.0
	for trial := range 200 {
		c := newCrowd(t, r, 2+trial%2)
		p, also := c.prior[0], c.prior[1:]
		m, b, err := LeastAmong(context.Background(), p, also, c.support, LeastOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if f := m.Factor(c.prior...); f.Cmp(b.Upper) != 0 || b.Verify(p, c.support) != nil {
			t.Fatalf("trial %d: factor %v of %v, %v", trial, f, b.Upper, b.Verify(p, c.support))
		}
		n := float64(len(c.value))
		if even := c.most(rounded(b.Lower)*(1-1e-6), func(int, int) float64 { return 1 }); b.Lower.Cmp(one) > 0 &&
			even > n-1e-8 {
			t.Fatalf("trial %d: %v is said to be refused, and a linear program is below", trial, b.Lower)
		}
		f := new(big.Rat).Mul(b.Upper, big.NewRat(1000+int64(r.IntN(400)), 1000))
		weights := func(x int, row []float64) { copy(row, c.value[x]) }
		m, w, err := LargestAmong(context.Background(), p, also, c.support, f, weights, LargestOptions{Near: m})
		if err != nil {
			t.Fatal(err)
		}
		if reached := m.Factor(c.prior...); reached.Cmp(f) > 0 || reached.Cmp(w.Factor) != 0 {
			t.Fatalf("trial %d: factor %v, said %v, where %v was asked for", trial, reached, w.Factor, f)
		}
		if _, _, ok := m.Within(c.support); !ok || w.Verify(p, c.support, f, weights) != nil {
			t.Fatalf("trial %d: outside of the support, or %v", trial, w.Verify(p, c.support, f, weights))
		}
		const heavy = 1e3
		best := c.most(rounded(f), func(x, y int) float64 {
			return heavy + c.value[x][y]*float64(p.Count(x))/float64(p.Total())
		}) - heavy*n
		if math.IsNaN(best) {
			continue
		}
		v := m.ExpectedWeight(p, weights)
		if !(v <= best+1e-6 && rounded(w.Upper) >= best-1e-6) {
			t.Fatalf("trial %d: %v of at most %v, the simplex says %v", trial, v, rounded(w.Upper), best)
		}
		if trials++; best > 0 {
			lost += (best - v) / best
		}
		var far *FactorError
		if below := big.NewRat(1, 2); !errors.As(second(LargestAmong(context.Background(), p, also, c.support, below,
			weights, LargestOptions{})), &far) {
			t.Fatalf("trial %d: something is within a factor below 1", trial)
		}
	}
	t.Logf("%.2f %% are lost in %d trials", 100*lost/float64(trials), trials)
	if trials < 150 || lost/float64(trials) > .02 {
		t.Errorf("%.2f %% are lost in %d trials", 100*lost/float64(trials), trials)
	}
}

func second(_ *mechanism.Mechanism, _ Worth, err error) error { return err }

// A blend has the mean of the rows.
func TestBlend(t *testing.T) {
	a, err := mechanism.New(2, []mechanism.Row{mechanism.UniformRow([]uint16{0})})
	if err != nil {
		t.Fatal(err)
	}
	b, err := mechanism.New(2, []mechanism.Row{mechanism.UniformRow([]uint16{0, 1})})
	if err != nil {
		t.Fatal(err)
	}
	if r := blend(a, b, .5).Row(0); !slices.Equal(r.Weight, []int64{3 << 48, 1 << 48}) {
		t.Errorf("%v", r)
	}
}
