package frontier

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/mechtest"
)

// Every utility that no letter lacks is a value floor, from the best down; beyond allValues cells
// so many are.
func TestFloorsListed(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for trial := range 100 {
		n, m := 1+rng.IntN(8), 1+rng.IntN(8)
		count, value, top := make([]int64, n), make([][]float64, n), math.Inf(1)
		for x := range value {
			for range m {
				v := float64(rng.IntN(6 + trial/2%2*6))
				if trial%2 == 1 && v < 2 {
					v = math.Inf(-1)
				}
				value[x] = append(value[x], v)
			}
			value[x][rng.IntN(m)] = 3
			top = min(top, slices.Max(value[x]))
		}
		want := slices.DeleteFunc(slices.Concat(value...), func(v float64) bool { return v > top || math.IsInf(v, -1) })
		slices.Sort(want)
		want = slices.Compact(want)
		slices.Reverse(want)
		f, err := NewFloors(t.Context(), mechtest.Prior(count...), mechtest.Matrix(value), true, nil)
		must(t, err)
		for i, v := range want {
			if len(want) != f.Len() || f.At(i) != mechanism.ValueFloor(v) || f.Place(f.At(i)) != i {
				t.Fatalf("trial %d: floors %v, want %v", trial, f.floor, want)
			}
		}
	}
	p, o := mechtest.Plane(520)
	if f, err := NewFloors(t.Context(), p, o, true, nil); err != nil || f.Len() != sampledValues || !f.Sampled() {
		t.Errorf("%d floors are sampled, %v", f.Len(), err)
	}
}

func TestFrontierRefusesEmptyRow(t *testing.T) {
	o := mechtest.Matrix([][]float64{{1, 2}, {math.Inf(-1), math.Inf(-1)}})
	var none *mechanism.NoOutputError
	if _, err := Search(t.Context(), mechtest.Prior(1, 1), o, Options{}); !errors.As(err, &none) || none.Letter != 1 {
		t.Errorf("error %v", err)
	}
	if _, err := mechanism.Safe(mechtest.Prior(1, 1), o, mechanism.RankFloor(1)); !errors.As(err, &none) ||
		none.Letter != 1 {
		t.Errorf("error %v", err)
	}
}

// must ends a test where something fails that it is not about.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
