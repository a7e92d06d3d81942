package recovery

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// exactly is the spread in fractions, of a mechanism with as many outputs as letters; nil where it is
// singular.
func exactly(m *mechanism.Mechanism, p mechanism.Prior) *big.Rat {
	n := m.Inputs()
	a := make([][]*big.Rat, n) // p beside the identity
	q := make([]*big.Rat, n)
	for x := range a {
		q[x] = new(big.Rat)
		for range 2 * n {
			a[x] = append(a[x], new(big.Rat))
		}
		a[x][n+x].SetInt64(1)
		for i, y := range m.Row(x).Output {
			a[x][y].SetFrac64(m.Row(x).At(i), m.Row(x).Total)
		}
	}
	for x := range a {
		for y := range n {
			q[y].Add(q[y], new(big.Rat).Mul(a[x][y], p.Probability(x)))
		}
	}
	for k := range n {
		at := k
		for at < n && a[at][k].Sign() == 0 {
			at++
		}
		if at == n {
			return nil
		}
		a[k], a[at] = a[at], a[k]
		inverse := new(big.Rat).Inv(a[k][k])
		for j := range a[k] {
			a[k][j].Mul(a[k][j], inverse)
		}
		for x := range a {
			if by := new(big.Rat).Set(a[x][k]); x != k {
				for j := range a[x] {
					a[x][j].Sub(a[x][j], new(big.Rat).Mul(by, a[k][j]))
				}
			}
		}
	}
	sum := big.NewRat(-1, 1)
	for y := range n {
		for x := range n {
			v := a[y][n+x]
			sum.Add(sum, new(big.Rat).Mul(q[y], new(big.Rat).Mul(v, v)))
		}
	}
	return sum
}

// TestSpread: the bound holds, is sharp, and is refused to what cannot be undone.
func TestSpread(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for trial := range 200 {
		n := 2 + r.IntN(5)
		var rows []mechanism.Row
		var count []int64
		for x := range n {
			var to []uint16
			var weight []int64
			for y := range n {
				if y == x || r.IntN(2) == 0 {
					to, weight = append(to, uint16(y)), append(weight, 1+r.Int64N(1<<uint(1+r.IntN(50))))
				}
			}
			rows, count = append(rows, mechanism.WeightedRow(to, weight)), append(count, 1+r.Int64N(99))
		}
		if trial%4 == 0 {
			rows[0] = rows[1]
		}
		m, err := mechanism.New(n, rows)
		if err != nil {
			t.Fatal(err)
		}
		p := priorOf(count...)
		bound, ok := Spread(m, p)
		want := exactly(m, p)
		if want == nil {
			if ok {
				t.Errorf("%d: a singular mechanism has spread %v", trial, bound)
			}
			continue
		}
		exact, _ := want.Float64()
		if !ok && exact < 1e6 || ok && (new(big.Rat).SetFloat64(bound).Cmp(want) < 0 || exact < 1e6 && !(bound <= exact+1e-5*(1+exact))) {
			t.Errorf("%d: spread %v (%v), exactly %v", trial, bound, ok, exact)
		}
	}
}

// TestSearch: what is found is within the factor and the support, and no worse than randomised response
// where that is there.
func TestSearch(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for trial := range 12 {
		n := 3 + r.IntN(8)
		var count []int64
		stands := make([]int, n)
		s := mechanism.NewSupport(n, n)
		for x := range n {
			count, stands[x] = append(count, 1+r.Int64N(99)), x
			for y := range n {
				if trial%2 == 0 || (y-x+n)%n <= n/2 {
					s.Allow(x, y)
				}
			}
		}
		p, factor := priorOf(count...), big.NewRat(5, 2)
		if trial%2 == 1 {
			factor = new(big.Rat).Mul(Needed(p, s), big.NewRat(3, 2))
		}
		near, least, err := optimum.Least(t.Context(), p, s, optimum.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if least.Upper.Cmp(factor) > 0 {
			continue
		}
		m, spread, err := Problem{Prior: p, Support: s, Stands: stands, Factor: factor, Near: near,
			Least: least.Lower}.Search(t.Context(), 0)
		if err != nil || m == nil {
			t.Fatal(trial, m, err)
		}
		if _, _, ok := m.Within(s); !ok || m.Factor(p).Cmp(factor) > 0 {
			t.Errorf("%d: factor %v of %v, within the support: %v", trial, m.Factor(p), factor, ok)
		}
		if exact := exactly(m, p); exact == nil || new(big.Rat).SetFloat64(spread).Cmp(exact) < 0 {
			t.Errorf("%d: spread %v is none of the mechanism", trial, spread)
		}
		f, _ := factor.Float64()
		if rival := Responded(p, f); trial%2 == 0 && !(spread <= rival*(1+1e-3)) {
			t.Errorf("%d: spread %v, randomised response has %v", trial, spread, rival)
		}
	}
}

// TestResponded: the closed form is the spread of that mechanism, which has the factor.
func TestResponded(t *testing.T) {
	p := priorOf(2, 3, 5)
	odds := (2.0 - 1) / (3 * (1 - 2*.2)) // of a value that is kept, for the rarest at factor 2
	own := int64(math.Round((odds + 1./3) * 9e9))
	var rows []mechanism.Row
	for x := range 3 {
		weight := []int64{3e9, 3e9, 3e9}
		weight[x] = own
		rows = append(rows, mechanism.WeightedRow([]uint16{0, 1, 2}, weight))
	}
	m, err := mechanism.New(3, rows)
	if err != nil {
		t.Fatal(err)
	}
	got, _ := Spread(m, p)
	f, _ := m.Factor(p).Float64()
	if want := Responded(p, 2); !(math.Abs(got-want) <= 1e-6*want) || !(math.Abs(f-2) < 1e-6) {
		t.Errorf("spread %v at factor %v, want %v at 2", got, f, want)
	}
}

func priorOf(count ...int64) mechanism.Prior {
	p, err := mechanism.NewPrior(count)
	if err != nil {
		panic(err)
	}
	return p
}
