package shares

import (
	"context"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

// Whatever the numbers of a proof, it proves nothing that is false.
func TestAnyProofHolds(t *testing.T) {
	said := 0
	for seed := range uint64(torture(400, 4000)) {
		r := rand.New(rand.NewPCG(3, seed))
		g, at, w := random(r)
		least := exact(g, at, nil, nil)
		if least == nil {
			continue
		}
		limit := new(big.Rat).Add(least, big.NewRat(r.Int64N(3), 10))
		most := exact(g, at, limit, w)
		for range 20 {
			f := Proof{Price: numbers(r, len(g.Stands), 0)[:0], Base: r.Int64N(17) - 8, Scale: r.IntN(4)}
			f.Price, f.Level = numbers(r, g.Prior.Letters(), 8), numbers(r, len(g.Stands), 8)
			if v, err := f.Shift(g, at); err == nil {
				if said++; v.Cmp(least) > 0 {
					t.Fatalf("seed %d: shift %v is proven, and %v there: %+v", seed, v, least, f)
				}
			}
			if v, err := f.Weight(g, at, limit, w); err != nil || v.Cmp(most) < 0 {
				t.Fatalf("seed %d: weight %v is proven, and %v there: %+v %v", seed, v, most, f, err)
			}
		}
	}
	if said < 100 {
		t.Errorf("%d proofs of a shift", said)
	}
}

func numbers(r *rand.Rand, n int, size int64) []int64 {
	v := make([]int64, n)
	for i := range v {
		v[i] = r.Int64N(2*size+1) - size
	}
	return v
}

// A proof of which one number is moved proves less, and is refused; so is one that
// lacks a number, and a claim above what is proven.
func TestTamperedProofs(t *testing.T) {
	moved := 0
	for i, c := range given(t).Random {
		s := mechanism.NewSupport(len(c.Counts), c.Outputs)
		for x, row := range c.Allowed {
			for _, y := range row {
				s.Allow(x, y)
			}
		}
		p, err := mechanism.NewPrior(c.Counts)
		if err != nil {
			t.Fatal(err)
		}
		g, at := Problem{p, s, c.Stands}, new(big.Rat).SetFloat64(c.Factor)
		_, b, err := Least(context.Background(), g, at, Options{})
		if err != nil {
			t.Fatal(err)
		}
		try := func(what string, b Bracket, g Problem, at *big.Rat) {
			moved++
			if b.Verify(g, at) != nil {
				return
			}
			if v := exact(g, at, nil, nil); v == nil || v.Cmp(b.Lower) >= 0 && b.Proof != nil && tightly(*b.Proof, g, at, b.Lower) {
				return // the number does not matter, or something else is proven
			}
			t.Errorf("%d: %s is taken", i, what)
		}
		high := b
		high.Lower = new(big.Rat).Add(b.Lower, big.NewRat(1, 1<<40))
		if high.Verify(g, at) == nil {
			t.Errorf("%d: a claim above what is proven is taken", i)
		}
		if b.Proof == nil {
			continue
		}
		for x := range b.Proof.Price {
			for _, by := range []int64{-1 << 50, 1 << 50} {
				try("a price", with(b, func(f *Proof) { f.Price[x] += by }), g, at)
			}
		}
		for y := range b.Proof.Level {
			for _, by := range []int64{-1 << 50, 1 << 50} {
				try("a level", with(b, func(f *Proof) { f.Level[y] += by }), g, at)
			}
		}
		for _, by := range []int64{-1 << 50, 1 << 50} {
			if bad := with(b, func(f *Proof) { f.Base += by }); bad.Verify(g, at) == nil {
				t.Errorf("%d: a base moved by %d is taken", i, by)
			}
		}
		for _, bad := range []Bracket{
			with(b, func(f *Proof) { f.Price = f.Price[1:] }),
			with(b, func(f *Proof) { f.Level = f.Level[1:] }),
			with(b, func(f *Proof) { f.Scale = 2000 }),
			with(b, func(f *Proof) { f.Price[0] = 1 << 61 }),
			{Proof: b.Proof},
		} {
			if bad.Verify(g, at) == nil {
				t.Errorf("%d: an unsuitable proof is taken: %+v", i, bad.Proof)
			}
		}
		// What holds within a factor need not hold within a larger one.
		large := new(big.Rat).SetInt64(p.Total())
		if v := exact(g, large, nil, nil); v.Cmp(b.Lower) < 0 && b.Verify(g, large) == nil {
			t.Errorf("%d: the proof is taken for another factor", i)
		}
	}
	if moved < 200 {
		t.Errorf("%d numbers moved", moved)
	}
}

// with is a bracket with a proof that is changed.
func with(b Bracket, change func(*Proof)) Bracket {
	f := *b.Proof
	f.Price, f.Level = slices.Clone(f.Price), slices.Clone(f.Level)
	change(&f)
	b.Proof = &f
	return b
}

// tightly reports whether prices and base prove the bound, from the definition:
// kappa_y is a fractional knapsack in fractions.
func tightly(f Proof, g Problem, t, claimed *big.Rat) bool {
	unit := big.NewRat(1, 1<<f.Scale)
	bound := new(big.Rat)
	base := new(big.Rat).Mul(big.NewRat(f.Base, 1), unit)
	bound.Sub(bound, base)
	for x, a := range f.Price {
		v := new(big.Rat).Mul(big.NewRat(a, 1), unit)
		bound.Sub(bound, v.Mul(v, g.Prior.Probability(x)))
	}
	for y, k := range g.Stands {
		var in []int
		mass := new(big.Rat)
		for x := range f.Price {
			if g.Support.Allowed(x, y) && g.Prior.Count(x) > 0 {
				in = append(in, x)
				mass.Add(mass, g.Prior.Probability(x))
			}
		}
		if mass.Mul(mass, t).Cmp(one) < 0 {
			continue
		}
		slices.SortFunc(in, func(a, b int) int { return int(f.Price[a]>>8) - int(f.Price[b]>>8) })
		left, kappa := big.NewRat(1, 1), new(big.Rat)
		for _, x := range in {
			v := new(big.Rat).Mul(t, g.Prior.Probability(x))
			if v.Cmp(left) > 0 {
				v.Set(left)
			}
			left.Sub(left, v)
			v.Mul(v, unit).Mul(v, big.NewRat(-f.Price[x], 1))
			kappa.Add(kappa, v)
		}
		over := kappa.Sub(kappa, base)
		if over.Sign() <= 0 {
			continue
		}
		if over.Cmp(one) > 0 {
			return false
		}
		if k >= 0 {
			bound.Sub(bound, over.Mul(over, g.Prior.Probability(k)))
		}
	}
	return bound.Cmp(claimed) >= 0
}
