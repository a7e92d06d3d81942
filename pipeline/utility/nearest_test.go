package utility

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

// TestNearbyRows: the best outputs, one rank, one value and what is within a floor are what a
// whole row says, on spheres, lines and in the plane, where many places coincide or lie
// equally far away.
func TestNearbyRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	const letters = 60
	for name, o := range map[string]*points{
		"sphere": {dim: 3, sphere: true}, "solid": {dim: 3}, "plane": {dim: 2}, "line": {dim: 1}, "four": {dim: 4},
	} {
		for range letters {
			place := make([]float64, o.dim)
			for i := range place {
				place[i] = float64(rng.IntN(4)) * []float64{1, 1e-160}[rng.IntN(2)]
			}
			if o.sphere {
				a, b := float64(rng.IntN(8))*math.Pi/4, float64(rng.IntN(5)-2)*math.Pi/4
				place = []float64{math.Cos(b) * math.Cos(a), math.Cos(b) * math.Sin(a), math.Sin(b)}
			}
			o.in, o.out = append(o.in, place...), append(o.out, place...)
		}
		o.out = append(o.out, o.in[:5*o.dim]...)
		rowsAgree(t, name, o, func([]float64) {})
	}
}

// rowsAgree holds what an order says of one output, of the best and of those within a floor to
// its rows, which see is shown.
func rowsAgree(t *testing.T, name string, o mechanism.Nearby, see func(value []float64)) {
	t.Helper()
	m := o.Outputs()
	rank, value, by := make([]uint16, m), make([]float64, m), make([]uint16, m)
	for x := range o.Inputs() {
		o.Row(x, rank, value)
		see(value)
		for y, r := range rank {
			by[m-int(r)] = uint16(y)
			if o.Rank(x, y) != int(r) || o.Value(x, y) != value[y] {
				t.Fatalf("%s: output %d of %d has rank %d and value %v, and %d and %v alone", name, y, x, r, value[y],
					o.Rank(x, y), o.Value(x, y))
			}
		}
		if worst := o.Worst(x, by); worst != int(by[m-1]) {
			t.Fatalf("%s: the worst output of %d is %d, and not %d", name, x, worst, by[m-1])
		}
		for k := range m + 2 {
			if best := o.Best(x, k); !slices.Equal(best, by[:min(k, m)]) {
				t.Fatalf("%s: the best %d of %d are %v, and not %v", name, k, x, best, by[:min(k, m)])
			}
		}
		some := value[by[m/2]]
		for _, floor := range []float64{value[by[0]], some, value[by[m-1]], math.Nextafter(some, 0), 1} {
			var want []uint16
			for y, v := range value {
				if v >= floor {
					want = append(want, uint16(y))
				}
			}
			if got := o.Within(x, floor); !slices.Equal(got, want) {
				t.Fatalf("%s: within %v of %d are %v, and not %v", name, floor, x, got, want)
			}
		}
	}
}

// TestNearbySupports: floors and what a mechanism keeps are those of the table.
func TestNearbySupports(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	o := &points{dim: 2}
	for range 2 * 40 {
		v := float64(rng.IntN(12))
		o.in, o.out = append(o.in, v), append(o.out, v)
	}
	table := mechanism.Tabulate(o)
	for _, f := range []mechanism.Floor{mechanism.RankFloor(33), mechanism.RankFloor(1), mechanism.ValueFloor(-3)} {
		near, whole := mechanism.SupportOf(o, f), mechanism.SupportOf(table, f)
		for x := range 40 {
			if a, b := near.AppendRow(nil, x), whole.AppendRow(nil, x); !slices.Equal(a, b) {
				t.Fatalf("%v allows %d %v, and not %v", f, x, a, b)
			}
		}
		m, err := mechanism.Uniform(near, f)
		if err != nil {
			t.Fatal(err)
		}
		rank, value := m.Floor(o)
		if r, v := m.Floor(table); r != rank || v != value {
			t.Errorf("%v keeps rank %d and value %v, and not %d and %v", f, rank, value, r, v)
		}
	}
}
