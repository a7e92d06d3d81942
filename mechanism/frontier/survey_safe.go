package frontier

import (
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
)

// safe fills in the floors and the utility-safe curve, which needs no search.
func (s *survey) safe() {
	if s.values != nil {
		s.safeByValue()
		return
	}
	floors := len(s.points)
	listed := make([]int, floors)
	for i := range listed {
		listed[i] = i
	}
	if s.opt.Floors > 0 {
		listed = thin(listed, max(2, s.opt.Floors))
	}
	wanted := make([]bool, floors)
	for _, i := range listed {
		wanted[i], wanted[s.points[i].At.Rank-1] = true, true
	}
	measured := make([]Candidate, floors)
	disclose := s.disclosures()
	for i := floors - 1; i >= 0 && !s.ladder.stop.over(len(s.ladder.best)+s.ladder.outputs); i-- {
		q := &s.points[i]
		information, guess := disclose(floors-i, wanted[i])
		measured[i] = Candidate{At: q.Floor, Factor: q.Factor, Output: q.Output, WorstRank: q.WorstRank,
			WorstValue:      q.WorstValue,
			ExpectedUtility: q.ExpectedUtility, Information: information, Guess: guess}
		if wanted[i] {
			s.tell(&measured[i], s.ladder.cut(floors-i))
		}
	}
	for _, i := range listed {
		q := &s.points[i]
		s.spot = append(s.spot, spot{CurvePoint: CurvePoint{Floor: q.Floor, Least: q.Least, Most: q.Most,
			WorstValue: q.WorstValue, Here: q.Factor, Safe: measured[q.At.Rank-1]}})
	}
	s.scarce()
}

// disclosures returns a function to be called with m = 1, 2, ... in turn.
func (s *survey) disclosures() func(m int, wanted bool) (information, guess float64) {
	s.even = s.ladder.even()
	if s.even {
		w := newAscent(s.ladder)
		w.most = make([]int64, s.ladder.outputs)
		return func(_ int, wanted bool) (information, guess float64) {
			if w.next(); !wanted {
				return 0, 0
			}
			return w.disclosure()
		}
	}
	take := make([]int, len(s.ladder.best))
	return func(m int, wanted bool) (information, guess float64) {
		if !wanted {
			return 0, 0
		}
		for x, b := range s.ladder.best {
			take[x] = min(m, len(b))
		}
		return s.ladder.uniformDisclosure(take)
	}
}

// safeByValue lists value floors, thinned: there may be N M of them.
func (s *survey) safeByValue() {
	d := s.values
	listed := make([]int, len(d.tau))
	for i := range listed {
		listed[i] = i
	}
	limit := valueFloors
	if s.opt.Floors > 0 {
		limit = max(2, s.opt.Floors)
	}
	listed = thin(listed, limit)
	var cheapest Candidate
	d.walk(1, func(w *landing) bool {
		if w.step != listed[len(s.spot)] {
			return true
		}
		q := CurvePoint{Floor: mechanism.ValueFloor(d.tau[w.step]), WorstValue: d.tau[w.step], Least: d.outputs}
		for _, k := range w.take {
			q.Least, q.Most = min(q.Least, k), max(q.Most, k)
		}
		c := Candidate{At: q.Floor, WorstRank: d.outputs - q.Most + 1, WorstValue: d.tau[w.step], ExpectedUtility: w.utility}
		if c.Output, c.Factor = d.uniformFactor(w.take, nil); c.Factor == nil {
			c.Factor = big.NewRat(1, 1)
		}
		c.Information, c.Guess = d.uniformDisclosure(w.take)
		s.tell(&c, func(x int) []uint16 { return d.best[x][:w.take[x]] })
		if q.Here = c.Factor; cheapest.Factor == nil || c.Factor.Cmp(cheapest.Factor) < 0 {
			cheapest = c
		}
		q.Safe = cheapest
		k := spot{CurvePoint: q}
		k.scarceLetter, k.scarce = d.scarcest(w.take, w.mass)
		s.spot = append(s.spot, k)
		return len(s.spot) < len(listed)
	})
	slices.Reverse(s.spot)
}
