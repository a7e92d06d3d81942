package kernel

import (
	"math/big"
)

// shiftOf is D = sum_y (q_y - pi_y)^+ = max_A |q(A) - P(A)| over sets A of values, with pi_y
// the share of the value that y is called like.
func (p *proof) shiftOf(all ...crowd) *big.Rat {
	var over []*big.Rat
	held, law, place := counted(all), lawOf(all, len(p.Plan.Outputs)), placesOf(p.Plan.Inputs)
	for y, l := range p.Plan.Outputs {
		if x, stands := place[l]; stands {
			law[y].Sub(law[y], big.NewRat(held[x], 1))
		}
		if law[y].Sign() > 0 {
			over = append(over, law[y])
		}
	}
	return new(big.Rat).Quo(added(over), big.NewRat(max(1, sum(held)), 1))
}

// keptHalf reports whether 2 n q_y >= c_y for every value, of c_y records, in every group.
func (p *proof) keptHalf(of func(*Group) []int64) bool {
	place := placesOf(p.Plan.Outputs)
	for _, c := range p.crowds(of) {
		law := lawOf([]crowd{c}, len(p.Plan.Outputs))
		for x, l := range p.Plan.Inputs {
			if y, stands := place[l]; c.count[x] > 0 && !(stands && law[y].Cmp(big.NewRat(c.count[x], 2)) >= 0) {
				return false
			}
		}
	}
	return true
}

// shares finds how far counts of the output are off before draws are sampled: of all
// records, and in each group.
func (p *proof) shares() {
	if p.Groups == nil || sum(p.Records) == 0 {
		return
	}
	p.Shift, p.Shifts = p.shiftOf(p.crowds(hereOf)...), p.shifts(hereOf)
}

// shifts are those of each group.
func (p *proof) shifts(of func(*Group) []int64) (all []*big.Rat) {
	for _, c := range p.crowds(of) {
		all = append(all, p.shiftOf(c))
	}
	return all
}

// maxShift: the shift of every group is at most the limit that was asked for, for the
// records of the plan and for those of this file. What the plan says of all mechanisms within
// its epsilon is told again.
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
	inner := limit
	if s.Room != "" {
		room, ok := Fraction(s.Room)
		if !ok || !limited || room.Sign() <= 0 || room.Cmp(limit) > 0 {
			w.Addf("the room below the limit of the shift is not within it")
		} else {
			inner = new(big.Rat).Sub(limit, room)
		}
	}
	w.Match(p.Plan.Utility.Prefer == "shares" || limited, "what was asked of the shift")
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
	if s.Keep && (!limited || !p.keptHalf(recordsOf) || !p.keptHalf(hereOf)) {
		w.Addf("a value is published with less than half of its share")
	}
	p.Settle(name, w, "at most %s of all records%s", made.FloatString(6), Either(limited, ", within the limit of "+s.Asked,
		""))
}
