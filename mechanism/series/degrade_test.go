package series

import (
	"errors"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
)

// times is old W as a design with the common row totals of small cases.
func times(t *testing.T, old, w *mechanism.Mechanism) *mechanism.Mechanism {
	rows := make([][]int64, old.Inputs())
	for x := range rows {
		sum := make([]*big.Rat, w.Outputs())
		scale := big.NewInt(1)
		r := old.Row(x)
		for b := range sum {
			sum[b] = new(big.Rat)
		}
		for i, a := range r.Output {
			v := w.Row(int(a))
			for j, b := range v.Output {
				sum[b].Add(sum[b], new(big.Rat).Mul(big.NewRat(r.At(i), r.Total), big.NewRat(v.At(j), v.Total)))
			}
		}
		for _, s := range sum {
			g := new(big.Int).GCD(nil, nil, scale, s.Denom())
			scale.Mul(scale, new(big.Int).Quo(s.Denom(), g))
		}
		rows[x] = make([]int64, w.Outputs())
		for b, s := range sum {
			rows[x][b] = new(big.Int).Mul(s.Num(), new(big.Int).Quo(scale, s.Denom())).Int64()
		}
	}
	return law(t, rows...)
}

// A product of two random designs is found to be one, its channel reproduces
// it, allows what it allows, and tells no more.
func TestDegradeFindsProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(29, 30))
	exact := 0
	const cases = 300
	for range cases {
		n := 2 + rng.IntN(5)
		a, b := 2+rng.IntN(4), 2+rng.IntN(4)
		old := randomLaw(t, rng, n, a)
		next := times(t, old, randomLaw(t, rng, a, b))
		d, err := Degrade(old, next)
		if err != nil {
			t.Fatalf("%v: %v", old, err)
		}
		if d.Gap.Cmp(Near) > 0 || d.Gap.Cmp(Gap(old, d.Channel, next)) != 0 {
			t.Fatalf("gap %v", d.Gap)
		}
		if d.Gap.Sign() == 0 {
			exact++
			if made := times(t, old, d.Channel); Gap(made, identity(t, b), next).Sign() != 0 {
				t.Fatal("the product differs from the design")
			}
		}
	}
	if exact < cases*9/10 {
		t.Errorf("only %d of %d products were found exactly", exact, cases)
	}
}

func identity(t *testing.T, n int) *mechanism.Mechanism { return cyclic(t, n, 1) }

// A channel of zeros and ones and one of 1/3, 2/3; designs that tell more, or
// that allow less, are refused.
func TestDegradeByHand(t *testing.T) {
	id := identity(t, 3)
	thirds := law(t, []int64{1, 2, 0}, []int64{0, 1, 2}, []int64{2, 0, 1})
	d, err := Degrade(id, thirds)
	if err != nil || d.Gap.Sign() != 0 || Gap(id, d.Channel, thirds).Sign() != 0 {
		t.Fatalf("%+v, %v", d, err)
	}
	equal(t, "the gap to a design without the output", Gap(id, cyclic(t, 3, 2), id), 1, 1)
	if _, err := Degrade(thirds, id); !errors.Is(err, ErrNotDegraded) {
		t.Errorf("the identity from noise: %v", err)
	}
	if _, err := Degrade(cyclic(t, 5, 2), cyclic(t, 5, 3)); !errors.Is(err, ErrNotDegraded) {
		t.Errorf("the support allows a channel, the weights none: %v", err)
	}
	if d, err := Degrade(cyclic(t, 4, 2), cyclic(t, 4, 4)); err != nil || d.Gap.Sign() != 0 {
		t.Errorf("pure noise: %+v, %v", d, err)
	}
	if _, err := Degrade(id, cyclic(t, 4, 2)); err == nil || errors.Is(err, ErrNotDegraded) {
		t.Errorf("other letters: %v", err)
	}
	if _, err := Degrade(cyclic(t, 60, 60), cyclic(t, 60, 60)); err == nil || errors.Is(err, ErrNotDegraded) {
		t.Errorf("too large: %v", err)
	}
	big1 := law(t, []int64{1 << 60, 3}, []int64{5, 1 << 59})
	if d, err := Degrade(big1, big1); err != nil || d.Gap.Sign() != 0 {
		t.Errorf("itself: %+v, %v", d, err)
	}
}

// The channel of a design that is only near a product: the law drawn is the
// product, and its factor is at most that of the old design.
func TestDegradeNearly(t *testing.T) {
	old := law(t, []int64{1 << 30, 1<<30 + 7, 0}, []int64{3, 1 << 31, 99999999}, []int64{1 << 29, 0, 1 << 31})
	w := law(t, []int64{1 << 30, 1 << 28}, []int64{12345, 1 << 30}, []int64{7777777, 1<<29 + 1})
	rows := make([][]int64, 3)
	for x := range rows { // the product, rounded to a total of 2^31
		rows[x] = make([]int64, 2)
		sum := 0.0
		r := old.Row(x)
		for i, a := range r.Output {
			sum += float64(r.At(i)) / float64(r.Total) * float64(w.Row(int(a)).At(0)) / float64(w.Row(int(a)).Total)
		}
		rows[x][0] = int64(sum * (1 << 31))
		rows[x][1] = 1<<31 - rows[x][0]
	}
	next := law(t, rows...)
	d, err := Degrade(old, next)
	if err != nil {
		t.Fatal(err)
	}
	if d.Gap.Sign() == 0 || d.Gap.Cmp(big.NewRat(1, 1_000_000_000)) > 0 {
		t.Errorf("gap %v", d.Gap.FloatString(15))
	}
}
