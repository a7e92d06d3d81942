package estimate

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/tacet-privacy/tacet/mechanism"
)

// weighted is the mechanism of a matrix of weights, 0 for what is not allowed.
func weighted(t testing.TB, weight ...[]int64) *mechanism.Mechanism {
	t.Helper()
	var rows []mechanism.Row
	for _, w := range weight {
		var out []uint16
		var some []int64
		for y, n := range w {
			if n > 0 {
				out, some = append(out, uint16(y)), append(some, n)
			}
		}
		rows = append(rows, mechanism.WeightedRow(out, some))
	}
	m, err := mechanism.New(len(weight[0]), rows)
	must(t, err)
	return m
}

// cyclic gives letter x the outputs x to x+m-1 modulo n, evenly.
func cyclic(t testing.TB, n, m int) *mechanism.Mechanism {
	weight := make([][]int64, n)
	for x := range weight {
		weight[x] = make([]int64, n)
		for k := range m {
			weight[x][(x+k)%n] = 1
		}
	}
	return weighted(t, weight...)
}

// keeping is a random mechanism that keeps a letter with about half of its weight.
func keeping(t testing.TB, n, m int, r *rand.Rand) *mechanism.Mechanism {
	weight := make([][]int64, n)
	for x := range weight {
		weight[x] = make([]int64, m)
		for y := range m {
			if r.IntN(3) > 0 {
				weight[x][y] = 1 + r.Int64N(20)
			}
		}
		weight[x][x%m] += 8 * int64(m)
	}
	return weighted(t, weight...)
}

// exactly is the sample whose outputs have just their expected shares.
func exactly(t testing.TB, m *mechanism.Mechanism, share []float64, rows float64) *Sample {
	t.Helper()
	count := make([]int64, m.Outputs())
	for y, q := range law(m, share) {
		n := q * rows
		if !(math.Abs(n-math.Round(n)) < 1e-6) {
			t.Fatalf("output %d has %v rows", y, n)
		}
		count[y] = int64(math.Round(n))
	}
	return sampled(t, count)
}

func sampled(t testing.TB, count []int64) *Sample {
	t.Helper()
	s, err := NewSample(count, 0)
	must(t, err)
	return s
}

// law is q = p^T P.
func law(m *mechanism.Mechanism, share []float64) []float64 {
	q := make([]float64, m.Outputs())
	for x, p := range share {
		r := m.Row(x)
		for i, y := range r.Output {
			q[y] += p * float64(r.At(i)) / float64(r.Total)
		}
	}
	return q
}

// each are the sets of one letter.
func each(n int) (sets [][]int) {
	for x := range n {
		sets = append(sets, []int{x})
	}
	return sets
}

func near(t testing.TB, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// The example of a singular mechanism: four letters in a circle, two outputs each. No
// letter can be estimated, and sums of neighbours can.
func TestCircleOfFour(t *testing.T) {
	m := cyclic(t, 4, 2)
	c := NewChannel(m)
	if c.Rank() != 3 {
		t.Fatalf("rank %d", c.Rank())
	}
	s := exactly(t, m, []float64{.4, .3, .2, .1}, 1000)
	l, err := c.Linear(s)
	must(t, err)
	for x := range 4 {
		if c.Estimable([]int{x}) || c.Estimable([]int{x, (x + 2) % 4}) || !c.Estimable([]int{x, (x + 1) % 4}) {
			t.Errorf("letter %d: what can be estimated is wrong", x)
		}
		if _, err := l.Sums([][]int{{x}}); !errors.Is(err, ErrUntold) {
			t.Errorf("letter %d is estimated although the data do not tell it: %v", x, err)
		}
	}
	sums, err := l.Sums([][]int{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 1, 2, 3}})
	must(t, err)
	for i, want := range []float64{.7, .5, .3, .5, 1} {
		near(t, fmt.Sprint("sum ", i), sums[i].Share, want, 1e-9)
	}
	near(t, "the error of everything", sums[4].Errors[OfPopulation], 0, 1e-7)
	f, err := l.Fit(t.Context(), 1e-12, 10000)
	must(t, err)
	near(t, "the most likely share of two neighbours", f.Share[0]+f.Share[1], .7, 1e-6)
	if f.Unique || f.Determined([]int{0}) || !f.Determined([]int{0, 1}) {
		t.Error("what others as likely have in common is wrong")
	}
}

// The covariance of the file is p^-T [diag(p^T T) - p^T diag(T) p] p^-1, and that of the
// population that of a multinomial law; both are computed from their definitions here.
func TestCovariance(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{2, 3, 5, 8} {
		m := keeping(t, n, n, r)
		count := make([]int64, n)
		for y := range count {
			count[y] = 1000 + r.Int64N(1000)
		}
		s, c := sampled(t, count), NewChannel(m)
		l, err := c.Linear(s)
		must(t, err)
		var inverse mat.Dense
		must(t, inverse.Inverse(c.p))
		est := make([]float64, n) // P^ = p^-T q^
		for x := range n {
			for y := range n {
				est[x] += inverse.At(y, x) * s.Share(y)
			}
		}
		sums, err := l.Sums(each(n))
		must(t, err)
		for _, w := range []Whose{OfFile, OfPopulation} {
			middle := mat.NewDense(n, n, nil)
			for y := range n {
				for z := range n {
					v := -s.Share(y) * s.Share(z)
					if w == OfFile {
						v = 0
						for x := range n {
							v -= est[x] * c.p.At(x, y) * c.p.At(x, z)
						}
					}
					if y == z {
						v += s.Share(y)
					}
					middle.Set(y, z, v/s.Rows())
				}
			}
			var want mat.Dense
			want.Mul(inverse.T(), middle)
			want.Mul(&want, &inverse)
			got, err := l.Covariance(w, each(n))
			must(t, err)
			for i := range n {
				near(t, "share", sums[i].Share, est[i], 1e-10)
				near(t, "standard error", sums[i].Errors[w], math.Sqrt(want.At(i, i)), 1e-10)
				for j := range n {
					near(t, fmt.Sprintf("n = %d, %v: covariance %d, %d", n, w, i, j), got.At(i, j), want.At(i, j), 1e-12)
				}
			}
		}
	}
}

// Sets that overlap have the covariance of the letters that they are sums of.
func TestCovarianceOfSets(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	m := keeping(t, 5, 7, r)
	s, c := sampled(t, []int64{400, 300, 500, 200, 350, 90, 0}), NewChannel(m)
	l, err := c.Linear(s)
	must(t, err)
	sets := [][]int{{0, 1, 2}, {2, 3}, {4}, {0, 1, 2, 3, 4}}
	for _, w := range []Whose{OfFile, OfPopulation} {
		alone, err := l.Covariance(w, each(5))
		must(t, err)
		got, err := l.Covariance(w, sets)
		must(t, err)
		for i, one := range sets {
			for j, other := range sets {
				want := 0.0
				for _, x := range one {
					for _, z := range other {
						want += alone.At(x, z)
					}
				}
				near(t, fmt.Sprintf("%v: covariance of %v and %v", w, one, other), got.At(i, j), want, 1e-12)
			}
		}
	}
}

// More outputs than letters leave a choice of weights; the ones taken have the least
// variance that Gauss and Markov allow, 1/(n c^T (p D^-1 p^T)^-1 c) at the true law.
func TestLeastVariance(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	m := keeping(t, 3, 6, r)
	share := []float64{.5, .3, .2}
	count := make([]int64, 6)
	for y, q := range law(m, share) {
		count[y] = int64(q * 1e12) // so many that half a row more or less is nothing
	}
	s, c := sampled(t, count), NewChannel(m)
	l, err := c.Linear(s)
	must(t, err)
	got, err := l.Sums([][]int{{0}, {1, 2}})
	must(t, err)
	scaled := mat.NewDense(3, 6, nil)
	for x := range 3 {
		for y := range 6 {
			scaled.Set(x, y, c.p.At(x, y)/s.Share(y))
		}
	}
	var gram, inverse mat.Dense
	gram.Mul(scaled, c.p.T())
	must(t, inverse.Inverse(&gram))
	near(t, "share", got[0].Share, .5, 1e-9)
	near(t, "variance", got[0].Errors[OfPopulation]*got[0].Errors[OfPopulation]*s.Rows(), inverse.At(0, 0)-.25, 1e-9)
	square := inverse.At(1, 1) + 2*inverse.At(1, 2) + inverse.At(2, 2)
	near(t, "variance of a sum", got[1].Errors[OfFile]*got[1].Errors[OfFile]*s.Rows(), square-.5, 1e-9)
}

func TestDraws(t *testing.T) {
	near(t, "single draws", Draws(slices.Values([]int64{1, 1, 1, 1})), 4, 0)
	near(t, "clusters", Draws(slices.Values([]int64{1, 2, 3})), 36./14, 1e-15)
	near(t, "no rows", Draws(slices.Values([]int64{})), 0, 0)
	for _, c := range []struct {
		count []int64
		draws float64
	}{{[]int64{1, -1}, 0}, {[]int64{0, 0}, 0}, {[]int64{2, 2}, 5}, {[]int64{2, 2}, -1}, {[]int64{2, 2}, math.NaN()}} {
		if _, err := NewSample(c.count, c.draws); err == nil {
			t.Errorf("%v rows in %v draws are taken", c.count, c.draws)
		}
	}
}

// Most likely shares are those of the inverse wherever these are shares.
func TestFitIsTheInverse(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	inside := 0
	for range 200 {
		n := 2 + r.IntN(12)
		m := keeping(t, n, n, r)
		share := make([]float64, n)
		for x := range share {
			share[x] = .3 + r.Float64()
		}
		s, c := simulated(t, m, share, 20000, r), NewChannel(m)
		if c.Rank() < n {
			continue
		}
		l, err := c.Linear(s)
		must(t, err)
		sums, err := l.Sums(each(n))
		must(t, err)
		f, err := l.Fit(t.Context(), 1e-12, 100000)
		must(t, err)
		if !(f.Gap <= 1e-12) || !f.Unique {
			t.Errorf("after %d rounds %v is left; the only one: %v", f.Rounds, f.Gap, f.Unique)
		}
		if slices.ContainsFunc(sums, func(e Unbiased) bool { return e.Share <= 0 }) {
			continue
		}
		inside++
		for x, e := range sums {
			near(t, fmt.Sprintf("n = %d: share %d of the fit", n, x), f.Share[x], e.Share, 1e-8)
		}
	}
	if inside < 100 {
		t.Errorf("only %d cases have shares", inside)
	}
}

// simulated draws a sample of a population.
func simulated(t testing.TB, m *mechanism.Mechanism, share []float64, rows int, r *rand.Rand) *Sample {
	q := law(m, share)
	total := 0.0
	for _, v := range q {
		total += v
	}
	count := make([]int64, len(q))
	for range rows {
		u := r.Float64() * total
		y := 0
		for u -= q[y]; u >= 0 && y < len(q)-1; u -= q[y] {
			y++
		}
		count[y]++
	}
	return sampled(t, count)
}

// What a fit that is not inside the simplex claims is checked by its own definition:
// no move of mass between two letters makes it likelier.
func TestFitAtTheEdge(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	edges := 0
	for range 100 {
		n := 2 + r.IntN(6)
		m := keeping(t, n, n+r.IntN(3), r)
		share := make([]float64, n)
		for x := range share {
			share[x] = max(0, r.Float64()-.5)
		}
		share[0] += .1
		s, c := simulated(t, m, share, 300, r), NewChannel(m)
		l, err := c.Linear(s)
		must(t, err)
		f, err := l.Fit(t.Context(), 1e-10, 100000)
		must(t, err)
		best := likelihood(m, s, f.Share)
		for x := range n {
			if f.Share[x] < 1e-9 {
				edges++
			}
			for z := range n {
				by := 1e-3 * f.Share[x]
				moved := slices.Clone(f.Share)
				moved[x] -= by
				moved[z] += by
				if now := likelihood(m, s, moved); !(now <= best+1e-9) {
					t.Errorf("moving %v from %d to %d is likelier by %v", by, x, z, now-best)
				}
			}
		}
	}
	if edges == 0 {
		t.Error("no fit has a share of 0")
	}
}

func likelihood(m *mechanism.Mechanism, s *Sample, share []float64) (v float64) {
	for y, q := range law(m, share) {
		if n := s.Count[y]; n > 0 {
			v += float64(n) / s.Rows() * math.Log(q)
		}
	}
	return v
}

// Rows of unequal totals: of the sums of three letters, the second an even mixture of the
// others, only the one of all can be estimated, and weights alone would say others.
func TestEstimableWithUnequalTotals(t *testing.T) {
	c := NewChannel(weighted(t, []int64{1, 0}, []int64{1, 1}, []int64{0, 1}))
	for _, s := range []struct {
		set  []int
		want bool
	}{{[]int{0}, false}, {[]int{1}, false}, {[]int{0, 1}, false}, {[]int{1, 2}, false}, {[]int{0, 2}, false},
		{[]int{0, 1, 2}, true}} {
		if got := c.Estimable(s.set); got != s.want {
			t.Errorf("the share of %v can be estimated: %v", s.set, got)
		}
	}
}

// An output that no letter gives cannot have been counted.
func TestImpossible(t *testing.T) {
	m, s := weighted(t, []int64{3, 1, 0}, []int64{1, 3, 0}), sampled(t, []int64{5, 5, 1})
	if _, err := NewChannel(m).Linear(s); !errors.Is(err, ErrImpossible) {
		t.Errorf("there are estimates: %v", err)
	}
}

// A letter of which only one output tells is not determined where that was not seen: other
// laws are as likely.
func TestDeterminedBySeenOutputs(t *testing.T) {
	m := weighted(t, []int64{1, 1, 0, 0}, []int64{0, 1, 1, 0}, []int64{1, 0, 0, 1}, []int64{0, 0, 1, 1})
	for _, c := range []struct {
		count []int64
		want  bool
	}{{[]int64{5, 9, 7, 3}, true}, {[]int64{0, 9, 0, 0}, false}} {
		l, err := NewChannel(m).Linear(sampled(t, c.count))
		must(t, err)
		f, err := l.Fit(t.Context(), 1e-9, 10000)
		must(t, err)
		if got := f.Determined([]int{0, 2}); got != c.want {
			t.Errorf("%v: determined is %v, the only one %v", c.count, got, f.Unique)
		}
	}
}

// must ends a test where something fails that it is not about.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
