package optimum

import (
	"context"
	"errors"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/test/torture"
)

// Least shifts of random problems lie in their brackets, which are narrow, and
// what is refused is out of reach.
func TestLeastShiftIsExact(t *testing.T) {
	made := 0
	for seed := range uint64(torture.Count(300, 10_000)) {
		g, at, _ := random(rand.New(rand.NewPCG(1, seed)))
		want := exact(g, at, nil, nil)
		m, b, err := LeastShift(context.Background(), g, at, Options{})
		var none *FactorError
		if errors.As(err, &none) {
			if want != nil {
				t.Errorf("seed %d: refused, and the least shift is %v", seed, want)
			}
			continue
		}
		must(t, err)
		made++
		if want == nil {
			t.Errorf("seed %d: a mechanism where there is none", seed)
			continue
		}
		if b.Lower.Cmp(want) > 0 || b.Shift.Cmp(want) < 0 {
			t.Errorf("seed %d: %v is not in %v .. %v", seed, want, b.Lower, b.Shift)
		}
		if d := rounded(b.Shift) - rounded(b.Lower); !(d <= Gap) || want.Sign() == 0 && b.Shift.Sign() > 0 {
			t.Errorf("seed %d: a gap of %v at %v, and %v is the least", seed, d, at, want)
		}
		if f := m.Factor(g.Prior); f.Cmp(at) > 0 || f.Cmp(b.Factor) != 0 {
			t.Errorf("seed %d: factor %v, %v asked, %v said", seed, f, at, b.Factor)
		}
		if d := m.Shares(g.Prior, g.Stands).Shift; d.Cmp(b.Shift) != 0 {
			t.Errorf("seed %d: shift %v, %v said", seed, d, b.Shift)
		}
		if err := b.Verify(g, at, nil, nil); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
	if made < torture.Count(150, 5000) {
		t.Errorf("%d made", made)
	}
}

// Largest weights of random problems lie in their brackets, without a limit of the shift
// and at limits at and above the least. Of a thousand brackets one may be wide: of 30,000
// about ten are, nearly all at limits that are next to the least.
func TestLargestIsExact(t *testing.T) {
	made, wide := 0, 0
	for seed := range uint64(torture.Count(200, 5_000)) {
		r := rand.New(rand.NewPCG(2, seed))
		g, at, w := random(r)
		least := exact(g, at, nil, nil)
		if least == nil {
			continue
		}
		limit := new(big.Rat).Set(least)
		switch r.IntN(6) {
		case 0:
			limit.Add(limit, big.NewRat(1, 1_000_000))
		case 1:
			limit.Add(limit, big.NewRat(r.Int64N(1000), 1000))
		case 2:
			limit.Add(limit, one)
		case 3, 4:
			limit = nil
		}
		want := exact(g, at, limit, w)
		m, v, err := Largest(context.Background(), g, at, limit, w, Options{})
		edge := limit != nil && limit.Cmp(least) == 0 && least.Sign() > 0 // nothing but a lucky fraction is there
		var none *LimitError
		if edge && errors.As(err, &none) && none.Lower.Cmp(least) <= 0 {
			continue
		}
		if err != nil {
			t.Errorf("seed %d: limit %v, least %v, factor %v: %v", seed, limit, least, at, err)
			continue
		}
		made++
		if v.Upper.Cmp(want) < 0 || v.Lower.Cmp(want) > 0 {
			t.Errorf("seed %d: %v is not in %v .. %v", seed, want, v.Lower, v.Upper)
		}
		if !(v.Gap <= Gap) && !edge {
			wide++
			t.Logf("seed %d: a gap of %v at factor %v, limit %v, least %v", seed, v.Gap, at, limit, least)
		}
		if d := m.Shares(g.Prior, g.Stands).Shift; limit != nil && (d.Cmp(limit) > 0 || d.Cmp(v.Shift) != 0) {
			t.Errorf("seed %d: shift %v, %v said", seed, d, v.Shift)
		}
		if f := m.Factor(g.Prior); f.Cmp(at) > 0 {
			t.Errorf("seed %d: factor %v", seed, f)
		}
		if err := v.Verify(g, at, limit, w); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
	if made < torture.Count(150, 4000) || wide > made/1000 {
		t.Errorf("%d made, %d with wide brackets", made, wide)
	}
}

// Without memory for the solver, and with a mechanism to begin with, brackets are
// wide or lucky, and still true.
func TestBracketsWithoutSolver(t *testing.T) {
	wide := 0
	for seed := range uint64(100) {
		g, at, w := random(rand.New(rand.NewPCG(8, seed)))
		want := exact(g, at, nil, nil)
		if want == nil {
			continue
		}
		near, _, err := LeastShift(context.Background(), g, at, Options{})
		must(t, err)
		var none *FactorError
		_, b, err := LeastShift(context.Background(), g, at, Options{Bytes: 1})
		switch {
		case err == nil:
			if b.Lower.Cmp(want) > 0 || b.Shift.Cmp(want) < 0 || b.Verify(g, at, nil, nil) != nil {
				t.Errorf("seed %d: %v is not in %v .. %v", seed, want, b.Lower, b.Shift)
			}
			if b.Shift.Cmp(b.Lower) > 0 {
				wide++
			}
		case !errors.As(err, &none):
			t.Error(err)
		}
		m, b, err := LeastShift(context.Background(), g, at, Options{Bytes: 1, Near: near})
		if err != nil || m.Shares(g.Prior, g.Stands).Shift.Cmp(near.Shares(g.Prior, g.Stands).Shift) > 0 {
			t.Errorf("seed %d: shift %v where %v was given: %v", seed, b.Shift, want, err)
		}
		limit := new(big.Rat).Add(want, big.NewRat(1, 100))
		_, v, err := Largest(context.Background(), g, at, limit, w, Options{Bytes: 1, Near: near})
		if most := exact(g, at, limit, w); err != nil || v.Lower.Cmp(most) > 0 || v.Upper.Cmp(most) < 0 ||
			v.Verify(g, at, limit, w) != nil {
			t.Errorf("seed %d: %v is not in %v .. %v: %v", seed, most, v.Lower, v.Upper, err)
		}
	}
	if wide < 10 {
		t.Errorf("%d brackets are wide", wide)
	}
}

// The least factors of random problems are where an exact program first has a mechanism
// within the shift.
func TestLeastFactorIsExact(t *testing.T) {
	found, refused := 0, 0
	for seed := range uint64(torture.Count(60, 1000)) {
		r := rand.New(rand.NewPCG(4, seed))
		g, _, _ := random(r)
		_, c := g.Prior.Least()
		least := exact(g, big.NewRat(g.Prior.Total(), c), nil, nil)
		limit := new(big.Rat).Add(least, big.NewRat(1+r.Int64N(300), 1001))
		if r.IntN(3) == 0 {
			limit.Sub(least, big.NewRat(1, 10_000))
		}
		f, err := LeastFactor(context.Background(), g, limit, Options{})
		if limit.Cmp(least) < 0 {
			var none *LimitError
			if refused++; !errors.As(err, &none) || none.Lower.Cmp(limit) <= 0 {
				t.Errorf("seed %d: limit %v, least %v: %v", seed, limit, least, err)
			}
			continue
		}
		must(t, err)
		if v := exact(g, f, nil, nil); v == nil || v.Cmp(limit) > 0 {
			t.Fatalf("seed %d: nothing is within the factor %v", seed, f)
		}
		found++
		below := new(big.Rat).Mul(f, big.NewRat(1_000_000-2, 1_000_000))
		if v := exact(g, below, nil, nil); below.Cmp(one) >= 0 && v != nil && v.Cmp(limit) <= 0 {
			t.Errorf("seed %d: %v is not the least factor", seed, rounded(f))
		}
	}
	if found < 20 || refused < 10 {
		t.Errorf("%d found, %d refused", found, refused)
	}
}

// A cancelled search says so, or stands by what it has proven.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for seed := range uint64(50) {
		g, at, _ := random(rand.New(rand.NewPCG(3, seed)))
		var none *FactorError
		if _, b, err := LeastShift(ctx, g, at, Options{}); err == nil {
			if b.Shift.Cmp(b.Lower) < 0 || b.Verify(g, at, nil, nil) != nil {
				t.Errorf("seed %d: %v .. %v", seed, b.Lower, b.Shift)
			}
		} else if !errors.As(err, &none) && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if f, err := LeastFactor(ctx, g, big.NewRat(1, 10), Options{}); (f == nil) != (err != nil) {
			t.Errorf("seed %d: %v, %v", seed, f, err)
		}
	}
}
