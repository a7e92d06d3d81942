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
		m := o.Outputs()
		rank, value := make([]uint16, m), make([]float64, m)
		if near, whole := surveyOf(o), surveyOf(mechanism.Tabulate(o)); near != whole {
			t.Errorf("%s: %+v is found, and %+v in the table", name, near, whole)
		}
		for x := range letters {
			o.Row(x, rank, value)
			by := make([]uint16, m)
			for y, r := range rank {
				by[m-int(r)] = uint16(y)
				if o.Rank(x, y) != int(r) || o.Value(x, y) != value[y] {
					t.Fatalf("%s: output %d of %d has rank %d and value %v, and %d and %v alone", name, y, x, r, value[y],
						o.Rank(x, y), o.Value(x, y))
				}
			}
			for _, k := range []int{0, 1, 2, 7, 30, m, m + 1} {
				if best := o.Best(x, k); !slices.Equal(best, by[:min(k, m)]) {
					t.Fatalf("%s: the best %d of %d are %v, and not %v", name, k, x, best, by[:min(k, m)])
				}
			}
			for _, floor := range []float64{value[by[0]], value[by[9]], value[by[m-1]], math.Nextafter(value[by[9]], 0), 1} {
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

// TestNearbyTies: a row has a tie where two values are equal to the last bit.
func TestNearbyTies(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	tied := 0
	for range 60 {
		o := &points{dim: 3, sphere: true}
		for range 12 {
			a, b := rng.Float64()*6, rng.Float64()*3-1.5
			at := []float64{math.Cos(b) * math.Cos(a), math.Cos(b) * math.Sin(a), math.Sin(b)}
			o.in, o.out = append(o.in, at...), append(o.out, at...)
		}
		// Another place, off by a few units of the last place.
		for i, v := range o.out[:3] {
			o.out = append(o.out, v)
			for range rng.IntN(4) * (i % 2) {
				o.out[len(o.out)-1] = math.Nextafter(o.out[len(o.out)-1], 2)
			}
		}
		near, whole := surveyOf(o), surveyOf(mechanism.Tabulate(o))
		if near != whole {
			t.Fatalf("%+v is found, and %+v in the table", near, whole)
		}
		tied += near.tied
	}
	if tied == 0 || tied == 60*12 {
		t.Errorf("control: %d of %d rows have a tie", tied, 60*12)
	}
}
