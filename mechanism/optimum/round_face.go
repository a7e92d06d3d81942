package optimum

import (
	"math"
	"math/big"
	"slices"
)

// faceWork bounds the elimination behind a face, in operations on fractions.
const faceWork = 1_000_000

// A face is an affine set of output laws that contains q up to what floats
// lose, in reduced echelon form: every equation gives its pivot by the other
// outputs. Laws are over the outputs used, by place in that list.
type face struct {
	q        []float64
	equation []equation
	work     int
}

// An equation is q_pivot + sum_j coef_j q_j = value; coef is nil where it is
// 0, at the pivot of any equation among others.
type equation struct {
	pivot int
	coef  []*big.Rat
	value *big.Rat
}

// add takes sum_j coef_j q_j = value, which it changes, into the face. It
// reports false where that follows from the equations there are, contradicts
// them, or costs too much.
func (f *face) add(coef []*big.Rat, value *big.Rat) bool {
	term := new(big.Rat)
	// subtract takes k times e from coef and value.
	subtract := func(coef []*big.Rat, value, k *big.Rat, e equation) {
		for j, c := range e.coef {
			if c == nil {
				continue
			}
			f.work++
			if coef[j] == nil {
				coef[j] = new(big.Rat)
			}
			if coef[j].Sub(coef[j], term.Mul(k, c)); coef[j].Sign() == 0 {
				coef[j] = nil
			}
		}
		value.Sub(value, term.Mul(k, e.value))
	}
	for _, e := range f.equation {
		if k := coef[e.pivot]; k != nil {
			coef[e.pivot] = nil
			subtract(coef, value, k, e)
		}
	}
	pivot := f.pivot(coef)
	if pivot < 0 || f.work > faceWork {
		return false
	}
	scale := new(big.Rat).Inv(coef[pivot])
	coef[pivot] = nil
	for _, c := range coef {
		if c != nil {
			c.Mul(c, scale)
		}
	}
	e := equation{pivot, coef, value.Mul(value, scale)}
	for i := range f.equation {
		o := &f.equation[i]
		if k := o.coef[pivot]; k != nil {
			o.coef[pivot] = nil
			subtract(o.coef, o.value, k, e)
		}
	}
	f.equation = append(f.equation, e)
	return true
}

// pivot is the place of a coefficient of least size, so that the others
// become integers where that can be, and of those the likeliest output, which
// bears rounding best; -1 where all are 0.
func (f *face) pivot(coef []*big.Rat) int {
	best := -1
	for j, c := range coef {
		if c == nil {
			continue
		}
		if best < 0 {
			best = j
			continue
		}
		s := new(big.Rat).Abs(c).Cmp(new(big.Rat).Abs(coef[best]))
		if s < 0 || s == 0 && f.q[j] > f.q[best] {
			best = j
		}
	}
	return best
}

// round returns integers g >= 0 near q D such that g/D is in the face, for the largest D up
// to most that clears the denominators. It is nil where there is none.
func (f *face) round(most int64) []int64 {
	step, unit := f.denominators()
	if step == 0 || most < unit || most < step {
		return nil
	}
	d := most / unit * unit
	g := make([]int64, len(f.q))
	for j, q := range f.q {
		g[j] = int64(math.Round(q*float64(d)/float64(step)) * float64(step))
	}
	sum, term, rest := new(big.Rat), new(big.Rat), new(big.Rat)
	for _, e := range f.equation {
		sum.Mul(e.value, term.SetInt64(d))
		for j, c := range e.coef {
			if c != nil {
				sum.Sub(sum, rest.Mul(c, term.SetInt64(g[j])))
			}
		}
		if !sum.IsInt() || !sum.Num().IsInt64() {
			return nil
		}
		g[e.pivot] = sum.Num().Int64()
	}
	if slices.ContainsFunc(g, func(v int64) bool { return v < 0 }) {
		return nil
	}
	return g
}

// denominators are the common ones of the coefficients, of which the g of the
// outputs that are no pivots must be multiples, and of the values, of which D
// must be one; 0 where they pass 2^62.
func (f *face) denominators() (step, unit int64) {
	coefs, values := big.NewInt(1), big.NewInt(1)
	common := func(l *big.Int, v *big.Rat) bool {
		k := new(big.Int).GCD(nil, nil, l, v.Denom())
		l.Mul(l, k.Quo(v.Denom(), k))
		return l.BitLen() <= 62
	}
	for _, e := range f.equation {
		for _, c := range e.coef {
			if c != nil && !common(coefs, c) {
				return 0, 0
			}
		}
		if !common(values, e.value) {
			return 0, 0
		}
	}
	return coefs.Int64(), values.Int64()
}
