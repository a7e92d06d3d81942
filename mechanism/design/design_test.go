package design

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/mechtest"
)

func mustDesign(t *testing.T, p mechanism.Prior, o mechanism.Order, g Goal) (*mechanism.Mechanism, Evidence) {
	t.Helper()
	m, e, err := Make(context.Background(), p, o, g)
	must(t, err)
	if _, f := m.Leakage(p).Max(); f.Cmp(e.Factor) != 0 || !g.Epsilon.Admits(f) {
		t.Fatalf("factor %v, evidence says %v, epsilon is %v", f, e.Factor, g.Epsilon)
	}
	rank, value := m.Floor(o)
	if rank != e.WorstRank || value != e.WorstValue {
		t.Fatalf("worst rank %d and value %v, evidence says %d and %v", rank, value, e.WorstRank, e.WorstValue)
	}
	for _, f := range []*mechanism.Floor{g.Floor, &e.Floor} {
		if f != nil && (f.ByValue && value < f.Value || !f.ByValue && rank < f.Rank) {
			t.Fatalf("worst rank %d and value %v are below %v", rank, value, *f)
		}
	}
	if e.Lower.Cmp(e.Upper) > 0 || e.Upper.Cmp(e.Factor) > 0 || !(e.ExpectedUtility <= e.UtilityUpperBound) {
		t.Fatalf("brackets: %v <= %v <= %v, %v <= %v", e.Lower, e.Upper, e.Factor, e.ExpectedUtility,
			e.UtilityUpperBound)
	}
	return m, e
}

func TestDesignFixedFloor(t *testing.T) {
	p, o := mechtest.Counting()
	h := func(k int) *mechanism.Floor { f := mechanism.RankFloor(k); return &f }
	// safe takes the better floor within epsilon: it is also worth more.
	_, ev := mustDesign(t, p, o, Goal{Epsilon: mechtest.Epsilon("log(7/2)"), Floor: h(2), Kind: "safe"})
	if ev.Floor != mechanism.RankFloor(5) {
		t.Errorf("safe at rank >= 2 takes %v, want h=5", ev.Floor)
	}
	// An epsilon just short of log(7/3) is told what the next floor needs.
	below := mechtest.Epsilon("0.8472978603872036")
	_, ev = mustDesign(t, p, o, Goal{Epsilon: below, Kind: "safe"})
	if ev.Next == nil || ev.Next.Floor != mechanism.RankFloor(2) || ev.Next.Factor.Cmp(big.NewRat(7, 3)) != 0 {
		t.Errorf("next threshold %+v, want rank >= 2 at 7/3", ev.Next)
	}
	_, _, err := Make(context.Background(), p, o, Goal{Epsilon: below, Floor: h(3), Kind: "safe"})
	var short *UnreachableError
	if !errors.As(err, &short) || short.Least.Cmp(big.NewRat(7, 3)) != 0 || short.AtFloor != *h(3) ||
		short.Best == nil {
		t.Fatalf("error %v", err)
	}
	if s := err.Error(); !strings.Contains(s, "0.8472978603872036") ||
		!strings.Contains(s, "log(7/3) = 0.8472978603872037") {
		t.Errorf("message %q", s)
	}
	var none *mechanism.NoOutputError
	if _, _, err := Make(context.Background(), p, o, Goal{Floor: h(8)}); !errors.As(err, &none) {
		t.Errorf("error %v", err)
	}
	tau := mechanism.ValueFloor(.5)
	if _, _, err := Make(context.Background(), p, o, Goal{Floor: &tau}); !errors.As(err, &none) {
		t.Errorf("error %v", err)
	}
	if _, _, err := Make(context.Background(), p, o, Goal{Kind: "best"}); err == nil {
		t.Error("no error for an unknown kind")
	}
}

// Every design against exhaustive search over the safe floors, by rank and by
// value, with forbidden outputs and letters without records.
func TestDesignAgainstScan(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	reached := 0
	for trial := range 300 {
		n, m := 1+rng.IntN(6), 1+rng.IntN(6)
		count, value := make([]int64, n), make([][]float64, n)
		for x := range value {
			count[x] = int64(rng.IntN(4)) * int64(rng.IntN(100))
			for range m {
				v := float64(rng.IntN(8))
				if trial%3 == 1 && v == 0 {
					v = math.Inf(-1)
				}
				value[x] = append(value[x], v)
			}
			value[x][rng.IntN(m)] = 3
		}
		p, o := mechtest.Prior(count...), mechtest.Matrix(value)
		g := Goal{Epsilon: mechtest.Epsilon(fmt.Sprintf("%.2f", 2.5*rng.Float64())), ByValue: trial%2 == 1}
		var floors []mechanism.Floor
		for h := m; h >= 1; h-- {
			if !g.ByValue {
				floors = append(floors, mechanism.RankFloor(h))
			}
		}
		for v := 8.0; v >= 0 && g.ByValue; v-- {
			floors = append(floors, mechanism.ValueFloor(v))
		}
		var want *mechanism.Floor
		var wantAt *Evidence
		for i, f := range floors {
			s, err := mechanism.Safe(p, o, f)
			if err != nil {
				continue
			}
			if _, l := s.Leakage(p).Max(); g.Epsilon.Admits(l) {
				u := s.ExpectedUtility(p, o)
				if want == nil {
					want = &floors[i]
				}
				if wantAt == nil || u > wantAt.ExpectedUtility+1e-12 {
					wantAt = &Evidence{Floor: f, ExpectedUtility: u}
				}
			}
		}
		g.Kind = "safe"
		_, ev, err := Make(context.Background(), p, o, g)
		var short *UnreachableError
		if errors.As(err, &short) && want == nil {
			if least := scanLeast(p, o, floors); short.Least.Cmp(least) != 0 {
				t.Fatalf("trial %d: the least is said to be %v, and is %v", trial, short.Least, least)
			}
			g.Epsilon = mechanism.LogOf(short.Least) // what it says fits does
			mustDesign(t, p, o, g)
			g.Kind = "auto"
			Make(context.Background(), p, o, g)
			continue
		}
		if err != nil || want == nil {
			t.Fatalf("trial %d: error %v, want %v", trial, err, want)
		}
		reached++
		got, _ := mechanism.Safe(p, o, ev.Floor)
		same, _ := mechanism.Safe(p, o, *want)
		if fmt.Sprint(got) != fmt.Sprint(same) {
			t.Fatalf("trial %d: %v, want %v", trial, ev.Floor, *want)
		}
		if ev.Next != nil {
			g := g
			g.Floor = &ev.Next.Floor
			g.Epsilon = mechanism.LogOf(ev.Next.Factor)
			mustDesign(t, p, o, g)
		}
		g.Kind = "auto"
		if _, auto := mustDesign(t, p, o, g); g.ByValue && auto.Floor.Value < ev.Floor.Value ||
			!g.ByValue && auto.Floor.Rank < ev.Floor.Rank {
			t.Fatalf("trial %d: auto has %v, safe %v", trial, auto.Floor, ev.Floor)
		}
		g.Kind = "safe"
		g.Floor = &floors[len(floors)-1]
		if _, ev := mustDesign(t, p, o, g); !(math.Abs(ev.ExpectedUtility-wantAt.ExpectedUtility) <= 1e-12) {
			t.Fatalf("trial %d: at %v mean %v, want %v at %v", trial, *g.Floor, ev.ExpectedUtility,
				wantAt.ExpectedUtility, wantAt.Floor)
		}
	}
	if reached < 100 {
		t.Errorf("only %d trials reached a floor", reached)
	}
}

// scanLeast is the least factor of M* over the floors.
func scanLeast(p mechanism.Prior, o mechanism.Order, floors []mechanism.Floor) *big.Rat {
	var least *big.Rat
	for _, f := range floors {
		if s, err := mechanism.Safe(p, o, f); err == nil {
			if _, l := s.Leakage(p).Max(); least == nil || l.Cmp(least) < 0 {
				least = l
			}
		}
	}
	return least
}

var oneOf = big.NewRat(1, 1)

func TestDesignStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p, o := mechtest.Plane(60)
	_, ev, err := Make(ctx, p, o, Goal{Epsilon: mechtest.Epsilon("2")})
	if err != nil || ev.Kind != "safe" || !ev.Stopped {
		t.Errorf("kind %s, stopped %v, error %v", ev.Kind, ev.Stopped, err)
	}
	if _, _, err := Make(ctx, p, o, Goal{Epsilon: mechtest.Epsilon("2"), Kind: "optimal"}); !errors.Is(err,
		context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// Beyond 2^18 cells value floors are sampled, and the evidence says so.
func TestDesignSampledValues(t *testing.T) {
	p, o := mechtest.Plane(520)
	floor := mechanism.ValueFloor(-.75)
	for _, f := range []*mechanism.Floor{nil, &floor} {
		_, ev := mustDesign(t, p, o, Goal{Epsilon: mechtest.Epsilon("1.5"), ByValue: true, Floor: f, Kind: "safe"})
		if !ev.Sampled || !(ev.WorstValue > -.8) {
			t.Errorf("sampled %v, worst %v", ev.Sampled, ev.WorstValue)
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
