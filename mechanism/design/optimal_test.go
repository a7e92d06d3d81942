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
	p, o := mechtest.Counting()
	for _, kind := range []string{"optimal", "auto"} {
		for _, want := range []struct {
			eps         string
			worst, mean float64
		}{{"0.5", -9, -3.61}, {"0.85", -5, -1.33}, {"1.3", -2, -.61}} {
			_, ev := mustDesign(t, p, o, Goal{Epsilon: mechtest.Epsilon(want.eps), Kind: kind})
			if ev.WorstValue != want.worst || !(math.Abs(ev.ExpectedUtility-want.mean) <= .005) {
				t.Errorf("eps=%s: worst %v, mean %v, want %v, %v", want.eps, ev.WorstValue, ev.ExpectedUtility,
					want.worst, want.mean)
			}
			s := mechanism.SupportOf(o, ev.Floor)
			if ev.Certificate == nil || ev.Certificate.Verify(p, s) != nil || ev.Worth == nil {
				t.Errorf("eps=%s: no proof of the bracket", want.eps)
			}
			if !(ev.UtilityUpperBound-ev.ExpectedUtility <= 1e-6) {
				t.Errorf("eps=%s: mean %v, at most %v", want.eps, ev.ExpectedUtility, ev.UtilityUpperBound)
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
	for h, f := range map[int]string{4: "1", 5: "2", 6: "7/2", 7: "7"} {
		least(mechanism.RankFloor(h), mechtest.Ratio(f))
	}
	for tau, f := range map[float64]int64{-4: 2, -2: 3, -1: 4} {
		least(mechanism.ValueFloor(tau), big.NewRat(f, 1))
	}
}

// TestDesignInLittleTime: an optimum that time cut short is still a mechanism
// within epsilon at a floor that fits, and says so.
func TestDesignInLittleTime(t *testing.T) {
	const letters = 150
	count, value := make([]int64, letters), make([][]float64, letters)
	r := rand.New(rand.NewPCG(3, 3))
	for x := range value {
		count[x] = int64(1e9 / float64(x+1))
		for y := range letters {
			v := r.Float64()
			if x != y && r.IntN(4) > 0 {
				v = math.Inf(-1)
			}
			value[x] = append(value[x], v)
		}
	}
	p, o := mechtest.Prior(count...), mechtest.Matrix(value)
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
