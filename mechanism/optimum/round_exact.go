package optimum

import (
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
)

// A factor a/b is simple, and worth trying to reach exactly, up to this b. The
// least factor is often n over a mass.
const simpleFactor = 1 << 32

// tightness is how near to equality, in shares, floats must be to what is
// then taken for an equality.
const tightness = 1e-6

// blurs are the output probabilities up to which outputs, and the shares of
// t q_y up to which cells, are taken for solver noise, tried in turn.
var blurs = []float64{1e-9, 1e-7, 1e-5}

// lawBits are the bits of the denominator of an output law: what keeps a float's utility.
const lawBits = 61

// Exact returns a mechanism of factor at most t with an output law and cells near the
// draft's, which has that factor but for the rounding of floats; nil where
// none is found, and for factors that are not simple. It is looked for near the draft
// cleaned of more and more.
//
// A law q has a mechanism of factor t exactly when for all sets A of letters
//
//	sum_y q_y min(1, t P(A & S_y)) >= P(A)
//
// (a minimum cut). Where t is the least factor some of these are equalities
// for every q, and a law that is merely rounded misses them however fine it
// is. So the equalities are gathered, first those of single letters and then
// those that a maximum flow finds broken; the law is rounded within them, in
// fractions with a common denominator, and the flow is made in integers.
func (d Draft) Exact(t *big.Rat) *mechanism.Mechanism {
	if t.Denom().Cmp(big.NewInt(simpleFactor)) > 0 || !t.Num().IsInt64() {
		return nil
	}
	for _, blur := range blurs {
		if c := d.clean(t, blur); c != nil {
			if m := c.laws(t).reach(c); m != nil {
				return m
			}
		}
	}
	return nil
}

// clean drops the outputs up to blur, and those that cannot have the factor,
// and moves cells to 0 or past t q_y where they are that near; nil where what
// remains is not nearly all.
func (d Draft) clean(t *big.Rat, blur float64) *Draft {
	c := &Draft{d.Pattern, make([][]float64, len(d.Cell))}
	limit := new(big.Rat).SetFrac(new(big.Int).Mul(big.NewInt(d.Prior.Total()), t.Denom()), t.Num())
	ratio, _ := t.Float64()
	total := 0.0
	for y, q := range d.Law() {
		if !(q > blur) || new(big.Rat).SetInt64(d.Mass[y]).Cmp(limit) < 0 {
			continue
		}
		c.Cell[y] = append([]float64(nil), d.Cell[y]...)
		for k, v := range c.Cell[y] {
			switch {
			case v <= blur*ratio*q:
				c.Cell[y][k] = 0
			case v >= (1-blur)*ratio*q:
				c.Cell[y][k] = (1 + blur) * ratio * q // cut to what an edge holds
			}
		}
		total += q
	}
	if !(math.Abs(total-1) < tightness) {
		return nil
	}
	return c
}

// Simplest is the fraction of least denominator in [lo, hi], 0 < lo <= hi, by
// continued fractions.
func Simplest(lo, hi *big.Rat) *big.Rat {
	whole := new(big.Int).Quo(lo.Num(), lo.Denom())
	floor := new(big.Rat).SetInt(whole)
	if floor.Cmp(lo) == 0 {
		return floor
	}
	if next := new(big.Rat).Add(floor, one); next.Cmp(hi) <= 0 {
		return next
	}
	a, b := new(big.Rat).Sub(lo, floor), new(big.Rat).Sub(hi, floor)
	in := Simplest(b.Inv(b), a.Inv(a))
	return in.Add(floor, in.Inv(in))
}
