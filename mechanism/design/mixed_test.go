package design

import (
	"context"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/mechtest"
)

// Values are kept within epsilon and the limit, at the floor of the best that shifts nothing or
// a better one, and the mean is at least the middle of those of no shift and of the limit there.
func TestValuesAreKept(t *testing.T) {
	mixed := 0
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 71))
		n := 3 + r.IntN(4)
		count, own, value := make([]int64, n), make([]int, n), make([][]float64, n)
		for x := range value {
			own[x], count[x], value[x] = x, 1+r.Int64N(40)*r.Int64N(40), make([]float64, n)
			for y := range n {
				value[x][y] = -float64(max(x-y, y-x))
			}
		}
		o, p := mechtest.Matrix(value), mechtest.Prior(count...)
		goal := Goal{Epsilon: mechanism.LogOf(big.NewRat(3+r.Int64N(4), 2)), MaxShift: big.NewRat(1+r.Int64N(10), 50),
			Stands: own}
		still := goal
		still.MaxShift = new(big.Rat)
		_, none, err := Make(context.Background(), p, o, still)
		if err != nil {
			t.Fatal(seed, err)
		}
		kept := goal
		kept.Keep = true
		m, e, err := Make(context.Background(), p, o, kept)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for x, y := range own {
			published := new(big.Rat)
			for z := range n {
				row := m.Row(z)
				for i, out := range row.Output {
					if int(out) == y {
						published.Add(published, new(big.Rat).Mul(big.NewRat(count[z], 1), big.NewRat(row.At(i), row.Total)))
					}
				}
			}
			if published.Cmp(big.NewRat(count[x], 2)) < 0 {
				t.Errorf("seed %d: of %d records with value %d %v are published", seed, count[x], x, published)
			}
		}
		if f := m.Factor(p); !goal.Epsilon.Admits(f) || m.Shares(p, own).Shift.Cmp(goal.MaxShift) > 0 {
			t.Errorf("seed %d: factor %v, shift %v", seed, f, m.Shares(p, own).Shift)
		}
		if e.Floor.Rank < none.Floor.Rank {
			t.Errorf("seed %d: %v, and %v shifts nothing", seed, e.Floor, none.Floor)
		}
		if e.Kind != (mixedDesign{}).kind() {
			continue
		}
		mixed++
		goal.Floor = &none.Floor
		_, free, err := Make(context.Background(), p, o, goal)
		if err != nil {
			t.Fatal(seed, err)
		}
		if middle := (free.ExpectedUtility + none.ExpectedUtility) / 2; e.ExpectedUtility < middle-1e-3 {
			t.Errorf("seed %d: mean %v, the middle is %v", seed, e.ExpectedUtility, middle)
		}
	}
	if mixed < 5 {
		t.Errorf("only %d designs are mixtures", mixed)
	}
}

// What no design keeps is refused, with the factor that would do.
func TestKeepingIsRefused(t *testing.T) {
	o := mechtest.Matrix([][]float64{{0, -1, -2}, {-1, 0, -1}, {-2, -1, 0}})
	floor := mechanism.RankFloor(3)
	_, _, err := Make(context.Background(), mechtest.Prior([]int64{5, 3, 2}...), o, Goal{
		Epsilon: mechanism.LogOf(big.NewRat(3, 1)), MaxShift: big.NewRat(1, 1), Stands: []int{0, 1, 2},
		Floor: &floor, Keep: true})
	e, ok := err.(*ShiftError)
	if !ok || !e.Keep || e.Factor == nil || e.Least != nil {
		t.Fatalf("%v", err)
	}
}
