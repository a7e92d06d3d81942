package kernel

import (
	"math"
	"math/big"
	"slices"
)

// stands are, by output, the value that it is called like, -1 for none.
func (p *proof) stands() (of []int) {
	place := placesOf(p.Plan.Inputs)
	for _, l := range p.Plan.Outputs {
		x, stands := place[l]
		if !stands {
			x = -1
		}
		of = append(of, int(x))
	}
	return of
}

// shiftOf is D = sum_y (q_y - pi_y)^+ = max_A |q(A) - P(A)| over sets A of values, with pi_y
// the share of the value that y is called like.
func (p *proof) shiftOf(all ...crowd) *big.Rat {
	held, n := heldBy(all)
	var over []*big.Rat
	stands := p.stands()
	for y, col := range columnsOf(joined(all), len(p.Plan.Outputs)) {
		d := total(col.cells)
		if x := stands[y]; x >= 0 {
			d.Sub(d, big.NewRat(held[x], 1))
		}
		if d.Sign() > 0 {
			over = append(over, d)
		}
	}
	return new(big.Rat).Quo(added(over), big.NewRat(max(1, n), 1))
}

// shares finds how far counts of the output are off before draws are sampled: of all
// records, in each group, and in the table by group and output.
func (p *proof) shares() {
	if p.Groups == nil || sum(p.Records) == 0 {
		return
	}
	all := p.crowds(hereOf)
	p.Shift, p.Joint = p.shiftOf(all...), new(big.Rat)
	p.Shifts = p.shifts(hereOf)
	for i, d := range p.Shifts {
		p.Joint.Add(p.Joint, new(big.Rat).Mul(d, big.NewRat(sum(all[i].count), sum(p.Records))))
	}
}

// shifts are those of each group.
func (p *proof) shifts(of func(*Group) []int64) (all []*big.Rat) {
	for _, c := range p.crowds(of) {
		all = append(all, p.shiftOf(c))
	}
	return all
}

// maxShift: the shift of every group is at most the limit that was asked for, for the
// records of the plan and for those of this file; and what the plan says of all mechanisms
// within its epsilon is what its certificates add up to.
func (p *proof) maxShift() {
	const name = "max shift"
	s := p.Plan.Shares
	if s == nil {
		if p.Plan.Utility.Prefer == "shares" {
			p.Add(name, false, "shares were preferred, and the plan says nothing of the shift")
		}
		return
	}
	var w Faults
	limit, limited := Fraction(s.Limit)
	given, written := Share(s.Asked)
	if limited != (s.Limit != "") || limited != (s.Asked != "") || limited && (!written || given.Cmp(limit) != 0) {
		w.Addf("the limit of the shift is no fraction, or not the one that was written")
	}
	inner, roomy := limit, s.Room != ""
	if roomy {
		room, ok := Fraction(s.Room)
		if !ok || !limited || room.Sign() <= 0 || room.Cmp(limit) > 0 {
			w.Addf("the room below the limit of the shift is not within it")
		} else {
			inner = new(big.Rat).Sub(limit, room)
		}
	}
	w.Match((p.Plan.Utility.Prefer == "shares" || limited) && (s.Least == nil || p.Plan.Utility.Prefer == "shares"),
		"what was asked of the shift")
	if p.Groups == nil {
		p.Settle(name, w, "the limit as it was asked for; the rows are not known")
		return
	}
	made := new(big.Rat)
	for _, d := range p.shifts(recordsOf) {
		made = larger(made, d)
	}
	w.Match(s.Shift == made.RatString(), "the shift")
	for _, d := range p.Shifts {
		if limited && d.Cmp(limit) > 0 {
			w.Addf("the shift is above its limit")
		}
	}
	if limited && made.Cmp(inner) > 0 {
		w.Addf("the shift of the plan is above what it was made for")
	}
	p.bounds(&w, made, inner)
	p.Settle(name, w, "at most %s of all records%s", made.FloatString(6), either(limited, ", within the limit of "+s.Asked,
		""))
}

// bounds: what the plan says of all mechanisms within its epsilon is proven.
func (p *proof) bounds(w *Faults, shift, limit *big.Rat) {
	s := p.Plan.Shares
	if s.Factor == "" {
		w.Match(s.Worth == nil && s.Least == nil && s.Refused == nil, "bounds for no factor, which")
		return
	}
	target := p.Plan.Epsilon.Target
	if h := p.Plan.Headroom; h != nil {
		target = h.Target
	}
	factor, ok := Fraction(s.Factor)
	t, known := ParseTarget(target)
	if !ok || !known || len(p.Groups) != 1 || p.Order == nil {
		w.Addf("bounds of the shift whose factor or order cannot be read")
		return
	}
	whole := t.Factor
	if whole == nil && t.Nats.Sign() == 0 {
		whole = one
	}
	if t.Admits(factor) && (whole == nil || whole.Cmp(factor) != 0) {
		w.Addf("the bounds do not hold for all mechanisms within epsilon")
	}
	b := priced{proof: p, count: p.Groups[0].Prior, allow: p.Allow, factor: factor, stands: p.stands()}
	if s.Least != nil {
		least, ok := Fraction(s.Least.Value)
		w.Match(ok && least.Cmp(shift) <= 0 && b.below(s.Least, least), "the least shift, of which the proof says less,")
	}
	if s.Refused != nil {
		refused := b
		refused.allow = p.supportAt(s.At)
		least, ok := Fraction(s.Refused.Value)
		w.Match(ok && limit != nil && least.Cmp(limit) > 0 && s.At > p.Plan.Floor.At && refused.below(s.Refused, least),
			"a floor that is called out of reach, which is not proven and")
	}
	if s.Worth != nil {
		upper, ok := Fraction(s.Worth.Value)
		within, stated := Fraction(s.Within)
		w.Match(ok && stated && within.Cmp(shift) >= 0 && (s.Limit == "" || s.Least != nil || within.Cmp(limit) == 0) &&
			b.above(s.Worth, within, upper), "the bound of what is preferred, of which the proof says more,")
		if u := p.Plan.Utility; ok && u.Prefer != "unchanged" {
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
	*proof
	count  []int64
	allow  *Support
	factor *big.Rat
	stands []int
}

// below reports whether a proof shows that the shift is at least so much: with w = 0 and
// s_y <= 1 the inequality gives D >= -(sum P_x A_x + c + sum pi_y s_y).
func (b *priced) below(of *planBound, least *big.Rat) bool {
	if of.Base == "" {
		return least.Sign() <= 0
	}
	sum, most, ok := b.sum(of, func(_, _ int) float64 { return 0 })
	return ok && most.Cmp(one) <= 0 && sum.Neg(sum).Cmp(least) >= 0
}

// above reports whether a proof shows that the mean weight is at most so much; without one it
// is that of the best output of every letter.
func (b *priced) above(of *planBound, within, upper *big.Rat) bool {
	if of.Base != "" {
		sum, most, ok := b.sum(of, b.weight)
		return ok && sum.Add(sum, most.Mul(most, within)).Cmp(upper) <= 0
	}
	best, n := new(big.Rat), sum(b.count)
	for x, c := range b.count {
		most := math.Inf(-1)
		b.allow.Each(x, func(y int) { most = max(most, b.weight(x, y)) })
		if v := new(big.Rat).SetFloat64(most); c > 0 && v != nil {
			best.Add(best, v.Mul(v, big.NewRat(c, n)))
		}
	}
	return best.Cmp(upper) <= 0
}

// weight is what the plan made large, of a cell that is allowed.
func (b *priced) weight(x, y int) float64 {
	switch {
	case b.Plan.Utility.Prefer != "unchanged":
		return b.Order.Row(x)[y]
	case b.stands[y] == x:
		return 1
	}
	return 0
}

// sum is sum_x P_x A_x + c + sum_y pi_y s_y, and most the largest s_y. The numbers stand for
// so many 2^-scale; weights are rounded up to whole ones.
func (b *priced) sum(of *planBound, weight func(x, y int) float64) (bound, most *big.Rat, ok bool) {
	n, m, all := len(b.Plan.Inputs), len(b.Plan.Outputs), sum(b.count)
	if len(of.Price) != n || len(of.Level) != m || of.Scale < -1000 || of.Scale > 1000 || all == 0 {
		return nil, nil, false
	}
	var number []*big.Int // prices, levels, base
	for _, s := range slices.Concat(of.Price, of.Level, []string{of.Base}) {
		z, ok := integer(s)
		if !ok || z.BitLen() > 62 {
			return nil, nil, false
		}
		number = append(number, z)
	}
	price, level, base := number[:n], number[n:n+m], number[n+m]
	unit := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(of.Scale, -of.Scale))))
	if of.Scale > 0 {
		unit.Inv(unit)
	}
	paid := new(big.Int)
	over, mass := make([]big.Int, m), make([]int64, m)
	for x, c := range b.count {
		if c == 0 {
			continue
		}
		count := big.NewInt(c)
		paid.Add(paid, new(big.Int).Mul(count, price[x]))
		b.allow.Each(x, func(y int) {
			mass[y] += c
			gain := ceiling(weight(x, y), unit)
			if gain.Sub(gain.Sub(gain, price[x]), level[y]); gain.Sign() > 0 {
				over[y].Add(&over[y], gain.Mul(gain, count))
			}
		})
	}
	records := big.NewRat(all, 1)
	bound, most = new(big.Rat).SetInt(paid), new(big.Rat)
	bound.Quo(bound, records).Add(bound, new(big.Rat).SetInt(base))
	for y := range over {
		if live := new(big.Rat).Mul(b.factor, big.NewRat(mass[y], all)); live.Cmp(one) < 0 {
			continue
		}
		s := new(big.Rat).SetInt(&over[y])
		s.Mul(s, b.factor).Quo(s, records)
		s.Add(s, new(big.Rat).SetInt(new(big.Int).Sub(level[y], base)))
		if s.Sign() <= 0 {
			continue
		}
		most = larger(most, s)
		if x := b.stands[y]; x >= 0 {
			bound.Add(bound, new(big.Rat).Mul(s, big.NewRat(b.count[x], all)))
		}
	}
	return bound.Mul(bound, unit), new(big.Rat).Mul(most, unit), true
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
