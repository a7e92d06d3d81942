package mechanism

import (
	"math"
	"math/big"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
)

// CheckMaxShift recomputes how far shares of the published values may be off, where
// a plan says something of that, and what it says of other mechanisms.
//
// With pi_y the share of the letter that output y is called like, 0 without one, and
// q the law of outputs, the shift is D = sum_y (q_y - pi_y)^+. With strata it is the
// largest of a group.
func CheckMaxShift(v *document.View) {
	const name = "max shift"
	var w document.Faults
	s := v.Plan.Shares
	asked := ""
	if s != nil {
		asked = s.Asked
	}
	v.Expect(&w, Figures{"design.max_shift?": asked})
	if s == nil {
		w.Match(v.Plan.Utility.Prefer != "shares", "a plan that says nothing of the shift, which was preferred,")
		if len(w) > 0 {
			v.Settle(name, w, "")
		}
		return
	}
	limit, limited := exact.Fraction(s.Limit)
	given, written := exact.Share(s.Asked)
	switch {
	case limited != (s.Limit != "") || limited != (s.Asked != ""):
		w.Addf("the limit of the shift is no fraction, or stated in one way only")
	case limited && (!written || given.Cmp(limit) != 0):
		w.Addf("the limit of the shift is not the one that was written")
	}
	w.Match((v.Plan.Utility.Prefer == "shares" || limited) && (s.Least == nil || v.Plan.Utility.Prefer == "shares"),
		"what was asked of the shift")
	if v.Groups == nil {
		v.Settle(name, w, "the limit as it was asked for; the rows are not known")
		return
	}
	made := v
	if v.Made != nil {
		made = v.Made
	}
	d := shiftOf(made)
	w.Match(s.Shift == d.RatString(), "the shift")
	if limited && d.Cmp(limit) > 0 {
		w.Addf("the shift of the plan is above its limit")
	}
	if now := shiftOf(v); limited && now.Cmp(limit) > 0 {
		w.Addf("the plan does not keep its limit of the shift under the counts of this file")
	}
	checkBounds(made, &w, d, limit)
	v.Settle(name, w, "at most %s of all records%s", d.FloatString(6), document.Either(limited, ", within the limit of "+
		s.Asked, ""))
}

// shiftOf is the largest shift of a group.
func shiftOf(v *document.View) *big.Rat {
	most := new(big.Rat)
	for _, c := range sampled(v) {
		if d, _ := tableOf(v, c).shift(); d.Cmp(most) > 0 {
			most = d
		}
	}
	return most
}

// checkBounds holds what the plan says of all mechanisms within its epsilon to the
// proofs that it gives.
func checkBounds(v *document.View, w *document.Faults, shift, limit *big.Rat) {
	s := v.Plan.Shares
	if s.Factor == "" {
		w.Match(s.Worth == nil && s.Least == nil && s.Refused == nil, "bounds for no factor, which")
		return
	}
	target := v.Plan.Epsilon.Target
	if h := v.Plan.Headroom; h != nil {
		target = h.Target
	}
	factor, ok := exact.Fraction(s.Factor)
	t, known := exact.ParseTarget(target)
	if !ok || !known || v.Rows == nil || v.Order == nil || v.Allow == nil {
		w.Addf("bounds of the shift whose factor or order cannot be read")
		return
	}
	whole := t.Factor
	if whole == nil && t.Nats.Sign() == 0 {
		whole = exact.One
	}
	if t.Admits(factor) && (whole == nil || whole.Cmp(factor) != 0) {
		w.Addf("the bounds do not hold for all mechanisms within epsilon")
	}
	p := priced{v: v, allow: v.Allow, factor: factor, stands: tableOf(v).called}
	if b := s.Least; b != nil {
		least, ok := exact.Fraction(b.Value)
		w.Match(ok && least.Cmp(shift) <= 0 && p.below(b, least) == "", "the least shift, of which the proof says less,")
	}
	if b := s.Refused; b != nil {
		refused := p
		refused.allow = SupportAt(v, v.Order, s.At)
		least, ok := exact.Fraction(b.Value)
		w.Match(ok && limit != nil && least.Cmp(limit) > 0 && s.At > v.Plan.Floor.At && refused.below(b, least) == "",
			"a floor that is called out of reach, which is not proven and")
	}
	if b := s.Worth; b != nil {
		upper, ok := exact.Fraction(strings.TrimPrefix(b.Value, "-"))
		if ok && strings.HasPrefix(b.Value, "-") {
			upper.Neg(upper)
		}
		within, stated := exact.Fraction(s.Within)
		w.Match(ok && stated && within.Cmp(shift) >= 0 && (s.Limit == "" || s.Least != nil || within.Cmp(limit) == 0) &&
			p.above(b, within, upper) == "", "the bound of what is preferred, of which the proof says more,")
		if u := v.Plan.Utility; ok && u.Prefer != "unchanged" {
			bound, _ := upper.Float64()
			w.Match(u.UpperBound <= max(u.Expected, bound)+1e-12*(1+math.Abs(bound)),
				"an upper bound of the utility above what is proven, which")
		}
	}
	w.Match(s.Open >= 0, "the number of floors that are undecided")
}

// priced are numbers A_x, m_y and c that bound all mechanisms of a support within a
// factor t. Write one as columns p_xy = q_y v_xy, with sum_x P_x v_xy = 1 and
// 0 <= v_xy <= t. Since rows sum to 1,
//
//	sum_x P_x sum_y p_xy w_xy = sum_x P_x A_x + sum_y q_y sum_x P_x (w_xy - A_x) v_xy,
//
// and the inner sum is at most kappa_y = m_y + t sum_x P_x (w_xy - A_x - m_y)^+. So it
// is at most sum P_x A_x + c + sum_y q_y s_y with s_y = (kappa_y - c)^+, over outputs
// with t P(S_y) >= 1; and q_y <= pi_y but for D in all, so that
//
//	sum_x P_x sum_y p_xy w_xy <= sum_x P_x A_x + c + sum_y pi_y s_y + D max_y s_y.
type priced struct {
	v      *document.View
	allow  *exact.Support
	factor *big.Rat
	stands []int
}

// below says why a proof does not show that the shift is at least so much: with w
// = 0 and s_y <= 1 the inequality gives D >= -(sum P_x A_x + c + sum pi_y s_y).
func (p *priced) below(b *document.PlanBound, least *big.Rat) (why string) {
	if b.Base == "" {
		return document.Either(least.Sign() <= 0, "", "there is no proof")
	}
	sum, most, why := p.sum(b, nil)
	switch {
	case why != "":
		return why
	case most.Cmp(exact.One) > 0:
		return "an output is worth more than 1"
	case sum.Neg(sum).Cmp(least) < 0:
		return "the proof says less"
	}
	return ""
}

// above says why a proof does not show that the mean weight is at most so much.
func (p *priced) above(b *document.PlanBound, within, upper *big.Rat) (why string) {
	if b.Base == "" {
		return document.Either(p.best().Cmp(upper) <= 0, "", "the best output of every record gives more")
	}
	sum, most, why := p.sum(b, p.weight)
	if why == "" && sum.Add(sum, most.Mul(most, within)).Cmp(upper) > 0 {
		why = "the proof says more"
	}
	return why
}

// weight is what the plan made large, of a cell that is allowed.
func (p *priced) weight(x, y int) float64 {
	if p.v.Plan.Utility.Prefer == "unchanged" {
		if p.stands[y] == x {
			return 1
		}
		return 0
	}
	return p.v.Order.Row(x)[y]
}

// best is the mean weight of the best output of every letter.
func (p *priced) best() *big.Rat {
	sum := new(big.Rat)
	for x, c := range p.v.Count {
		most := math.Inf(-1)
		p.allow.Each(x, func(y int) { most = max(most, p.weight(x, y)) })
		if v := new(big.Rat).SetFloat64(most); c > 0 && v != nil {
			sum.Add(sum, v.Mul(v, big.NewRat(c, p.v.Total)))
		}
	}
	return sum
}

// sum is sum_x P_x A_x + c + sum_y pi_y s_y, and most the largest s_y. The numbers
// stand for so many 2^-scale; weights are rounded up to whole ones.
func (p *priced) sum(b *document.PlanBound, weight func(x, y int) float64) (sum, most *big.Rat, why string) {
	n, m := len(p.v.Plan.Inputs), len(p.v.Plan.Outputs)
	if len(b.Price) != n || len(b.Level) != m || b.Scale < -1000 || b.Scale > 1000 || p.v.Total == 0 {
		return nil, nil, "there is not one price per input and one level per output"
	}
	number := func(s string) (*big.Int, bool) {
		z, ok := integer(s)
		return z, ok && z.BitLen() <= 62
	}
	base, ok := number(b.Base)
	level := make([]*big.Int, m)
	for y := range level {
		var is bool
		level[y], is = number(b.Level[y])
		ok = ok && is
	}
	unit := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(b.Scale, -b.Scale))))
	if b.Scale > 0 {
		unit.Inv(unit)
	}
	total := new(big.Int)
	over, mass := make([]big.Int, m), make([]int64, m)
	for x, c := range p.v.Count {
		price, is := number(b.Price[x])
		if ok = ok && is; !ok {
			return nil, nil, "the proof has what is not a number"
		}
		if c == 0 {
			continue
		}
		count := big.NewInt(c)
		total.Add(total, new(big.Int).Mul(count, price))
		p.allow.Each(x, func(y int) {
			mass[y] += c
			gain := new(big.Int)
			if weight != nil {
				gain = ceiling(weight(x, y), unit)
			}
			if gain.Sub(gain.Sub(gain, price), level[y]); gain.Sign() > 0 {
				over[y].Add(&over[y], gain.Mul(gain, count))
			}
		})
	}
	all := big.NewRat(p.v.Total, 1)
	sum = new(big.Rat).SetInt(total)
	sum.Quo(sum, all).Add(sum, new(big.Rat).SetInt(base))
	most = new(big.Rat)
	for y := range over {
		live := new(big.Rat).Mul(p.factor, big.NewRat(mass[y], p.v.Total))
		if live.Cmp(exact.One) < 0 {
			continue
		}
		s := new(big.Rat).SetInt(&over[y])
		s.Mul(s, p.factor).Quo(s, all)
		s.Add(s, new(big.Rat).SetInt(new(big.Int).Sub(level[y], base)))
		if s.Sign() <= 0 {
			continue
		}
		if s.Cmp(most) > 0 {
			most = s
		}
		if x := p.stands[y]; x >= 0 {
			sum.Add(sum, new(big.Rat).Mul(s, big.NewRat(p.v.Count[x], p.v.Total)))
		}
	}
	return sum.Mul(sum, unit), new(big.Rat).Mul(most, unit), ""
}

// ceiling is the least whole number of units that is not below a weight.
func ceiling(weight float64, unit *big.Rat) *big.Int {
	q := new(big.Rat).SetFloat64(weight)
	if q == nil { // of a cell that the order forbids, which no support has
		return new(big.Int)
	}
	q.Quo(q, unit)
	n, rest := new(big.Int).DivMod(q.Num(), q.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		n.Add(n, big.NewInt(1))
	}
	return n
}

// maxDigits bounds a price as a text.
const maxDigits = 100

// integer reads a number that may be negative, without leading zeros.
func integer(s string) (*big.Int, bool) {
	if len(s) > maxDigits {
		return nil, false
	}
	n, ok := new(big.Int).SetString(s, 10)
	return n, ok && n.String() == s
}
