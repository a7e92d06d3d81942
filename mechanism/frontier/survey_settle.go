package frontier

import "math/big"

// settle makes the curves of what was searched: a candidate of a better floor
// serves where it is no dearer, and a lower bound holds for all better floors.
func (s *survey) settle() {
	var next *spot
	for i := len(s.spot) - 1; i >= 0; i-- {
		k := &s.spot[i]
		s.settleFlat(k, next)
		s.settleOptimal(k, next)
		next = k
	}
	last := &CurvePoint{Lower: big.NewRat(1, 1)}
	for i := range s.spot {
		s.settleScarce(&s.spot[i])
		k := &s.spot[i].CurvePoint
		if k.Lower == nil || last.Lower.Cmp(k.Lower) > 0 {
			k.Lower, k.Weight = last.Lower, last.Weight
		}
		last = k
	}
}

func (s *survey) settleFlat(k, next *spot) {
	if s.even && (k.Flat.Factor == nil || k.Safe.Factor.Cmp(k.Flat.Factor) < 0) {
		k.Flat = k.Safe
	}
	if next != nil && next.Flat.Factor != nil && (k.Flat.Factor == nil || next.Flat.Factor.Cmp(k.Flat.Factor) <= 0) {
		k.Flat = next.Flat
	}
}

// settleOptimal takes another mechanism only where it is cheaper by more than
// the width of a closed bracket: among equals the one found here is the most
// useful, or else that of the better floor.
func (s *survey) settleOptimal(k, next *spot) {
	if next != nil && (k.Upper == nil || nearly(next.Upper, k.Upper)) {
		k.take(next.Optimal, next.Upper)
		k.draft = nil
	}
	for _, c := range []Candidate{k.Flat, k.Safe} {
		if c.Factor != nil && (k.Upper == nil || !nearly(k.Upper, c.Factor)) {
			k.take(c, c.Factor)
			k.draft = nil
		}
	}
	if k.draft != nil {
		k.Optimal, k.draft = s.measure(k.draft, k.Floor), nil
	}
}

// settleScarce uses the bound that needs no search: the letter whose outputs
// are all scarce must give one of them.
func (s *survey) settleScarce(k *spot) {
	if k.scarce == 0 {
		return
	}
	if f := big.NewRat(s.prior.Total(), k.scarce); k.Lower == nil || f.Cmp(k.Lower) > 0 {
		k.Lower, k.Weight = f, make([]int64, len(s.ladder.best))
		k.Weight[k.scarceLetter] = 1
	}
}

// take replaces Optimal by a candidate of factor upper, and lowers Upper.
func (k *spot) take(c Candidate, upper *big.Rat) {
	k.Optimal = c
	if k.Upper == nil || upper.Cmp(k.Upper) < 0 {
		k.Upper = upper
	}
}
