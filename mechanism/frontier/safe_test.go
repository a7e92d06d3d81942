package frontier

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/mechtest"
)

func mustFrontier(t *testing.T, p mechanism.Prior, o mechanism.Order) []Point {
	t.Helper()
	points, err := Safe(t.Context(), p, o)
	must(t, err)
	return points
}

func checkFactors(t *testing.T, points []Point, want map[string]string) {
	t.Helper()
	if len(points) != len(want) {
		t.Fatalf("%d points, want %d", len(points), len(want))
	}
	for h, f := range want {
		i, _ := strconv.Atoi(h)
		if q := points[i-1]; q.Floor != mechanism.RankFloor(i) || q.Factor.Cmp(mechtest.Ratio(t, f)) != 0 {
			t.Errorf("h=%s: %v has factor %v, want %s", h, q.Floor, q.Factor, f)
		}
	}
}

func TestFrontierCountingQuery(t *testing.T) {
	c := mechtest.Paper(t).Counting
	p := mechtest.Prior(t, c.Counts...)
	checkFactors(t, mustFrontier(t, p, mechtest.Ranks(t, c.Rank)), c.Safe)
	byValue := mechtest.Matrix(t, c.Value)
	points := mustFrontier(t, p, byValue)
	checkFactors(t, points, c.Safe)
	for i, want := range map[int]float64{1: -37, 3: -17, 5: -5, 7: 0} {
		if points[i-1].WorstValue != want {
			t.Errorf("h=%d: worst value %v, want %v", i, points[i-1].WorstValue, want)
		}
	}
	ranks := make([]uint16, 7)
	for x, row := range c.Rank { // ties: the lower column ranks lower
		byValue.Row(x, ranks, nil)
		for y, r := range row {
			if ranks[y] != r {
				t.Errorf("rank of (%d,%d) is %d, want %d", x, y, ranks[y], r)
			}
		}
	}
	for _, m := range c.SafeMean {
		best := math.Inf(-1)
		for _, q := range points {
			if mechtest.Epsilon(t, m.Eps).Admits(q.Factor) {
				best = q.ExpectedUtility
			}
		}
		if !(math.Abs(best-m.Mean) <= .005) {
			t.Errorf("eps %s: mean %v, want %v", m.Eps, best, m.Mean)
		}
	}
}

// The curves of the paper's figures 2 and 3.
func TestFrontierCurves(t *testing.T) {
	c := mechtest.Paper(t).Cyclic
	o := mechtest.Ranks(t, c.Rank)
	check := func(prior func(k int64) []int64, h int, curve [][2]float64) {
		if len(curve) < 10 {
			t.Fatalf("%d points", len(curve))
		}
		for _, point := range curve {
			p := mechtest.Prior(t, prior(int64(math.Round(point[0]*100)))...)
			if got := mechanism.Nats(mustFrontier(t, p, o)[h-1].Factor); !(math.Abs(got-point[1]) <= 1e-7) {
				t.Errorf("h=%d, p_min=%v: %v, want %v", h, point[0], got, point[1])
			}
		}
	}
	oneLow := func(k int64) []int64 { return []int64{3 * k, 100 - k, 100 - k, 100 - k} }
	threeLow := func(k int64) []int64 { return []int64{k, k, k, 100 - 3*k} }
	check(oneLow, 2, c.OneLow.H2)
	check(oneLow, 3, c.OneLow.H3)
	check(threeLow, 2, c.ThreeLow.H2)
	check(threeLow, 3, c.ThreeLow.H3)
}

// Every point, by rank and by value, against the mechanism built cell by cell, with ties,
// letters without records and forbidden outputs; and every value floor is there.
func TestFrontierAgainstSafe(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for trial := range 300 {
		n, m := 1+rng.IntN(8), 1+rng.IntN(8)
		count, value := make([]int64, n), make([][]float64, n)
		for x := range value {
			count[x] = int64(rng.IntN(5)) * int64(rng.IntN(1000))
			for range m {
				v := float64(rng.IntN(6 + trial/2%2*6))
				if trial%2 == 1 && v < 2 {
					v = math.Inf(-1)
				}
				value[x] = append(value[x], v)
			}
			value[x][rng.IntN(m)] = 3
		}
		p, o := mechtest.Prior(t, count...), mechtest.Matrix(t, value)
		points := mustFrontier(t, p, o)
		slices.Reverse(points)
		againstSafe(t, fmt.Sprint("trial ", trial), p, o, points)
		points = byValue(t, p, o, 100)
		againstSafe(t, fmt.Sprint("trial ", trial), p, o, points)
		top := math.Inf(1)
		for _, row := range value {
			top = min(top, slices.Max(row))
		}
		for _, v := range slices.Concat(value...) {
			if v <= top && !math.IsInf(v, -1) && !slices.ContainsFunc(points, func(q Point) bool { return q.Floor.Value == v }) {
				t.Fatalf("trial %d: floor %v is not listed", trial, v)
			}
		}
	}
}

// byValue are the utility-safe mechanisms at limit of the value floors that the frontier lists,
// from the best down.
func byValue(t *testing.T, p mechanism.Prior, o mechanism.Order, limit int) []Point {
	t.Helper()
	l, err := climb(p, o, false, cancelled(t.Context()))
	must(t, err)
	d, err := l.values(o, math.Inf(-1))
	must(t, err)
	return d.points(spaced(len(d.floor), limit))
}

// againstSafe takes points from the best floor down.
func againstSafe(t *testing.T, name string, p mechanism.Prior, o mechanism.Order, points []Point) {
	t.Helper()
	var cost *big.Rat
	for i, q := range points {
		if i > 0 && (q.Floor.Value > points[i-1].Floor.Value || q.Floor.Rank > points[i-1].Floor.Rank ||
			q.Floor == points[i-1].Floor) {
			t.Fatalf("%s: floor %v after %v", name, q.Floor, points[i-1].Floor)
		}
		s, err := mechanism.Safe(p, o, q.Floor)
		must(t, err)
		y, factor := s.Leakage(p).Max()
		if cost == nil || factor.Cmp(cost) < 0 {
			cost = factor
		}
		lo, hi := o.Outputs(), 0
		for x := range o.Inputs() {
			lo, hi = min(lo, len(s.Row(x).Output)), max(hi, len(s.Row(x).Output))
		}
		rank, least := s.Floor(o)
		u := s.ExpectedUtility(p, o)
		if factor.Cmp(q.Factor) != 0 || y != q.Output || rank != q.WorstRank || least != q.WorstValue ||
			!(math.Abs(u-q.ExpectedUtility) <= 1e-12) || cost.Cmp(q.Cost) != 0 || lo != q.Least || hi != q.Most {
			t.Fatalf("%s, %v: %+v, want output %d at %v, rank %d, value %v, mean %v, cost %v, %d..%d outputs", name, q.Floor, q,
				y, factor, rank, least, u, cost, lo, hi)
		}
	}
}

func TestFrontierRefusesEmptyRow(t *testing.T) {
	o := mechtest.Matrix(t, [][]float64{{1, 2}, {math.Inf(-1), math.Inf(-1)}})
	var none *mechanism.NoOutputError
	if _, err := Safe(t.Context(), mechtest.Prior(t, 1, 1), o); !errors.As(err, &none) || none.Letter != 1 {
		t.Errorf("error %v", err)
	}
	if _, err := mechanism.Safe(mechtest.Prior(t, 1, 1), o, mechanism.RankFloor(1)); !errors.As(err, &none) ||
		none.Letter != 1 {
		t.Errorf("error %v", err)
	}
}

// Beyond allValues cells the floors are sampled, and still exact where tried.
func TestSampledValues(t *testing.T) {
	p, o := mechtest.Plane(t, 520)
	points := byValue(t, p, o, 4)
	if len(points) != 4 {
		t.Fatal(len(points))
	}
	for _, q := range points[1:] {
		s, err := mechanism.Safe(p, o, q.Floor)
		must(t, err)
		if _, f := s.Leakage(p).Max(); f.Cmp(q.Factor) != 0 {
			t.Errorf("%v: %v, want %v", q.Floor, q.Factor.FloatString(12), f.FloatString(12))
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
