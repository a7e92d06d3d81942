package composition

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

func repeat(m *mechanism.Mechanism, k int) []*mechanism.Mechanism {
	laws := make([]*mechanism.Mechanism, k)
	for i := range laws {
		laws[i] = m
	}
	return laws
}

// countingQuery is M*(5) of the paper's counting query: seven letters, equally
// frequent, and the outputs of rank 5 to 7.
func countingQuery(t *testing.T) (*mechanism.Mechanism, mechanism.Prior) {
	first := []int{0, 0, 1, 2, 3, 4, 4}
	rows := make([][]int64, 7)
	for x, y := range first {
		rows[x] = make([]int64, 7)
		rows[x][y], rows[x][y+1], rows[x][y+2] = 1, 1, 1
	}
	return law(t, rows...), uniform(t, 7)
}

func within(t *testing.T, share *big.Rat, want, tol float64) {
	t.Helper()
	if share == nil {
		t.Fatal("no share")
	}
	v, _ := share.Float64()
	if !(math.Abs(v-want) <= tol) {
		t.Errorf("share %v, want %v", v, want)
	}
}

// N=10, nine outputs each: certain for .47 %, 35.9 % and 92.1 % of records
// after 10, 20 and 40 nights, and so in simulation: 20,000 records, whose count
// leaves 6.2 standard deviations with a chance below 1e-9.
func TestFreshDrawsIdentify(t *testing.T) {
	t.Parallel()
	m := cyclic(t, 10, 9)
	p := uniform(t, 10)
	rng := rand.New(rand.NewPCG(15, 16))
	for _, c := range []struct {
		nights    int
		want, tol float64
	}{{10, .0047, 5e-5}, {20, .359, 5e-4}, {40, .921, 5e-4}} {
		share := Certain(p, repeat(m, c.nights))
		within(t, share, c.want, c.tol)
		exact, _ := share.Float64()
		const records = 20000
		found := 0
		for range records {
			// Letter 0 gives all outputs but 9; output y excludes letter y+1.
			seen := 0
			for range c.nights {
				seen |= 1 << rng.IntN(9)
			}
			if seen == 1<<9-1 {
				found++
			}
		}
		if d := math.Abs(float64(found) - records*exact); !(d <= 6.2*math.Sqrt(records*exact*(1-exact))) {
			t.Errorf("%d nights: %d of %d records certain, expected %v", c.nights, found, records, records*exact)
		}
	}
}

// The counting query's M*(5): 20/63 of records are certain after five nights,
// 42.6 % after fourteen, and never more than 3/7.
func TestCountingQueryIdentifies(t *testing.T) {
	m, p := countingQuery(t)
	five := Certain(p, repeat(m, 5))
	equal(t, "five nights", five, 20, 63)
	within(t, Certain(p, repeat(m, 14)), .426, 5e-4)
	within(t, Certain(p, repeat(m, 60)), 3./7, 1e-9)
	rng := rand.New(rand.NewPCG(17, 18))
	const records = 20000
	found := 0
	for range records {
		x, left := rng.IntN(7), map[int]bool{}
		for k := range 7 {
			left[k] = true
		}
		for range 5 {
			y := m.Row(x).Output[rng.IntN(3)]
			for k := range left {
				if !gives(m, k, y) {
					delete(left, k)
				}
			}
		}
		if len(left) == 1 {
			found++
		}
	}
	if d := math.Abs(float64(found) - records*20./63); !(d <= 6.2*math.Sqrt(records*20./63*43./63)) {
		t.Errorf("%d of %d records certain", found, records)
	}
}

func gives(m *mechanism.Mechanism, x int, y uint16) bool {
	for _, z := range m.Row(x).Output {
		if z == y {
			return true
		}
	}
	return false
}

// Fresh against every sequence of outputs, tried one by one, and its bound.
func TestFreshIsTheMaximum(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 20))
	for i := range 300 {
		n, k := 2+rng.IntN(4), 1+rng.IntN(4)
		count := make([]int64, n)
		for x := range count {
			count[x] = rng.Int64N(9)
		}
		count[rng.IntN(n)]++
		p, a := prior(t, count...), randomLaw(t, rng, n, 3)
		laws := repeat(a, k)
		if i%2 == 0 {
			laws[rng.IntN(k)] = randomLaw(t, rng, n, 2)
		}
		channel := make([]Channel, k)
		for j := range laws {
			channel[j] = Channel{Law: laws[j]}
		}
		want, certain := big.NewRat(1, 1), new(big.Rat)
		o := watch(p, make1(t, p, channel...).Start())
		for j := range laws {
			o.night(j, laws[j])
		}
		for h, joint := range o.joint {
			if f := o.factor(p, h); f.Cmp(want) > 0 {
				want = f
			}
			mass, alive := new(big.Rat), 0
			for _, v := range joint {
				mass.Add(mass, v)
				alive += v.Sign()
			}
			if alive == 1 {
				certain.Add(certain, mass)
			}
		}
		got := Fresh(p, laws)
		if got.Bound || got.Factor.Cmp(want) != 0 {
			t.Fatalf("account %v, by brute force %v", got, want)
		}
		if share := Certain(p, laws); share.Cmp(certain) != 0 {
			t.Fatalf("certain %v, by brute force %v", share, certain)
		}
		if b := bound(p, laws); b.Cmp(want) < 0 {
			t.Fatalf("bound %v is below the factor %v", b, want)
		}
	}
}

// k fresh releases of M*(h): 1 / P(S_y1 & ... & S_yk).
func TestFreshSafeReleases(t *testing.T) {
	p := prior(t, 5, 4, 3, 2, 1)
	for m := 1; m <= 5; m++ {
		law := cyclic(t, 5, m)
		for k := 1; k <= 4; k++ {
			least := p.Total()
			outputs := make([]int, k)
			for code := range int(math.Pow(5, float64(k))) {
				for i := range outputs {
					outputs[i] = code % 5
					code /= 5
				}
				if mass := Common(p, law, outputs); mass > 0 {
					least = min(least, mass)
				}
			}
			equal(t, fmt.Sprintf("%d releases of m=%d", k, m), Fresh(p, repeat(law, k)).Factor, p.Total(), least)
		}
	}
}

// A design that leaves too many likelihoods to try: PML + (k-1) LDP while that
// is below -log P_min.
func TestFreshBound(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(21, 22))
	rows := make([][]int64, 60)
	for x := range rows {
		rows[x] = make([]int64, 60)
		for y := range rows[x] {
			rows[x][y] = 1000 + rng.Int64N(30)
		}
	}
	m, p := law(t, rows...), uniform(t, 60)
	_, e := m.Leakage(p).Max()
	d := spread(p, m)
	got, want := Fresh(p, repeat(m, 4)), new(big.Rat).Set(e)
	for range 3 {
		want.Mul(want, d)
	}
	if !got.Bound || got.Factor.Cmp(want) != 0 {
		t.Errorf("four releases: %v (bound %v), want %v", got.Factor, got.Bound, want)
	}
	if got := bound(p, repeat(m, 500)); got.Cmp(big.NewRat(60, 1)) != 0 {
		t.Errorf("500 releases: %v, want 60", got)
	}
	if got := bound(p, repeat(cyclic(t, 60, 59), 2)); got.Cmp(big.NewRat(60, 1)) != 0 {
		t.Errorf("two releases with zeros: %v, want 60", got)
	}
}

// Common is n P(S_y1 & ... & S_yk), the records whose letter may give every one
// of these outputs. Of k fresh releases of a mechanism whose columns are
// constant where they are not 0, such as M*(h), the outputs together have the
// factor n / Common; it is 0 where no letter gives them all.
func Common(p mechanism.Prior, m *mechanism.Mechanism, outputs []int) int64 {
	mass := int64(0)
	for x := range m.Inputs() {
		if p.Count(x) > 0 && givesAll(m.Row(x).Output, outputs) {
			mass += p.Count(x)
		}
	}
	return mass
}

func givesAll(row []uint16, outputs []int) bool {
	for _, y := range outputs {
		if _, ok := slices.BinarySearch(row, uint16(y)); !ok {
			return false
		}
	}
	return true
}

// Certain is the share of records whose letter is certain once all outputs are
// known, exactly; nil where there are too many outputs to try all.
func Certain(p mechanism.Prior, laws []*mechanism.Mechanism) *big.Rat {
	f := newFan(p)
	for _, m := range grouped(laws) {
		if !f.multiply(m, true) {
			return nil
		}
	}
	share := new(big.Rat)
	for _, v := range f.all {
		if v.letters() == 1 {
			share.Add(share, v.mass)
		}
	}
	return share
}

func (r *ray) letters() int {
	n := 0
	for _, v := range r.like {
		n += v.Sign()
	}
	return n
}
