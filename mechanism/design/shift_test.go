package design

import (
	"context"
	"errors"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/frontier"
	"github.com/tacet-privacy/tacet/mechanism/mechtest"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// countable is a random prior and order over n letters, with outputs that stand
// for most of them.
func countable(t *testing.T, r *rand.Rand, n int) (mechanism.Prior, mechanism.Order, []int) {
	count, value, stands := make([]int64, n), make([][]float64, n), identity(n)
	for x := range count {
		count[x] = r.Int64N(40)
		value[x] = make([]float64, n)
		for y := range value[x] {
			value[x][y] = -float64(min((x-y+n)%n, (y-x+n)%n)) - r.Float64()
		}
	}
	count[0]++
	if r.IntN(3) == 0 {
		stands[r.IntN(n)] = -1
	}
	return mechtest.Prior(count...), mechtest.Matrix(value), stands
}

// A floor within epsilon and the limit is the best that any search from the best
// floor down finds; what is made there keeps both exactly, its bounds are proven,
// and no proof refuses what exists.
func TestDesignWithinShift(t *testing.T) {
	reached, refused, none := 0, 0, 0
	for seed := range uint64(120) {
		r := rand.New(rand.NewPCG(seed, 31))
		p, o, stands := countable(t, r, 3+r.IntN(6))
		limit := big.NewRat(r.Int64N(30), 100)
		g := Goal{Epsilon: mechtest.Epsilon([]string{"0.4", "0.9", "1.6"}[r.IntN(3)]), MaxShift: limit, Stands: stands,
			Kind: []string{"auto", "optimal"}[r.IntN(2)], ByValue: r.IntN(3) == 0}
		floors, err := frontier.NewFloors(context.Background(), p, o, g.ByValue, nil)
		must(t, err)
		want := 0
		for ; want < floors.Len(); want++ {
			at := optimum.Problem{Prior: p, Support: floors.Support(floors.At(want)), Stands: stands}
			_, b, err := optimum.LeastShift(context.Background(), at, g.Epsilon.Factor(), optimum.Options{Decide: limit})
			if err == nil && b.Shift.Cmp(limit) <= 0 {
				break
			}
		}
		m, e, err := Make(context.Background(), p, o, g)
		if err != nil {
			var off *ShiftError
			if !errors.As(err, &off) || want < floors.Len() || off.Limit.Cmp(limit) != 0 {
				t.Fatalf("seed %d: %v, and place %d of %d keeps both", seed, err, want, floors.Len())
			}
			none++
			continue
		}
		d := m.Shares(p, stands).Shift
		if floors.Place(e.Floor) != want || d.Cmp(limit) > 0 || e.Shares.Shift.Cmp(d) != 0 ||
			!g.Epsilon.Admits(m.Factor(p)) {
			t.Fatalf("seed %d: place %d of shift %v within %v, place %d keeps both", seed, floors.Place(e.Floor), d, limit, want)
		}
		reached++
		if e.Shares.Worth == nil && g.Kind == "auto" { // better by a hair, and nothing is proven of it
			continue
		}
		here := optimum.Problem{Prior: p, Support: floors.Support(e.Floor), Stands: stands}
		if err := e.Shares.Worth.Verify(here, g.Epsilon.Factor(), limit, mechanism.ValueWeights(o)); err != nil ||
			limit.Sign() > 0 && !(e.UtilityGap <= 1e-6) || !(e.UtilityUpperBound >= e.ExpectedUtility) {
			t.Errorf("seed %d: gap %v, %v in %v, %v", seed, e.UtilityGap, e.ExpectedUtility, e.UtilityUpperBound, err)
		}
		if f := e.Shares.Refused; f != nil {
			refused++
			at := optimum.Problem{Prior: p, Support: floors.Support(f.Floor), Stands: stands}
			if err := f.Bracket.Verify(at, g.Epsilon.Factor(), nil, nil); err != nil || f.Bracket.Lower.Cmp(limit) <= 0 ||
				floors.Place(f.Floor) != want-1-e.Shares.Open {
				t.Errorf("seed %d: floor %v refused at %v with %d open, %v", seed, f.Floor, f.Bracket.Lower, e.Shares.Open, err)
			}
		}
	}
	if reached < 40 || refused < 10 || none < 5 {
		t.Errorf("%d designs, %d refused floors, %d without a design: too few to tell", reached, refused, none)
	}
}

// The shift of the nearest mechanism is the least at its floor, which is the best
// within epsilon.
func TestDesignPrefersShares(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 32))
		p, o, stands := countable(t, r, 3+r.IntN(6))
		g := Goal{Epsilon: mechtest.Epsilon("0.9"), Kind: "optimal"}
		free, before, err := Make(context.Background(), p, o, g)
		must(t, err)
		g.Nearest, g.Stands = true, stands
		m, e, err := Make(context.Background(), p, o, g)
		must(t, err)
		here := optimum.Problem{Prior: p, Support: mechanism.SupportOf(o, e.Floor), Stands: stands}
		_, b, err := optimum.LeastShift(context.Background(), here, g.Epsilon.Factor(), optimum.Options{})
		must(t, err)
		d := m.Shares(p, stands).Shift
		least, _ := b.Lower.Float64()
		got, _ := d.Float64()
		other, _ := free.Shares(p, stands).Shift.Float64()
		if e.Floor != before.Floor || !(got <= least+3e-6) || !(got <= other+1e-6) ||
			e.Shares.Least.Verify(here, g.Epsilon.Factor(), nil, nil) != nil {
			t.Errorf("seed %d: shift %v at %v, least %v at %v", seed, got, e.Floor, least, before.Floor)
		}
		g.MaxShift = b.Shift // with nothing to spare
		if _, e, err := Make(context.Background(), p, o, g); err != nil || e.Floor != before.Floor {
			t.Errorf("seed %d: within the least shift: %v at %v, want %v", seed, err, e.Floor, before.Floor)
		}
	}
}

// Designs in closed form are candidates only where they keep the limit; what is not
// to be kept is said with what would be.
func TestClosedFormsWithinShift(t *testing.T) {
	kept, refused := 0, 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 33))
		p, o, stands := countable(t, r, 3+r.IntN(6))
		g := Goal{Epsilon: mechtest.Epsilon("0.9"), MaxShift: big.NewRat(r.Int64N(60), 100), Stands: stands,
			Kind: "safe"}
		m, _, err := Make(context.Background(), p, o, g)
		var off *ShiftError
		switch {
		case err == nil && m.Shares(p, stands).Shift.Cmp(g.MaxShift) <= 0 && g.Epsilon.Admits(m.Factor(p)):
			kept++
		case errors.As(err, &off) && off.Free != nil && !off.Large:
			refused++
		default:
			t.Errorf("seed %d: %v", seed, err)
		}
	}
	if kept < 5 || refused < 5 {
		t.Errorf("%d kept and %d refused: too few to tell", kept, refused)
	}
	g := Goal{MaxShift: new(big.Rat), Stands: []int{0, 0}}
	if _, _, err := Make(context.Background(), mechtest.Prior(1, 1), mechtest.Matrix([][]float64{{1, 0}, {0, 1}}),
		g); err == nil {
		t.Error("two outputs stand for one letter")
	}
}

// What is said to suffice where a limit is not kept does.
func TestShiftErrorHelps(t *testing.T) {
	p, o := mechtest.Plane(12)
	g := Goal{Epsilon: mechtest.Epsilon("0.5"), MaxShift: big.NewRat(1, 1000), Stands: identity(12)}
	top := mechanism.RankFloor(9)
	g.Floor = &top
	_, _, err := Make(context.Background(), p, o, g)
	var off *ShiftError
	if !errors.As(err, &off) || off.Factor == nil || off.Least == nil && off.Free == nil {
		t.Fatalf("%v", err)
	}
	more := g
	more.Epsilon = mechanism.LogOf(off.Factor)
	if _, _, err := Make(context.Background(), p, o, more); err != nil {
		t.Errorf("at the factor that is named: %v", err)
	}
	if more = g; off.Least != nil {
		more.MaxShift = off.Least
		if _, _, err := Make(context.Background(), p, o, more); err != nil {
			t.Errorf("at the shift that is named: %v", err)
		}
	}
	if more = g; off.Best != nil {
		more.Floor = off.Best
		if _, _, err := Make(context.Background(), p, o, more); err != nil {
			t.Errorf("at the floor that is named: %v", err)
		}
	}
}
