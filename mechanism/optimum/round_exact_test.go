package optimum

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestFaceRounds: integers near a law given in floats, which solve random
// equations of a planted law exactly.
func TestFaceRounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(45, 46))
	solved := 0
	for trial := range 300 {
		m := 3 + rng.IntN(12)
		part, sum := make([]int64, m), int64(0)
		for j := range part {
			part[j] = 1 + rng.Int64N(9)
			sum += part[j]
		}
		f := &face{}
		every := make([]*big.Rat, m)
		for j, v := range part {
			f.q = append(f.q, float64(v)/float64(sum)*(1+1e-11*rng.NormFloat64()))
			every[j] = big.NewRat(1, 1)
		}
		f.add(every, big.NewRat(1, 1))
		type sums struct {
			coef  []int64
			value *big.Rat
		}
		var all []sums
		for range rng.IntN(m) {
			e, total := sums{coef: make([]int64, m)}, int64(0)
			coef := make([]*big.Rat, m)
			for j := range coef {
				if e.coef[j] = rng.Int64N(2); trial%3 == 0 {
					e.coef[j] = rng.Int64N(4)
				}
				if e.coef[j] != 0 {
					coef[j] = big.NewRat(e.coef[j], 1)
				}
				total += e.coef[j] * part[j]
			}
			e.value = big.NewRat(total, sum)
			all = append(all, e)
			f.add(coef, new(big.Rat).Set(e.value))
		}
		g := f.round(1 << 40)
		if g == nil {
			continue
		}
		solved++
		d := int64(0)
		for _, v := range g {
			d += v
		}
		for j, v := range g {
			if e := math.Abs(float64(v)/float64(d) - f.q[j]); v <= 0 || !(e < 1e-6) {
				t.Fatalf("trial %d: %d of %d for %v", trial, v, d, f.q[j])
			}
		}
		for _, e := range all {
			total := new(big.Rat)
			for j, v := range g {
				total.Add(total, big.NewRat(e.coef[j]*v, d))
			}
			if total.Cmp(e.value) != 0 {
				t.Fatalf("trial %d: %v instead of %v", trial, total, e.value)
			}
		}
	}
	if solved < 290 {
		t.Errorf("only %d of 300 were rounded", solved)
	}
}
