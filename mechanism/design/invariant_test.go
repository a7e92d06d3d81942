package design

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/mechtest"
)

// Invariant figures are those of the matrix of the definition, made in fractions,
// and what is asked for is kept and used up.
func TestInvariant(t *testing.T) {
	kept, short := 0, 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(7, seed))
		p, o := randomOrder(t, rng)
		stands := make([]int, o.Outputs())
		letter := rng.Perm(p.Letters())
		for y := range stands {
			if stands[y] = -1; y < p.Letters() && rng.IntN(5) > 0 {
				stands[y] = letter[y]
			}
		}
		limit := big.NewRat(1000+rng.Int64N(20_000), 1000)
		i, err := InvariantWithin(p, o, stands, limit)
		if err != nil {
			t.Fatal(err)
		}
		served := int64(0)
		for _, x := range stands {
			if x >= 0 {
				served += p.Count(x)
			}
		}
		if served == 0 {
			continue
		}
		if i.Factor.Cmp(limit) > 0 || i.Factor.Cmp(limit) < 0 && i.Keep.Cmp(one) < 0 {
			t.Fatalf("seed %d: factor %v, %v asked", seed, i.Factor, limit)
		}
		same(t, seed, i, p, o, stands, served)
		none, _ := InvariantWithin(p, o, stands, one)
		all, _ := InvariantWithin(p, o, stands, big.NewRat(1<<40, 1))
		want := none.Expected + (1.2*rng.Float64()-.1)*(all.Expected-none.Expected)
		j, ok, err := InvariantWorth(p, o, stands, want)
		switch most := math.Max(none.Expected, all.Expected); {
		case err != nil:
			t.Fatal(err)
		case ok != (want <= most):
			t.Fatalf("seed %d: %v of %v is reached: %v", seed, want, most, ok)
		case !ok:
			short++
		default:
			kept++
			same(t, seed, j, p, o, stands, served)
			if j.Keep.Sign() > 0 && !(math.Abs(j.Expected-want) <= 1e-9) || !(j.Expected >= want-1e-9) {
				t.Fatalf("seed %d: utility %v, want %v", seed, j.Expected, want)
			}
		}
	}
	if kept < 50 || short < 5 {
		t.Errorf("%d kept, %d out of reach", kept, short)
	}
}

func same(t *testing.T, seed uint64, i Invariant, p mechanism.Prior, o mechanism.Order, stands []int, served int64) {
	t.Helper()
	row := make([]mechanism.Row, p.Letters())
	worst, expected := math.Inf(1), 0.0
	value := make([]float64, o.Outputs())
	for x := range row {
		o.Row(x, nil, value)
		keep := new(big.Rat)
		for _, k := range stands {
			if k == x {
				keep = i.Keep
			}
		}
		for y, k := range stands {
			if k < 0 {
				continue
			}
			v := new(big.Rat).Sub(one, keep)
			v.Mul(v, big.NewRat(p.Count(k), served))
			if k == x {
				v.Add(v, keep)
			}
			// Row totals of served times the denominator of keep.
			v.Mul(v, new(big.Rat).SetInt64(served)).Mul(v, new(big.Rat).SetInt(keep.Denom()))
			if v.Sign() == 0 {
				continue
			}
			if !v.IsInt() || !v.Num().IsInt64() {
				return // of a keep that only floats hold
			}
			row[x].Output, row[x].Weight = append(row[x].Output, uint16(y)), append(row[x].Weight, v.Num().Int64())
			row[x].Total += v.Num().Int64()
			worst = math.Min(worst, value[y])
		}
		for f, y := range row[x].Output {
			expected += float64(p.Count(x)) / float64(p.Total()) * float64(row[x].At(f)) / float64(row[x].Total) * value[y]
		}
	}
	m, err := mechanism.New(o.Outputs(), row)
	if err != nil {
		return // totals beyond 2^62
	}
	if f := m.Factor(p); f.Cmp(i.Factor) != 0 {
		t.Fatalf("seed %d: factor %v, %v said", seed, f, i.Factor)
	}
	if d := m.Shares(p, stands).Shift; d.Cmp(i.Shift) != 0 {
		t.Fatalf("seed %d: shift %v, %v said", seed, d, i.Shift)
	}
	if !(math.Abs(expected-i.Expected) <= 1e-9) || worst != i.Worst {
		t.Fatalf("seed %d: worst %v and mean %v, %v and %v said", seed, worst, expected, i.Worst, i.Expected)
	}
}

// The chance to keep a letter follows from the rarest.
func TestInvariantOfFour(t *testing.T) {
	p, o := mechtest.Prior(t, 50, 30, 15, 5), mechtest.Matrix(t, [][]float64{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0},
		{0, 0, 0, 1}})
	i, err := InvariantWithin(p, o, []int{0, 1, 2, 3}, big.NewRat(4, 1))
	if err != nil {
		t.Fatal(err)
	}
	// Keep 100/5 + 1 - Keep = 4.
	if i.Keep.Cmp(big.NewRat(3, 19)) != 0 || i.Shift.Sign() != 0 {
		t.Errorf("keep %v, shift %v", i.Keep, i.Shift)
	}
	if _, err := InvariantWithin(p, o, []int{0, 0, 2, 3}, big.NewRat(4, 1)); err == nil {
		t.Error("two outputs for one letter are taken")
	}
}
