package frontier

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/mechtest"
)

// Every value floor against the mechanism built cell by cell.
func TestFrontierByValue(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	for trial := range 200 {
		n, m := 1+rng.IntN(7), 1+rng.IntN(7)
		count, value := make([]int64, n), make([][]float64, n)
		for x := range value {
			count[x] = rng.Int64N(4) * rng.Int64N(100)
			for range m {
				v := float64(rng.IntN(12))
				if trial%2 == 1 && v < 2 {
					v = math.Inf(-1)
				}
				value[x] = append(value[x], v)
			}
			value[x][rng.IntN(m)] = 6
		}
		p, o := mechtest.Prior(t, count...), mechtest.Matrix(t, value)
		points, err := SafeByValue(t.Context(), p, o, 100)
		if err != nil {
			t.Fatal(err)
		}
		listed := make(map[float64]bool)
		var cost *big.Rat
		for i, q := range points {
			listed[q.Floor.Value] = true
			if i > 0 && q.Floor.Value >= points[i-1].Floor.Value {
				t.Fatalf("floor %v after %v", q.Floor, points[i-1].Floor)
			}
			s, err := mechanism.Safe(p, o, q.Floor)
			if err != nil {
				t.Fatal(err)
			}
			y, factor := s.Leakage(p).Max()
			if cost == nil || factor.Cmp(cost) < 0 {
				cost = factor
			}
			rank, worst := s.Floor(o)
			if y != q.Output || factor.Cmp(q.Factor) != 0 || cost.Cmp(q.Cost) != 0 || rank != q.WorstRank ||
				worst != q.WorstValue {
				t.Fatalf("trial %d: %+v, want output %d, factor %v, cost %v, rank %d, value %v", trial, q, y, factor, cost, rank,
					worst)
			}
			if u := s.ExpectedUtility(p, o); !(math.Abs(u-q.ExpectedUtility) <= 1e-12) {
				t.Fatalf("trial %d: mean %v, want %v", trial, q.ExpectedUtility, u)
			}
		}
		top := math.Inf(1)
		for _, row := range value {
			best := math.Inf(-1)
			for _, v := range row {
				best = max(best, v)
			}
			top = min(top, best)
		}
		for _, row := range value {
			for _, v := range row {
				if v <= top && !math.IsInf(v, -1) && !listed[v] {
					t.Fatalf("trial %d: floor %v is not listed", trial, v)
				}
			}
		}
	}
}

func TestFrontierByValueThins(t *testing.T) {
	p, o := mechtest.Plane(t, 40)
	all, err := SafeByValue(t.Context(), p, o, math.MaxInt)
	if err != nil {
		t.Fatal(err)
	}
	some, err := SafeByValue(t.Context(), p, o, 10)
	if err != nil || len(some) != 10 || some[0].Floor != all[0].Floor || some[9].Floor != all[len(all)-1].Floor {
		t.Errorf("%d of %d points, error %v", len(some), len(all), err)
	}
}

// Beyond allValues cells the floors are sampled, and still exact where tried.
func TestSampledValues(t *testing.T) {
	p, o := mechtest.Plane(t, 520)
	points, err := SafeByValue(t.Context(), p, o, 4)
	if err != nil || len(points) != 4 {
		t.Fatal(len(points), err)
	}
	for _, q := range points[1:] {
		s, err := mechanism.Safe(p, o, q.Floor)
		if err != nil {
			t.Fatal(err)
		}
		if _, f := s.Leakage(p).Max(); f.Cmp(q.Factor) != 0 {
			t.Errorf("%v: %v, want %v", q.Floor, q.Factor.FloatString(12), f.FloatString(12))
		}
	}
}
