package optimum

import (
	"errors"
	"math"
	"math/big"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/mechtest"
)

// TestOptimalBelowLeast: below the least factor there is none, and the error
// says where the least is.
func TestOptimalBelowLeast(t *testing.T) {
	p := mechtest.Prior(60, 25, 15)
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

// TestOptimalTightens: where utility does not need the whole factor, the
// least that does is found. All weights equal: any mechanism will do, so the
// least factor of the support.
func TestOptimalTightens(t *testing.T) {
	p := mechtest.Prior(60, 25, 15)
	s := allow(3, []int{0, 1}, []int{1, 2}, []int{0, 2})
	flat := func(_ int, row []float64) {
		for y := range row {
			row[y] = 1
		}
	}
	m, v, err := largest(p, s, big.NewRat(6, 1), flat, Options{Tighten: true})
	must(t, err)
	checkWorth(t, "flat", p, s, big.NewRat(6, 1), flat, m, v)
	if !(mechanism.Nats(v.Factor) <= math.Log(2)+1e-6) {
		t.Errorf("factor %s at equal utility, the least is 2", v.Factor.FloatString(9))
	}
}
