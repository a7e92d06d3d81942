package optimum

import (
	"context"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/test/torture"
)

// Whatever the numbers of a proof, it proves nothing that is false.
func TestAnyProofHolds(t *testing.T) {
	said := 0
	for seed := range uint64(torture.Count(400, 4000)) {
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

// A proof that lacks a number or has one that is too large is refused, as is a claim above
// what is proven, or for another factor.
func TestUnsuitableProofs(t *testing.T) {
	refused := 0
	for i, c := range given(t).Random {
		g, at := c.problem(t), new(big.Rat).SetFloat64(c.Factor)
		_, b, err := LeastShift(context.Background(), g, at, Options{})
		must(t, err)
		high := b
		high.Lower = new(big.Rat).Add(b.Lower, big.NewRat(1, 1<<40))
		if high.Verify(g, at, nil, nil) == nil {
			t.Errorf("%d: a claim above what is proven is taken", i)
		}
		if b.Proof == nil {
			continue
		}
		for _, change := range []func(f *Proof){
			func(f *Proof) { f.Price = f.Price[1:] },
			func(f *Proof) { f.Level = f.Level[1:] },
			func(f *Proof) { f.Scale = 2000 },
			func(f *Proof) { f.Price[0] = 1 << 61 },
			func(f *Proof) { f.Base += 1 << 50 },
			func(f *Proof) { f.Base -= 1 << 50 },
		} {
			f := *b.Proof
			f.Price, f.Level = slices.Clone(f.Price), slices.Clone(f.Level)
			change(&f)
			if (Bracket{Lower: b.Lower, Proof: &f}).Verify(g, at, nil, nil) == nil {
				t.Errorf("%d: an unsuitable proof is taken: %+v", i, f)
			}
		}
		large := new(big.Rat).SetInt64(g.Prior.Total())
		if v := exact(g, large, nil, nil); v.Cmp(b.Lower) < 0 {
			if refused++; b.Verify(g, large, nil, nil) == nil {
				t.Errorf("%d: the proof is taken for another factor", i)
			}
		}
	}
	if refused < 10 {
		t.Errorf("%d proofs do not hold within a larger factor", refused)
	}
}
