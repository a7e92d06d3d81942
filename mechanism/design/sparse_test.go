package design

import (
	"context"
	"errors"
	"math/big"
	"testing"
	"time"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// A ring is an order by distance on a circle.
type ring int

func (r ring) Inputs() int  { return int(r) }
func (r ring) Outputs() int { return int(r) }

func (r ring) Row(x int, rank []uint16, value []float64) {
	if value == nil {
		value = make([]float64, r)
	}
	for y := range value {
		d := (y - x + int(r)) % int(r)
		value[y] = -float64(min(d, int(r)-d))
	}
	if rank != nil {
		mechanism.Rank(value, rank)
	}
}

// TestSlowSparse: with more values than the optimum takes, auto finds what the closed form
// does not, at a floor that is given and at the best one; what cannot be kept is refused
// with a factor that can.
func TestSlowSparse(t *testing.T) {
	const letters, outputs = 1100, 8
	count := make([]int64, letters)
	for x := range count {
		count[x] = 1 + int64(x*x%7)*int64(x%3)*5
	}
	p, err := mechanism.NewPrior(count)
	if err != nil {
		t.Fatal(err)
	}
	o := ring(letters)
	f := mechanism.RankFloor(letters - outputs + 1)
	s := mechanism.SupportOf(o, f)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	safe, err := mechanism.Safe(p, o, f)
	if err != nil {
		t.Fatal(err)
	}
	lower, err := optimum.LowerBound(p, s)
	if err != nil {
		t.Fatal(err)
	}
	between := new(big.Rat).Add(safe.Factor(p), lower)
	e := mechanism.LogOf(between.Quo(between, big.NewRat(2, 1)))
	m, ev, err := Make(ctx, p, o, Goal{Epsilon: e, Floor: &f})
	if err != nil {
		t.Fatal(err)
	}
	if ev.Kind != "sparse" || !e.Admits(m.Factor(p)) || ev.Lower.Cmp(ev.Upper) > 0 || ev.Certificate.Verify(p, s) != nil {
		t.Errorf("design %s of factor %v, least in %v .. %v", ev.Kind, m.Factor(p), ev.Lower, ev.Upper)
	}
	if _, _, ok := m.Within(s); !ok || !(ev.ExpectedUtility <= ev.UtilityUpperBound) {
		t.Errorf("within the floor: %t; utility %v, at most %v", ok, ev.ExpectedUtility, ev.UtilityUpperBound)
	}
	m, ev, err = Make(ctx, p, o, Goal{Epsilon: e})
	if err != nil {
		t.Fatal(err)
	}
	if ev.Kind != "sparse" || !e.Admits(m.Factor(p)) || ev.Floor.Rank < f.Rank || ev.WorstRank < ev.Floor.Rank {
		t.Errorf("the best floor is %v, and %v fits: design %s, worst rank %d", ev.Floor, f, ev.Kind, ev.WorstRank)
	}
	low := mechanism.LogOf(new(big.Rat).Mul(lower, big.NewRat(9, 10)))
	_, _, err = Make(ctx, p, o, Goal{Epsilon: low, Floor: &f})
	var far *UnreachableError
	if !errors.As(err, &far) || far.Least.Cmp(lower) < 0 || far.Least.Cmp(safe.Factor(p)) >= 0 {
		t.Errorf("epsilon below the least: %v", err)
	}
}
