package mechanism

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"
)

// THEORY trap 3: floor first, then expected utility, against the paper's
// counting query; trap 2: the least factor of every floor.
func TestDesignOptimalCountingQuery(t *testing.T) {
	c := readPaper(t).Counting
	p, o := mustPrior(t, c.Counts...), mustMatrix(t, c.Value)
	for _, kind := range []string{"optimal", "auto"} {
		for _, want := range c.Lexicographic {
			_, ev := mustDesign(t, p, o, Goal{Epsilon: mustEpsilon(t, want.Eps), Kind: kind})
			if ev.WorstValue != want.Worst || !(math.Abs(ev.ExpectedUtility-want.Mean) <= .005) {
				t.Errorf("eps=%s: worst %v, mean %v, want %v, %v", want.Eps, ev.WorstValue, ev.ExpectedUtility, want.Worst, want.Mean)
			}
			s := SupportOf(o, ev.Floor)
			if ev.Certificate == nil || ev.Certificate.Verify(p, s) != nil || ev.Worth == nil {
				t.Errorf("eps=%s: no proof of the bracket", want.Eps)
			}
			if !(ev.UtilityUpperBound-ev.ExpectedUtility <= 1e-6) {
				t.Errorf("eps=%s: mean %v, at most %v", want.Eps, ev.ExpectedUtility, ev.UtilityUpperBound)
			}
		}
	}
	least := func(f Floor, want *big.Rat) {
		t.Helper()
		if want.Cmp(one) > 0 {
			var short *UnreachableError
			if _, _, err := Design(context.Background(), p, o, Goal{Floor: &f}); !errors.As(err, &short) || !nearRat(short.Least, want) {
				t.Errorf("%v: error %v, want one that names %v", f, err, want)
			}
		}
		_, ev := mustDesign(t, p, o, Goal{Epsilon: LogOf(new(big.Rat).Mul(want, big.NewRat(1000001, 1000000))), Floor: &f})
		if !nearRat(ev.Lower, want) || !nearRat(ev.Upper, want) {
			t.Errorf("%v: bracket %v..%v, want %v", f, ev.Lower.FloatString(12), ev.Upper.FloatString(12), want)
		}
	}
	for h, f := range map[int]string{4: c.Optimal["4"], 5: c.Optimal["5"], 6: c.Optimal["6"], 7: c.Optimal["7"]} {
		least(RankFloor(h), ratio(t, f))
	}
	for tau, f := range map[float64]int64{-4: 2, -2: 3, -1: 4} {
		least(ValueFloor(tau), big.NewRat(f, 1))
	}
}

// nearRat allows for the relative gap of Least.
func nearRat(a, b *big.Rat) bool {
	d := new(big.Rat).Sub(a, b)
	return d.Abs(d).Cmp(new(big.Rat).Mul(b, big.NewRat(1, 1e8))) <= 0
}

// Where floors tie, the larger expected utility wins, then the lesser factor.
func TestBetter(t *testing.T) {
	searched := &task{ladder: &ladder{}, points: make([]Point, 5)}
	f := RankFloor(1)
	fixed := &task{ladder: &ladder{}, points: make([]Point, 5), goal: Goal{Floor: &f}}
	a := &offer{floor: RankFloor(4), utility: 1, factor: big.NewRat(3, 1)}
	b := &offer{floor: RankFloor(3), utility: 2, factor: big.NewRat(2, 1)}
	c := &offer{floor: RankFloor(3), utility: 2, factor: big.NewRat(3, 1)}
	if !searched.better(a, b) || searched.better(b, a) || !fixed.better(b, a) || !fixed.better(b, c) || fixed.better(c, b) {
		t.Error("the wrong answer is better")
	}
}

// The bound holds for every mechanism that any design makes, at its factor.
func TestUtilityBound(t *testing.T) {
	p, o := plane(t, 40)
	for _, h := range []int{10, 25, 36, 40} {
		s := SupportOf(o, RankFloor(h))
		for _, eps := range []string{"0.5", "1", "2", "3.5"} {
			e := mustEpsilon(t, eps)
			bound := UtilityBound(p, o, s, e.Factor())
			m, w, err := Optimal(context.Background(), p, s, e.Factor(), ValueWeights(o), OptimalOptions{})
			var none *FactorError
			if errors.As(err, &none) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if u := m.ExpectedUtility(p, o); !(u <= bound) || !(u <= floatUp(w.Upper)+1e-12) {
				t.Errorf("h=%d, eps=%s: mean %v, bounds %v and %v", h, eps, u, bound, floatUp(w.Upper))
			}
		}
	}
	// Identity is allowed but leaks: without the price of it the bound is 0.
	if b := UtilityBound(p, o, SupportOf(o, RankFloor(1)), big.NewRat(1, 1)); !(b < -.3) {
		t.Errorf("nothing may leak, and yet the mean may be %v", b)
	}
	// Two letters, right or wrong: p_xx = 3/4 is the most at factor 3/2.
	o = mustMatrix(t, [][]float64{{0, -1}, {-1, 0}})
	if b := UtilityBound(mustPrior(t, 1, 1), o, SupportOf(o, RankFloor(1)), big.NewRat(3, 2)); !(math.Abs(b+.25) <= 1e-9) {
		t.Errorf("bound %v, want -1/4", b)
	}
}

// TestDesignInLittleTime: an optimum that time cut short is still a mechanism
// within epsilon at a floor that fits, and says so.
func TestDesignInLittleTime(t *testing.T) {
	p, s := optimalFamilies["zipf"](150, rand.New(rand.NewPCG(1, 7)))
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
	o, err := NewMatrix(value)
	if err != nil {
		t.Fatal(err)
	}
	whole, full, err := Design(context.Background(), p, o, Goal{Epsilon: LogOf(big.NewRat(8, 1)), Kind: "optimal"})
	if err != nil || full.Stopped || whole == nil {
		t.Fatalf("without a limit: stopped %v, %v", full.Stopped, err)
	}
	for _, limit := range []time.Duration{time.Millisecond, 20 * time.Millisecond, 60 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		m, e, err := Design(ctx, p, o, Goal{Epsilon: LogOf(big.NewRat(8, 1)), Kind: "optimal"})
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
		if rank, _ := m.Floor(o); rank < e.Floor.Rank || e.Floor.Rank > full.Floor.Rank || e.Floor.Rank < full.Floor.Rank && !e.Stopped {
			t.Errorf("%v: floor %v, worst rank %d, best floor %v, stopped %v", limit, e.Floor, rank, full.Floor, e.Stopped)
		}
	}
}
