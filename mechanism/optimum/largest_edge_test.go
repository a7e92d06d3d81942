package optimum

import (
	"errors"
	"math"
	"math/big"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/mechtest"
)

// TestOptimalJump: expected utility jumps at 1/P(S_y), where output y becomes
// possible. The instance ties-A of the published ones has 3.25 at factor
// exactly 5/4 and 3.10 just below.
func TestOptimalJump(t *testing.T) {
	p := mechtest.Prior(t, 5, 3, 2)
	s := allow(3, []int{0, 1, 2}, []int{0, 1}, []int{1, 2})
	for _, c := range []struct {
		factor *big.Rat
		want   string
	}{{big.NewRat(5, 4), "13/4"}, {big.NewRat(1_249_999_999, 1_000_000_000), "31/10"}} {
		m, v, err := largest(p, s, c.factor, reference, Options{})
		if err != nil {
			t.Fatal(err)
		}
		checkWorth(t, "jump", p, s, c.factor, reference, m, v)
		got, _ := v.Lower.Float64()
		want, _ := mechtest.Ratio(t, c.want).Float64()
		if !(math.Abs(got-want) <= 1e-6) {
			t.Errorf("at %s: utility %v, want %v", c.factor.RatString(), got, want)
		}
	}
}

// TestOptimalFavourite: with room for it every letter gets its best output,
// and value and bound are equal fractions.
func TestOptimalFavourite(t *testing.T) {
	p := mechtest.Prior(t, 5, 3, 2, 0)
	s := allow(3, []int{0, 1, 2}, []int{0, 1}, []int{1, 2}, []int{0, 2})
	m, v, err := largest(p, s, big.NewRat(100, 1), reference, Options{})
	if err != nil {
		t.Fatal(err)
	}
	checkWorth(t, "favourite", p, s, big.NewRat(100, 1), reference, m, v)
	if v.Lower.Cmp(v.Upper) != 0 {
		t.Errorf("value %s, bound %s", v.Lower.RatString(), v.Upper.RatString())
	}
}

// TestOptimalBelowLeast: below the least factor there is none, and the error
// says where the least is.
func TestOptimalBelowLeast(t *testing.T) {
	p := mechtest.Prior(t, 60, 25, 15)
	s := allow(3, []int{0, 1}, []int{1, 2}, []int{0, 2})
	_, _, err := largest(p, s, big.NewRat(19, 10), reference, Options{})
	var e *FactorError
	if !errors.As(err, &e) || e.Lower.Cmp(big.NewRat(2, 1)) != 0 || e.Upper.Cmp(big.NewRat(2, 1)) != 0 {
		t.Errorf("error %v, want the least factor 2", err)
	}
	_, _, err = largest(p, allow(3, []int{0}, nil, []int{1}), big.NewRat(2, 1), reference, Options{})
	var none *mechanism.NoOutputError
	if !errors.As(err, &none) {
		t.Errorf("error %v, want a letter without outputs", err)
	}
	nan := func(_ int, row []float64) {
		for y := range row {
			row[y] = math.NaN()
		}
	}
	if _, _, err = largest(p, s, big.NewRat(3, 1), nan, Options{}); err == nil {
		t.Error("weights that are no numbers were accepted")
	}
}

// TestOptimalAtLeast: at exactly the least factor there is an answer.
func TestOptimalAtLeast(t *testing.T) {
	p := mechtest.Prior(t, 60, 25, 15)
	s := allow(3, []int{0, 1}, []int{1, 2}, []int{0, 2})
	f := big.NewRat(2, 1)
	m, v, err := largest(p, s, f, reference, Options{})
	if err != nil {
		t.Fatal(err)
	}
	checkWorth(t, "at the least", p, s, f, reference, m, v)
}

// TestOptimalTightens: where utility does not need the whole factor, the
// least that does is found. All weights equal: any mechanism will do, so the
// least factor of the support.
func TestOptimalTightens(t *testing.T) {
	p := mechtest.Prior(t, 60, 25, 15)
	s := allow(3, []int{0, 1}, []int{1, 2}, []int{0, 2})
	flat := func(_ int, row []float64) {
		for y := range row {
			row[y] = 1
		}
	}
	m, v, err := largest(p, s, big.NewRat(6, 1), flat, Options{Tighten: true})
	if err != nil {
		t.Fatal(err)
	}
	checkWorth(t, "flat", p, s, big.NewRat(6, 1), flat, m, v)
	if !(mechanism.Nats(v.Factor) <= math.Log(2)+1e-6) {
		t.Errorf("factor %s at equal utility, the least is 2", v.Factor.FloatString(9))
	}
	// On the counting query utility is wanted all the way.
	in := mechtest.Paper(t).Counting
	o := mechtest.Ranks(t, in.Rank)
	q, u := mechtest.Prior(t, in.Counts...), mechanism.SupportOf(o, mechanism.RankFloor(5))
	f := big.NewRat(5, 2)
	m, v, err = largest(q, u, f, rankWeights(o), Options{Tighten: true})
	if err != nil {
		t.Fatal(err)
	}
	checkWorth(t, "counting", q, u, f, rankWeights(o), m, v)
	if d := v.Upper.Sub(v.Upper, v.Lower); !(d.Cmp(big.NewRat(1, 1_000_000)) <= 0) {
		t.Errorf("utility is %s from its bound", d.FloatString(9))
	}
}

// rankWeights are the ranks u(x,y) of an order.
func rankWeights(o mechanism.Order) mechanism.Weights {
	return func(x int, row []float64) {
		rank := make([]uint16, len(row))
		o.Row(x, rank, nil)
		for y, r := range rank {
			row[y] = float64(r)
		}
	}
}
