package estimate

import (
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

// excess is how much likelier than a law another may be, by the largest gradient.
func excess(m *mechanism.Mechanism, s *Sample, share []float64) float64 {
	q, most := law(m, share), 0.0
	for x := range share {
		row, slope := m.Row(x), 0.0
		for i, y := range row.Output {
			if s.share[y] > 0 {
				slope += float64(row.At(i)) / float64(row.Total) * s.share[y] / q[y]
			}
		}
		most = max(most, slope)
	}
	return most - 1
}

// The interior-point method ends within few steps at laws of which the gradient proves
// that none is likelier, from anywhere: for regular and singular mechanisms, for those
// that are nearly singular, with outputs that were not seen and letters that have no share.
func TestNewton(t *testing.T) {
	r := rand.New(rand.NewPCG(30, 31))
	cases, most := 200, 0
	if torture() {
		cases = 5000
	}
	for i := range cases {
		n, outputs := 2+r.IntN(12), 2+r.IntN(12)
		var m *mechanism.Mechanism
		switch i % 4 {
		case 0:
			m = dependent(t, n, outputs, r)
		case 1:
			m = keeping(t, n, outputs, r)
		case 2:
			m = cyclic(t, n, 1+r.IntN(n))
		default:
			m = nearlySingular(t, n, outputs, r)
		}
		s := simulated(t, m, shares(n, r), 1+r.IntN(3000), r)
		e := newClimb(NewChannel(m), s)
		share := uniform(n)
		taken := newNewton(e, share).run(t.Context(), share, 1e-10)
		most = max(most, taken)
		total := 0.0
		for _, p := range share {
			total += p
			if !(p >= 0) {
				t.Fatalf("case %d: a share of %v", i, p)
			}
		}
		near(t, "the sum of shares", total, 1, 1e-12)
		if off := excess(m, s, share); !(off <= 2e-10) {
			t.Errorf("case %d: after %d steps others are likelier by up to %v", i, taken, off)
		}
	}
	if most > 60 {
		t.Errorf("%d steps were taken for one of few letters", most)
	}
}

// nearlySingular has rows that differ by a billionth.
func nearlySingular(t testing.TB, n, outputs int, r *rand.Rand) *mechanism.Mechanism {
	weight := make([][]int64, n)
	for x := range weight {
		weight[x] = make([]int64, outputs)
		for y := range outputs {
			if x > 0 {
				weight[x][y] = weight[0][y] + r.Int64N(3)
				continue
			}
			weight[x][y] = 1e9 + r.Int64N(1e9)
		}
	}
	return weighted(t, weight...)
}

// A mechanism of condition above 1,000, where EM takes ten thousands of steps.
func TestFitInFewSteps(t *testing.T) {
	m := cyclic(t, 200, 33)
	r := rand.New(rand.NewPCG(32, 33))
	s := simulated(t, m, shares(200, r), 1e6, r)
	f, err := NewChannel(m).Fit(t.Context(), s, 1e-9, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if off := excess(m, s, f.Share); !(off <= 1e-9+1e-12) || f.Rounds > warm+100 {
		t.Errorf("after %d rounds others are likelier by up to %v", f.Rounds, off)
	}
}
