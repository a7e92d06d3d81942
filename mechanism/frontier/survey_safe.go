package frontier

import "slices"

// safe fills in the floors and the utility-safe curve, which needs no search.
func (s *survey) safe() {
	if s.values != nil {
		s.safeByValue()
		return
	}
	floors := len(s.points)
	listed := spaced(floors, s.floors(floors))
	wanted := make([]bool, floors)
	for _, i := range listed {
		wanted[i], wanted[s.points[i].At.Rank-1] = true, true
	}
	measured := make([]Candidate, floors)
	disclose := s.disclosures()
	for i := floors - 1; i >= 0 && !s.ladder.stop.over(len(s.ladder.best)+s.ladder.outputs); i-- {
		q := &s.points[i]
		measured[i] = q.candidate()
		measured[i].Information, measured[i].Guess = disclose(floors-i, wanted[i])
		if wanted[i] {
			s.tell(&measured[i], s.ladder.cut(floors-i))
		}
	}
	for _, i := range listed {
		q := &s.points[i]
		s.spot = append(s.spot, spot{CurvePoint: q.curve(measured[q.At.Rank-1])})
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

// floors is how many floors are looked at, of so many unless told otherwise.
func (s *survey) floors(all int) int {
	if s.opt.Floors > 0 {
		return max(2, s.opt.Floors)
	}
	return all
}

// safeByValue lists value floors, thinned: there may be N M of them.
func (s *survey) safeByValue() {
	d := s.values
	var cheapest Candidate
	d.visit(s.floors(valueFloors), func(w *landing, q Point) {
		if q.At == q.Floor {
			cheapest = q.candidate()
			cheapest.Information, cheapest.Guess = d.uniformDisclosure(w.take)
			s.tell(&cheapest, func(x int) []uint16 { return d.best[x][:w.take[x]] })
		}
		k := spot{CurvePoint: q.curve(cheapest)}
		k.scarceLetter, k.scarce = d.scarcest(w.take, w.mass)
		s.spot = append(s.spot, k)
	})
	slices.Reverse(s.spot)
}

// candidate is the mechanism of the point, and curve the point of a curve at which
// safe is the cheapest one.
func (q *Point) candidate() Candidate {
	return Candidate{At: q.Floor, Factor: q.Factor, Output: q.Output, WorstRank: q.WorstRank, WorstValue: q.WorstValue,
		ExpectedUtility: q.ExpectedUtility}
}

func (q *Point) curve(safe Candidate) CurvePoint {
	return CurvePoint{Floor: q.Floor, Least: q.Least, Most: q.Most, WorstValue: q.WorstValue, Here: q.Factor, Safe: safe}
}
