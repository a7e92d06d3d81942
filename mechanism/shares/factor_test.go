package shares

import (
	"context"
	"errors"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// The least factors of random problems lie in their brackets: at Lower an exact
// program has no mechanism of the goal, or none of the support is below it.
func TestLeastFactorIsExact(t *testing.T) {
	proven, refused, weighed := 0, 0, 0
	for seed := range uint64(torture(200, 2000)) {
		r := rand.New(rand.NewPCG(4, seed))
		g, _, w := random(r)
		_, c := g.Prior.Least()
		most := big.NewRat(g.Prior.Total(), c)
		least := exact(g, most, nil, nil)
		goal := Goal{Limit: new(big.Rat).Add(least, big.NewRat(r.Int64N(300), 1001))}
		if r.IntN(2) == 0 {
			goal.Limit.Sub(least, big.NewRat(1, 10_000))
		}
		if r.IntN(2) == 0 && goal.Limit.Cmp(least) > 0 {
			goal.Weights, goal.Least = w, exact(g, most, goal.Limit, w)
			goal.Least.Sub(goal.Least, big.NewRat(1+r.Int64N(300), 500))
		}
		m, b, err := LeastFactor(context.Background(), g, goal, Options{})
		if goal.Limit.Cmp(least) < 0 {
			var none *LimitError
			if refused++; !errors.As(err, &none) || none.Lower.Cmp(goal.Limit) <= 0 {
				t.Errorf("seed %d: limit %v, least %v: %v", seed, goal.Limit, least, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("seed %d: limit %v, least %v: %v", seed, goal.Limit, least, err)
			continue
		}
		if d := rounded(b.Upper)/rounded(b.Lower) - 1; !(d <= Gap) {
			t.Errorf("seed %d: %v .. %v", seed, rounded(b.Lower), rounded(b.Upper))
		}
		if f := m.Factor(g.Prior); f.Cmp(b.Upper) != 0 || m.Shares(g.Prior, g.Stands).Shift.Cmp(goal.Limit) > 0 {
			t.Errorf("seed %d: factor %v, %v said", seed, f, b.Upper)
		}
		if err := b.Verify(g, goal); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		if b.Proof == nil {
			continue
		}
		proven++
		v := exact(g, b.Lower, nil, nil)
		switch {
		case v == nil || v.Cmp(goal.Limit) > 0:
		case goal.Weights != nil && exact(g, b.Lower, goal.Limit, w).Cmp(goal.Least) < 0:
			weighed++
		default:
			t.Errorf("seed %d: the goal is kept at %v", seed, b.Lower)
		}
		b.Lower = new(big.Rat).Mul(b.Upper, big.NewRat(1001, 1000))
		if b.Verify(g, goal) == nil {
			t.Errorf("seed %d: a lower bound above what is reached is taken", seed)
		}
	}
	if proven < 20 || refused < 20 || weighed < 5 {
		t.Errorf("%d proven, %d of them of weights, %d refused", proven, weighed, refused)
	}
}

// ladder are the rank floors of an order.
type ladder struct{ mechanism.Order }

func (l ladder) Len() int                                     { return l.Outputs() }
func (l ladder) At(place int) mechanism.Floor                 { return mechanism.RankFloor(l.Outputs() - place) }
func (l ladder) Support(f mechanism.Floor) *mechanism.Support { return mechanism.SupportOf(l.Order, f) }

// The best floor is where an exact program first has a mechanism.
func TestBestFloorIsExact(t *testing.T) {
	none := 0
	for seed := range uint64(torture(100, 1000)) {
		r := rand.New(rand.NewPCG(6, seed))
		n, m := 2+r.IntN(3), 2+r.IntN(3)
		rank, count := make([][]uint16, n), make([]int64, n)
		for x := range rank {
			count[x] = 1 + r.Int64N(30)
			for _, y := range r.Perm(m) {
				rank[x] = append(rank[x], uint16(y+1))
			}
		}
		p, err := mechanism.NewPrior(count)
		if err != nil {
			t.Fatal(err)
		}
		o, err := mechanism.NewRanks(rank)
		if err != nil {
			t.Fatal(err)
		}
		stands := make([]int, m)
		for y := range stands {
			if stands[y] = y; y >= n || r.IntN(8) == 0 {
				stands[y] = -1
			}
		}
		at, limit := big.NewRat(1000+r.Int64N(4000), 1000), big.NewRat(1+r.Int64N(400), 997)
		want := m
		for place := range m {
			g := Problem{p, mechanism.SupportOf(o, mechanism.RankFloor(m-place)), stands}
			if v := exact(g, at, nil, nil); v != nil && v.Cmp(limit) <= 0 {
				want = place
				break
			}
		}
		best, b, err := BestFloor(context.Background(), p, stands, ladder{o}, 0, at, limit, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if b.Place != want || b.Refused != want-1 || (best == nil) != (want == m) {
			t.Errorf("seed %d: place %d, refused %d, want %d of %d", seed, b.Place, b.Refused, want, m)
		}
		if best != nil {
			if best.Factor(p).Cmp(at) > 0 || best.Shares(p, stands).Shift.Cmp(limit) > 0 {
				t.Errorf("seed %d: the mechanism is beyond the limits", seed)
			}
			if rank, _ := best.Floor(o); rank < m-want {
				t.Errorf("seed %d: rank %d", seed, rank)
			}
		} else if none++; b.Nearest == nil || b.Nearest.Lower.Cmp(limit) <= 0 {
			t.Errorf("seed %d: nothing is said of the nearest", seed)
		}
		switch {
		case b.Refused < 0:
		case b.Factor != nil:
			if b.Factor.Lower.Cmp(at) <= 0 {
				t.Errorf("seed %d: %v", seed, b.Factor)
			}
		default:
			g := Problem{p, mechanism.SupportOf(o, mechanism.RankFloor(m-b.Refused)), stands}
			if err := b.Bracket.Verify(g, at); err != nil || b.Bracket.Lower.Cmp(limit) <= 0 {
				t.Errorf("seed %d: %v, %v", seed, b.Bracket.Lower, err)
			}
		}
	}
	if none < 5 {
		t.Errorf("%d without a floor", none)
	}
}

// A cancelled search says so, or stands by what it has proven.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	g, at, _ := random(rand.New(rand.NewPCG(3, 9)))
	var none *optimum.FactorError
	if _, b, err := Least(ctx, g, at, Options{}); err == nil {
		if b.Shift.Cmp(b.Lower) < 0 || b.Verify(g, at) != nil {
			t.Errorf("%v .. %v", b.Lower, b.Shift)
		}
	} else if !errors.As(err, &none) && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
