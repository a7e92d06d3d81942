package optimum

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/mechtest"
)

func checkFlat(t *testing.T, p mechanism.Prior, s *mechanism.Support) *big.Rat {
	t.Helper()
	m, err := Pruned(p, s)
	if err != nil {
		t.Fatal(err)
	}
	if x, y, ok := m.Within(s); !ok {
		t.Fatalf("cell (%d,%d) is not allowed", x, y)
	}
	_, f := m.Leakage(p).Max()
	return f
}

// THEORY section 2: compared at different floors, flat may be worse than safe.
func TestFlatCounterexample(t *testing.T) {
	p := mechtest.Prior(t, 333, 333, 333, 1)
	o := mechtest.Ranks(t, [][]uint16{{4, 3, 2, 1}, {2, 4, 3, 1}, {3, 2, 4, 1}, {4, 2, 1, 3}})
	if f := checkFlat(t, p, mechanism.SupportOf(o, mechanism.RankFloor(3))); f.Cmp(big.NewRat(1000, 1)) != 0 {
		t.Errorf("flat at h=3 is %v, want 1000", f)
	}
	if f := safeFactor(t, p, o, 4); f.Cmp(big.NewRat(1000, 333)) != 0 {
		t.Errorf("M*(4) is %v, want 1000/333", f)
	}
}

func TestFlatWithoutSolution(t *testing.T) {
	o := mechtest.Matrix(t, [][]float64{{1, 1}, {1, 0}, {0, 1}})
	if _, err := Pruned(mechtest.Prior(t, 1, 1, 1), mechanism.SupportOf(o, mechanism.ValueFloor(1))); !errors.Is(err,
		ErrNoFlat) {
		t.Errorf("error %v, want ErrNoFlat", err)
	}
	// Without records the first letter does not bind.
	if f := checkFlat(t, mechtest.Prior(t, 0, 1, 1), mechanism.SupportOf(o, mechanism.ValueFloor(1))); f.Cmp(
		big.NewRat(2,
			1)) != 0 {
		t.Errorf("factor %v, want 2", f)
	}
	var none *mechanism.NoOutputError
	if _, err := Pruned(mechtest.Prior(t, 1, 1), mechanism.NewSupport(2, 2)); !errors.As(err, &none) {
		t.Errorf("error %v, want *NoOutputError", err)
	}
}

func TestFlatFreeFloor(t *testing.T) {
	o := mechtest.Matrix(t, [][]float64{{1, 1, 1}, {1, 1, 0}, {0, 1, 1}})
	if f := checkFlat(t, mechtest.Prior(t, 5, 3, 2), mechanism.SupportOf(o, mechanism.ValueFloor(1))); f.Cmp(one) != 0 {
		t.Errorf("factor %v, want 1", f)
	}
	if f := checkFlat(t, mechtest.Prior(t, 0, 0, 0), mechanism.SupportOf(o, mechanism.ValueFloor(1))); f.Cmp(one) != 0 {
		t.Errorf("factor %v of an empty prior, want 1", f)
	}
}

// On rows of equal size: lower bound <= optimum <= flat <= M*, and flat is
// exactly n over a mass.
func TestFlatOnInstances(t *testing.T) {
	flat, below := 0, 0
	for _, i := range mechtest.Instances(t) {
		p, s := mechtest.Prior(t, i.Counts...), i.Support()
		m, err := Pruned(p, s)
		if i.Expect != "" {
			var none *mechanism.NoOutputError
			if !errors.As(err, &none) {
				t.Errorf("%s: error %v", i.Name, err)
			}
			continue
		}
		if errors.Is(err, ErrNoFlat) {
			if even(s) {
				t.Errorf("%s: no flat mechanism on rows of equal size", i.Name)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		flat++
		_, f := m.Leakage(p).Max()
		if x, y, ok := m.Within(s); !ok {
			t.Errorf("%s: cell (%d,%d) is not allowed", i.Name, x, y)
		}
		low := mechtest.Ratio(t, i.Low)
		low.Mul(low, big.NewRat(1<<50-1, 1<<50))
		if f.Cmp(low) < 0 {
			t.Errorf("%s: factor %v is below the optimum %s", i.Name, f.FloatString(12), i.Low)
		}
		if !isMass(p, s, f) {
			t.Errorf("%s: factor %v is not n over a mass", i.Name, f.FloatString(20))
		}
		u, err := mechanism.Uniform(s, mechanism.Floor{})
		if err != nil {
			t.Fatal(err)
		}
		_, safe := u.Leakage(p).Max()
		if even(s) && f.Cmp(safe) > 0 {
			t.Errorf("%s: flat %v is above safe %v", i.Name, f.FloatString(12), safe.FloatString(12))
		}
		if even(s) && !(math.Abs(mechanism.Nats(safe)-*i.Formula) <= 1e-12) {
			t.Errorf("%s: safe %v, want %v", i.Name, mechanism.Nats(safe), *i.Formula)
		}
		if f.Cmp(safe) < 0 {
			below++
		}
	}
	if flat < 25 || below < 10 {
		t.Errorf("%d instances are flat, %d of them below safe", flat, below)
	}
}

// Random orders, small enough to enumerate: the theta found is the largest.
func TestFlatIsLeast(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for trial := range 400 {
		n, m := 2+rng.IntN(4), 2+rng.IntN(4)
		s, count := mechanism.NewSupport(n, m), make([]int64, n)
		for x := range n {
			count[x] = 1 + int64(rng.IntN(50))
			s.Allow(x, rng.IntN(m))
			for y := range m {
				if rng.IntN(2) == 0 {
					s.Allow(x, y)
				}
			}
		}
		p := mechtest.Prior(t, count...)
		want := bruteTheta(p, s)
		got, err := Pruned(p, s)
		switch {
		case want == 0 && errors.Is(err, ErrNoFlat):
		case err != nil || want == 0:
			t.Fatalf("trial %d: error %v, want theta %d", trial, err, want)
		default:
			if _, f := got.Leakage(p).Max(); f.Cmp(big.NewRat(p.Total(), want)) != 0 {
				t.Fatalf("trial %d: factor %v, want %d/%d", trial, f.FloatString(20), p.Total(), want)
			}
		}
	}
}

// bruteTheta tries all bases: every vertex of B q = 1, q >= 0 has independent
// columns, so each subset of columns with a non-negative solution is tested
// by elimination in fractions.
func bruteTheta(p mechanism.Prior, s *mechanism.Support) int64 {
	mass, best := s.Mass(p), int64(0)
	for set := 1; set < 1<<s.Outputs(); set++ {
		var cols []int
		theta := int64(math.MaxInt64)
		for y := range s.Outputs() {
			if set>>y&1 == 1 {
				cols, theta = append(cols, y), min(theta, mass[y])
			}
		}
		if theta > best && carries(s, cols) {
			best = theta
		}
	}
	return best
}

// carries reports whether the columns are independent and B q = 1 has a
// non-negative solution on them.
func carries(s *mechanism.Support, cols []int) bool {
	a := make([][]*big.Rat, s.Inputs())
	for x := range a {
		for _, y := range cols {
			v := int64(0)
			if s.Allowed(x, y) {
				v = 1
			}
			a[x] = append(a[x], big.NewRat(v, 1))
		}
		a[x] = append(a[x], big.NewRat(1, 1))
	}
	for k := range cols {
		at := k
		for at < len(a) && a[at][k].Sign() == 0 {
			at++
		}
		if at >= len(a) {
			return false
		}
		a[k], a[at] = a[at], a[k]
		for x := range a {
			if x == k || a[x][k].Sign() == 0 {
				continue
			}
			f := new(big.Rat).Quo(a[x][k], a[k][k])
			for j := range a[x] {
				a[x][j].Sub(a[x][j], new(big.Rat).Mul(f, a[k][j]))
			}
		}
	}
	for x := range a {
		last := a[x][len(cols)]
		if x >= len(cols) && last.Sign() != 0 || x < len(cols) && last.Sign()*a[x][x].Sign() < 0 {
			return false
		}
	}
	return true
}

func even(s *mechanism.Support) bool {
	for x := range s.Inputs() {
		if s.Size(x) != s.Size(0) {
			return false
		}
	}
	return true
}

func isMass(p mechanism.Prior, s *mechanism.Support, f *big.Rat) bool {
	for _, m := range s.Mass(p) {
		if m > 0 && f.Cmp(big.NewRat(p.Total(), m)) == 0 {
			return true
		}
	}
	return false
}

// 229 places in the plane: the flat mechanism is exactly constant where it
// binds, and beats the uniform one.
func TestFlatPlane(t *testing.T) {
	p, o := mechtest.Plane(t, 229)
	for _, h := range []int{114, 171, 226} {
		s := mechanism.SupportOf(o, mechanism.RankFloor(h))
		f := checkFlat(t, p, s)
		if safe := safeFactor(t, p, o, h); f.Cmp(safe) >= 0 {
			t.Errorf("h=%d: flat %v, safe %v", h, f.FloatString(6), safe.FloatString(6))
		}
		if !isMass(p, s, f) {
			t.Errorf("h=%d: factor %v is not n over a mass", h, f.FloatString(20))
		}
	}
}

// Rounding goes to the column with the most room above the binding one, and
// fractions are taken only where they solve every row.
func TestFlatRounding(t *testing.T) {
	f := &FlatSearch{share: []int64{10, 30, 20}}
	if i := f.roomiest([]uint16{0, 1, 2}, []int64{9, 2, 3}, 10); i != 1 {
		t.Errorf("column %d takes the rounding, want 1", i)
	}
	if i := f.roomiest([]uint16{0}, []int64{9}, 10); i != 0 {
		t.Errorf("column %d takes the rounding, want 0", i)
	}
	s := mechanism.NewSupport(2, 3)
	for _, cell := range [][2]int{{0, 0}, {0, 1}, {1, 1}, {1, 2}} {
		s.Allow(cell[0], cell[1])
	}
	f, err := NewFlatSearch(mechtest.Prior(t, 1, 1), s)
	if err != nil {
		t.Fatal(err)
	}
	weight := make([]int64, 3)
	if d, ok := f.recognise([]float64{1. / 3, 2. / 3, 1. / 3}, weight); !ok || d != 3 || weight[1] != 2 {
		t.Errorf("thirds are %v of %d, %v", weight, d, ok)
	}
	if _, ok := f.recognise([]float64{1. / 3, 2. / 3, 1. / 4}, weight); ok {
		t.Error("a row of sum 11/12 is taken")
	}
	// Nothing to recognise, and the binding column first: constant all the same.
	s = mechanism.NewSupport(3, 5)
	for _, cell := range [][2]int{{0, 0}, {0, 1}, {1, 0}, {1, 2}, {2, 1}, {2, 2}, {2, 3}, {2, 4}} {
		s.Allow(cell[0], cell[1])
	}
	if f, err = NewFlatSearch(mechtest.Prior(t, 1, 1, 5), s); err != nil {
		t.Fatal(err)
	}
	first, third := math.Pi/5, math.Sqrt2/10
	m, err := f.round([]float64{first, 1 - first + 1e-15, 1 - first - 1e-15, third, 2*first - 1 - third})
	if err != nil {
		t.Fatal(err)
	}
	if _, l := m.Leakage(f.prior[0]).Max(); l.Cmp(big.NewRat(7, 2)) != 0 || m.Row(0).Total != 1<<flatBits {
		t.Errorf("factor %v, row total %d", l, m.Row(0).Total)
	}
}

func safeFactor(t *testing.T, p mechanism.Prior, o mechanism.Order, h int) *big.Rat {
	t.Helper()
	m, err := mechanism.Safe(p, o, mechanism.RankFloor(h))
	if err != nil {
		t.Fatal(err)
	}
	_, f := m.Leakage(p).Max()
	return f
}

// TestFlatRoundsWhatIsNear: a q that solves its equations badly makes a mechanism, or none;
// a weight below 1 is never handed on.
func TestFlatRoundsWhatIsNear(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	s := mechanism.NewSupport(3, 2)
	for _, cell := range [][2]int{{0, 0}, {0, 1}, {1, 0}, {2, 0}} {
		s.Allow(cell[0], cell[1])
	}
	f, err := NewFlatSearch(mechtest.Prior(t, 5, 3, 900), s)
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for range 200 {
		q := []float64{1e-12 * r.Float64(), .1 + 3*r.Float64()}
		switch _, err := f.round(q); {
		case errors.Is(err, ErrNoFlat):
			refused++
		case err != nil:
			t.Fatalf("%v: %v", q, err)
		}
	}
	if refused == 200 {
		t.Error("control: nothing is near enough")
	}
}
