package shares

import (
	"context"
	"errors"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// Least shifts of random problems lie in their brackets, which are narrow, and
// what is refused is out of reach.
func TestLeastIsExact(t *testing.T) {
	made := 0
	for seed := range uint64(torture(300, 10_000)) {
		g, at, _ := random(rand.New(rand.NewPCG(1, seed)))
		want := exact(g, at, nil, nil)
		m, b, err := Least(context.Background(), g, at, Options{})
		var none *optimum.FactorError
		if errors.As(err, &none) {
			if want != nil {
				t.Errorf("seed %d: refused, and the least shift is %v", seed, want)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		made++
		if want == nil {
			t.Errorf("seed %d: a mechanism where there is none", seed)
			continue
		}
		if b.Lower.Cmp(want) > 0 || b.Shift.Cmp(want) < 0 {
			t.Errorf("seed %d: %v is not in %v .. %v", seed, want, b.Lower, b.Shift)
		}
		if d := rounded(b.Shift) - rounded(b.Lower); !(d <= Gap) {
			t.Errorf("seed %d: a gap of %v at %v", seed, d, at)
		}
		if f := m.Factor(g.Prior); f.Cmp(at) > 0 || f.Cmp(b.Factor) != 0 {
			t.Errorf("seed %d: factor %v, %v asked, %v said", seed, f, at, b.Factor)
		}
		if d := m.Shares(g.Prior, g.Stands).Shift; d.Cmp(b.Shift) != 0 {
			t.Errorf("seed %d: shift %v, %v said", seed, d, b.Shift)
		}
		if err := b.Verify(g, at); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
	if made < torture(150, 5000) {
		t.Errorf("%d made", made)
	}
}

// Largest weights of random problems lie in their brackets, at limits at and
// above the least shift.
func TestLargestIsExact(t *testing.T) {
	made := 0
	for seed := range uint64(torture(200, 5_000)) {
		r := rand.New(rand.NewPCG(2, seed))
		g, at, w := random(r)
		least := exact(g, at, nil, nil)
		if least == nil {
			continue
		}
		limit := new(big.Rat).Set(least)
		switch r.IntN(4) {
		case 0:
			limit.Add(limit, big.NewRat(1, 1_000_000))
		case 1:
			limit.Add(limit, big.NewRat(r.Int64N(1000), 1000))
		case 2:
			limit.Add(limit, one)
		}
		want := exact(g, at, limit, w)
		m, v, err := Largest(context.Background(), g, at, limit, w, Options{})
		edge := limit.Cmp(least) == 0 && least.Sign() > 0 // nothing but a lucky fraction is there
		var none *LimitError
		if edge && errors.As(err, &none) && none.Lower.Cmp(least) <= 0 {
			continue
		}
		if err != nil {
			t.Errorf("seed %d: limit %v, least %v, factor %v: %v", seed, limit, least, at, err)
			continue
		}
		made++
		if v.Upper.Cmp(want) < 0 || v.Value.Cmp(want) > 0 {
			t.Errorf("seed %d: %v is not in %v .. %v", seed, want, v.Value, v.Upper)
		}
		if !(v.Gap <= Gap) && !edge {
			t.Errorf("seed %d: a gap of %v at factor %v, limit %v, least %v", seed, v.Gap, at, limit, least)
		}
		if d := m.Shares(g.Prior, g.Stands).Shift; d.Cmp(limit) > 0 || d.Cmp(v.Shift) != 0 {
			t.Errorf("seed %d: shift %v, %v said", seed, d, v.Shift)
		}
		if f := m.Factor(g.Prior); f.Cmp(at) > 0 {
			t.Errorf("seed %d: factor %v", seed, f)
		}
		if err := v.Verify(g, at, limit, w); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
	if made < torture(150, 4000) {
		t.Errorf("%d made", made)
	}
}
