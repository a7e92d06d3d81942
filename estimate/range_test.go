package estimate

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"

	"github.com/tacet-privacy/tacet/mechanism"
)

// dependent is a random mechanism in which some rows are mixtures of others.
func dependent(t testing.TB, n, m int, r *rand.Rand) *mechanism.Mechanism {
	weight := make([][]int64, n)
	kept := 1 + r.IntN(n)
	for x := range weight {
		weight[x] = make([]int64, m)
		if x < kept {
			for y := range m {
				weight[x][y] = max(0, r.Int64N(7)-2)
			}
			weight[x][r.IntN(m)]++
			continue
		}
		for range 1 + r.IntN(3) {
			of := r.IntN(kept)
			for y := range m {
				weight[x][y] += weight[of][y]
			}
		}
	}
	return weighted(t, weight...)
}

// Where outputs have exactly their expected shares, the ranges hold the truth, and are
// those that gonum's simplex method finds.
func TestSharpBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	singular, wide, cases := 0, 0, 100
	if torture() {
		cases = 1000
	}
	for range cases {
		n, m := 2+r.IntN(6), 2+r.IntN(5)
		mech := dependent(t, n, m, r)
		c := NewChannel(mech)
		share := shares(n, r)
		q := law(mech, share)
		count := make([]int64, m)
		for y := range q {
			count[y] = int64(math.Round(q[y] * 1e15))
		}
		s := sampled(t, count)
		l, err := c.Linear(s)
		if err != nil {
			t.Fatal(err)
		}
		f, err := c.Fit(t.Context(), s, 1e-13, 200000)
		if err != nil {
			t.Fatal(err)
		}
		sets := append(each(n), []int{0, n - 1})
		got := f.Bounds(l, sets)
		if c.Rank() < n {
			singular++
		}
		if f.Unique && c.Rank() == n {
			for x := range n {
				if !got[x].Determined {
					t.Errorf("letter %d has a range where the fit is the only one", x)
				}
			}
		}
		for j, set := range sets {
			truth := 0.0
			for _, x := range set {
				truth += share[x]
			}
			b := got[j]
			// Where a share is 0 and nothing pushes it there, it is told to the root of the gap.
			tol := 2e-5
			if !(b.Low <= truth+tol && truth <= b.High+tol) {
				t.Errorf("%v: %v is outside %v to %v; fit %v", set, truth, b.Low, b.High, f.Share)
			}
			if b.High-b.Low > .01 {
				wide++
			}
			for end, sign := range []float64{1, -1} {
				want := gonumEnd(t, mech, share, set, sign)
				near(t, fmt.Sprintf("end %d of %v", end, set), [2]float64{b.Low, b.High}[end], want, tol)
			}
			if t.Failed() {
				t.Fatalf("weights %v, shares %v", c.p, share)
			}
		}
	}
	if singular < cases/3 || wide < cases/3 {
		t.Errorf("only %d of %d cases are singular, with %d ranges", singular, cases, wide)
	}
}

// shares are random, some of them 0.
func shares(n int, r *rand.Rand) []float64 {
	p, total := make([]float64, n), 0.0
	for x := range p {
		if r.IntN(4) > 0 {
			p[x] = r.ExpFloat64()
		}
		total += p[x]
	}
	if total == 0 {
		p[0], total = 1, 1
	}
	for x := range p {
		p[x] /= total
	}
	return p
}

// gonumEnd is the least or the largest share of some letters under the outputs of a law.
// Its equations are made independent first, as that simplex method wants them.
func gonumEnd(t *testing.T, m *mechanism.Mechanism, share []float64, set []int, sign float64) float64 {
	t.Helper()
	n, outputs := m.Inputs(), m.Outputs()
	q := law(m, share)
	a := mat.NewDense(outputs, n, nil)
	for x := range n {
		row := m.Row(x)
		for i, y := range row.Output {
			a.Set(int(y), x, float64(row.At(i))/float64(row.Total))
		}
	}
	var svd mat.SVD
	svd.Factorize(a, mat.SVDThin)
	var u mat.Dense
	svd.UTo(&u)
	rank := 0
	for _, v := range svd.Values(nil) {
		if v > 1e-9 {
			rank++
		}
	}
	left := u.Slice(0, outputs, 0, rank)
	var reduced, right mat.Dense
	reduced.Mul(left.T(), a)
	right.Mul(left.T(), mat.NewDense(outputs, 1, q))
	cost := make([]float64, n)
	for _, x := range set {
		cost[x] = sign
	}
	if rank == n { // gonum wants more letters than equations
		value := 0.0
		for _, x := range set {
			value += share[x]
		}
		return value
	}
	value, _, err := lp.Simplex(cost, &reduced, right.RawMatrix().Data, 1e-10, nil)
	if err != nil {
		t.Fatal(err)
	}
	return sign * value
}

// An output that was not seen tells that letters which would give it are rare: of all
// letters alike in what was seen, ranges are those of the most likely laws.
func TestOutputsThatWereNotSeen(t *testing.T) {
	m := weighted(t, []int64{1, 1, 0, 0}, []int64{1, 0, 1, 0}, []int64{0, 0, 0, 1})
	c := NewChannel(m)
	s := sampled(t, []int64{10, 0, 0, 10})
	f, err := c.Fit(t.Context(), s, 1e-12, 10000)
	if err != nil {
		t.Fatal(err)
	}
	if c.Rank() != 3 || f.Unique {
		t.Errorf("rank %d; the fit is the only one: %v", c.Rank(), f.Unique)
	}
	l, err := c.Linear(s)
	if err != nil {
		t.Fatal(err)
	}
	got := f.Bounds(l, append(each(3), []int{0, 1}))
	half := got[3].Low
	for i, want := range [][2]float64{{0, half}, {0, half}, {1 - half, 1 - half}, {half, half}} {
		near(t, fmt.Sprint("low end ", i), got[i].Low, want[0], 1e-9)
		near(t, fmt.Sprint("high end ", i), got[i].High, want[1], 1e-9)
	}

	// Of a letter that some thousandth holds, no output may be seen in a thousand rows.
	c, s = NewChannel(cyclic(t, 4, 2)), sampled(t, []int64{500, 500, 0, 0})
	if l, err = c.Linear(s); err != nil {
		t.Fatal(err)
	}
	if f, err = c.Fit(t.Context(), s, 1e-12, 10000); err != nil {
		t.Fatal(err)
	}
	if b := f.Bounds(l, each(4)); !(b[1].Within(.95).High > .002 && b[0].Within(.95).Low < .999) {
		t.Errorf("outputs that were not seen count as impossible: %v", b)
	}
}

// The simplex method goes on from any corner to the right one, with many letters.
func TestManyBounds(t *testing.T) {
	m := cyclic(t, 60, 30)
	r := rand.New(rand.NewPCG(13, 14))
	share := shares(60, r)
	s, c := simulated(t, m, share, 1e6, r), NewChannel(m)
	if c.Rank() != 31 {
		t.Fatalf("rank %d", c.Rank())
	}
	l, err := c.Linear(s)
	if err != nil {
		t.Fatal(err)
	}
	f, err := c.Fit(t.Context(), s, 1e-9, 100000)
	if err != nil {
		t.Fatal(err)
	}
	sets := append(each(60), []int{3, 33})
	got := f.Bounds(l, sets)
	for j, set := range sets {
		truth, fit := 0.0, 0.0
		for _, x := range set {
			truth += share[x]
			fit += f.Share[x]
		}
		w := got[j].Within(1 - 1e-9)
		if b := got[j]; !(b.Low <= fit+1e-9 && fit <= b.High+1e-9) || !(w.Low <= truth && truth <= w.High) {
			t.Errorf("%v: fit %v, truth %v, range %v to %v, interval %v", set, fit, truth, b.Low, b.High, w)
		}
	}
}

// Where floats cannot tell a mechanism from a singular one there are ranges all the same,
// and intervals about them hold the truth; an estimate is refused, or has such an interval.
func TestNearlySingular(t *testing.T) {
	r := rand.New(rand.NewPCG(34, 35))
	refused, wide := 0, 0
	for i := range 200 {
		n := 2 + r.IntN(5)
		base, scale := cyclic(t, n+1, 2), int64(math.Pow10(6+r.IntN(10)))
		if i%2 == 0 {
			base = keeping(t, n+1, n+1, r)
		}
		var weight [][]int64
		for x := range n + 1 {
			row, of := make([]int64, n+1), base.Row(min(x, n-1))
			for k, y := range of.Output {
				row[y] = scale*of.At(k) + r.Int64N(3)*int64(x/n)
			}
			weight = append(weight, row)
		}
		m := weighted(t, weight...)
		share := shares(n+1, r)
		c, s := NewChannel(m), simulated(t, m, share, 1e5, r)
		l, err := c.Linear(s)
		if err != nil {
			t.Fatal(err)
		}
		f, err := c.Fit(t.Context(), s, 1e-10, 10000)
		if err != nil {
			t.Fatal(err)
		}
		sets := append(each(n+1), []int{n - 1, n})
		for j, b := range f.Bounds(l, sets) {
			truth, w := 0.0, b.Within(1-1e-9)
			for _, x := range sets[j] {
				truth += share[x]
			}
			if !(b.Low <= b.High && w.Low-1e-6 <= truth && truth <= w.High+1e-6) {
				t.Errorf("case %d: %v is outside %v, range %v to %v", i, truth, w, b.Low, b.High)
			}
			if w.High-w.Low > .5 {
				wide++
			}
			if j < n-1 && !(w.High-w.Low < 1) {
				t.Errorf("case %d: nothing is told of letter %d, which others are far from", i, j)
			}
		}
		if _, err := l.Sums(sets); errors.Is(err, ErrIllConditioned) {
			refused++
		}
		// With one more row of each kind nothing is estimable. The counts of the mean release are
		// rounded, and do not add up to all records.
		var records []int64
		for range 2 * (n + 1) {
			records = append(records, 1+r.Int64N(40))
		}
		two := weighted(t, append(weight, weight...)...)
		for j, f := range forecast(t, outlook(t, two, records...), 0, Set{Letters: sets[0]}, Set{Letters: sets[n]}) {
			if !f.Told && !f.Lost && !(f.Least <= f.Share+1e-6 && f.Share <= f.Most+1e-6) {
				t.Errorf("case %d: forecast %d is %+v", i, j, f)
			}
		}
	}
	if refused < 20 || wide < 50 {
		t.Errorf("%d cases are ill-conditioned, with %d wide ranges", refused, wide)
	}
}
