package design

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/mechtest"
)

// THEORY trap 3: floor first, then expected utility, against the paper's
// counting query; trap 2: the least factor of every floor.
func TestDesignOptimalCountingQuery(t *testing.T) {
	c := mechtest.Paper(t).Counting
	p, o := mechtest.Prior(t, c.Counts...), mechtest.Matrix(t, c.Value)
	for _, kind := range []string{"optimal", "auto"} {
		for _, want := range c.Lexicographic {
			_, ev := mustDesign(t, p, o, Goal{Epsilon: mechtest.Epsilon(t, want.Eps), Kind: kind})
			if ev.WorstValue != want.Worst || !(math.Abs(ev.ExpectedUtility-want.Mean) <= .005) {
				t.Errorf("eps=%s: worst %v, mean %v, want %v, %v", want.Eps, ev.WorstValue, ev.ExpectedUtility,
					want.Worst, want.Mean)
			}
			s := mechanism.SupportOf(o, ev.Floor)
			if ev.Certificate == nil || ev.Certificate.Verify(p, s) != nil || ev.Worth == nil {
				t.Errorf("eps=%s: no proof of the bracket", want.Eps)
			}
			if !(ev.UtilityUpperBound-ev.ExpectedUtility <= 1e-6) {
				t.Errorf("eps=%s: mean %v, at most %v", want.Eps, ev.ExpectedUtility, ev.UtilityUpperBound)
			}
		}
	}
	least := func(f mechanism.Floor, want *big.Rat) {
		t.Helper()
		if want.Cmp(oneOf) > 0 {
			var short *UnreachableError
			if _, _, err := Make(context.Background(), p, o, Goal{Floor: &f}); !errors.As(err, &short) ||
				!mechtest.Close(short.Least, want) {
				t.Errorf("%v: error %v, want one that names %v", f, err, want)
			}
		}
		_,
			ev := mustDesign(t, p, o,
			Goal{Epsilon: mechanism.LogOf(new(big.Rat).Mul(want, big.NewRat(1000001, 1000000))), Floor: &f})
		if !mechtest.Close(ev.Lower, want) || !mechtest.Close(ev.Upper, want) {
			t.Errorf("%v: bracket %v..%v, want %v", f, ev.Lower.FloatString(12), ev.Upper.FloatString(12), want)
		}
	}
	for h, f := range map[int]string{4: c.Optimal["4"], 5: c.Optimal["5"], 6: c.Optimal["6"], 7: c.Optimal["7"]} {
		least(mechanism.RankFloor(h), mechtest.Ratio(t, f))
	}
	for tau, f := range map[float64]int64{-4: 2, -2: 3, -1: 4} {
		least(mechanism.ValueFloor(tau), big.NewRat(f, 1))
	}
}

// TestDesignInLittleTime: an optimum that time cut short is still a mechanism
// within epsilon at a floor that fits, and says so.
func TestDesignInLittleTime(t *testing.T) {
	p, s := mechtest.Families["zipf"](150, rand.New(rand.NewPCG(1, 7)))
	value := make([][]float64, p.Letters())
	r := rand.New(rand.NewPCG(3, 3))
	for x := range value {
		value[x] = make([]float64, s.Outputs())
		for y := range value[x] {
			if value[x][y] = r.Float64(); !s.Allowed(x, y) {
				value[x][y] = math.Inf(-1)
			}
		}
	}
	o, err := mechanism.NewMatrix(value)
	must(t, err)
	whole, full, err := Make(context.Background(), p, o, Goal{Epsilon: mechanism.LogOf(big.NewRat(8, 1)),
		Kind: "optimal"})
	if err != nil || full.Stopped || whole == nil {
		t.Fatalf("without a limit: stopped %v, %v", full.Stopped, err)
	}
	for _, limit := range []time.Duration{time.Millisecond, 20 * time.Millisecond, 60 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		m, e, err := Make(ctx, p, o, Goal{Epsilon: mechanism.LogOf(big.NewRat(8, 1)), Kind: "optimal"})
		cancel()
		if err != nil {
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%v: %v", limit, err)
			}
			continue
		}
		if _, f := m.Leakage(p).Max(); f.Cmp(big.NewRat(8, 1)) > 0 || f.Cmp(e.Factor) != 0 {
			t.Errorf("%v: factor %v", limit, f)
		}
		if rank, _ := m.Floor(o); rank < e.Floor.Rank || e.Floor.Rank > full.Floor.Rank ||
			e.Floor.Rank < full.Floor.Rank && !e.Stopped {
			t.Errorf("%v: floor %v, worst rank %d, best floor %v, stopped %v", limit, e.Floor, rank, full.Floor,
				e.Stopped)
		}
	}
}
