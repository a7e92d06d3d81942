package design

import (
	"context"
	"errors"
	"math/big"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/mechtest"
)

// The counting query's least factors by value are 2, 3 and 4 (THEORY trap 5):
// what the designs here name as their least is not below, and is reached.
func TestValueFloorsCountingQuery(t *testing.T) {
	c := mechtest.Paper(t).Counting
	p, o := mechtest.Prior(t, c.Counts...), mechtest.Matrix(t, c.Value)
	for tau, least := range map[float64]int64{-4: 2, -2: 3, -1: 4} {
		f := mechanism.ValueFloor(tau)
		_, _, err := Make(context.Background(), p, o, Goal{Floor: &f})
		var short *UnreachableError
		if !errors.As(err, &short) || short.Least.Cmp(big.NewRat(least, 1)) < 0 {
			t.Fatalf("tau=%v: error %v, want one that names at least %d", tau, err, least)
		}
		_, ev := mustDesign(t, p, o, Goal{Epsilon: mechanism.LogOf(short.Least), Floor: &f})
		if low := ev.Lower; ev.Floor == f && low.Cmp(big.NewRat(least, 1)) > 0 {
			t.Errorf("tau=%v: lower bound %v is above %d", tau, low, least)
		}
	}
}

// Beyond 2^18 cells value floors are sampled, and the evidence says so.
func TestDesignSampledValues(t *testing.T) {
	p, o := mechtest.Plane(t, 520)
	floor := mechanism.ValueFloor(-.75)
	for _, f := range []*mechanism.Floor{nil, &floor} {
		_, ev := mustDesign(t, p, o, Goal{Epsilon: mechtest.Epsilon(t, "1.5"), ByValue: true, Floor: f, Kind: "safe"})
		if !ev.Sampled || !(ev.WorstValue > -.8) {
			t.Errorf("sampled %v, worst %v", ev.Sampled, ev.WorstValue)
		}
	}
}
