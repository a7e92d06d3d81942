// Package recovery looks for mechanisms that analysts can undo.
//
// With q = p^T P and G = p diag(q)^-1 p^T, the unbiased estimates of the shares P that have the least
// variance have (G^-1)_xx - P_x of it, for one record. The sum over all letters is the spread of a
// mechanism. Searches go by floats; Spread proves what they find.
package recovery

import (
	"math"
	"math/bits"

	"gonum.org/v1/gonum/mat"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// rounding is above what sums of up to 2^21 floats that are not negative may be off.
const rounding = 1e-9

// Spread is a bound of the spread from above, and whether m is proven to have one: then it can be
// undone. It is sharp to about 1e-9, where floats can undo m.
//
// Let a be weights of outputs for every letter, in multiples of a power of 2, and R = I - p a, which
// is exact. Where the norm r of R is below 1, a (I - R)^-1 undoes p, and its rows are at most 1/(1-r)
// times as long as those of a. So sum_y q_y |a_y|^2 / (1-r)^2 - 1 is a bound.
func Spread(m *mechanism.Mechanism, prior mechanism.Prior) (float64, bool) {
	n, outputs := m.Inputs(), m.Outputs()
	if n*outputs > 1<<20 || prior.Total() == 0 {
		return 0, false
	}
	w := &descent{share: sharesOf(prior)}
	p := Chances(m)
	inverse, _ := w.undone(p)
	if inverse == nil {
		return 0, false
	}
	q := w.law(p)
	var a mat.Dense
	a.Mul(p.T(), inverse)
	a.Apply(func(y, _ int, v float64) float64 { return v / max(q[y], math.SmallestNonzeroFloat64) }, &a)
	_, above := math.Frexp(mat.Max(&a) - min(0, mat.Min(&a)))
	// Weights are at most 2^62, so that sums of their products with a stay below 2^126.
	scale := min(52, 64-bits.Len(uint(outputs))) - above
	if !(scale >= 0) {
		return 0, false
	}
	whole := make([][]int64, outputs)
	for y := range whole {
		for x := range n {
			whole[y] = append(whole[y], int64(math.Round(math.Ldexp(a.At(y, x), scale))))
		}
	}
	off, square := 0.0, 0.0
	for x := range n {
		r := m.Row(x)
		for k := range n {
			var sum optimum.Wide
			for i, y := range r.Output {
				sum.Add(r.At(i), whole[y][k])
			}
			if k == x {
				sum.Add(1<<scale, -r.Total)
			}
			v := sum.Float() / float64(r.Total)
			off += v * v
		}
	}
	off = math.Ldexp(math.Sqrt(off), -scale) * (1 + rounding)
	if !(off < .5) {
		return 0, false
	}
	for y, row := range whole {
		own := 0.0
		for _, v := range row {
			own += float64(v) * float64(v)
		}
		square += q[y] * own
	}
	square = math.Ldexp(square, -2*scale) * (1 + rounding)
	return max(0, square/((1-off)*(1-off))-1), true
}

// sharesOf are the shares of the letters, as floats.
func sharesOf(prior mechanism.Prior) []float64 {
	share := make([]float64, prior.Letters())
	for x := range share {
		share[x] = float64(prior.Count(x)) / float64(prior.Total())
	}
	return share
}

// Responded is the spread of randomised response within a factor: a value is kept as often as the
// rarest allows, and else drawn from all alike, a I + b J/N with the inverse (I - b J/N) / a.
func Responded(prior mechanism.Prior, factor float64) float64 {
	n, odds := float64(prior.Letters()), math.Inf(1)
	for _, p := range sharesOf(prior) {
		if factor*p < 1 {
			odds = min(odds, (factor-1)/(n*(1-factor*p)))
		}
	}
	a, b := 1/(1+1/odds), 1/(1+odds)
	own := (1 - b/n) / a
	return own*own + (n-1)*(b/n/a)*(b/n/a) - 1
}
