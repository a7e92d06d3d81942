package design

import (
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
)

// An Invariant is the post-randomisation that keeps all shares [Gouweleeuw,
// Kooiman, Willenborg and de Wolf, 1998], for comparison: a record keeps its
// letter with chance Keep, else its output is drawn in proportion to the shares of
// all letters,
//
//	p(y|x) = Keep [y stands for x] + (1 - Keep) pi_y / R,
//
// R being the share of letters that some output stands for. The others are always
// drawn. Then q_y = pi_y / R: the shift is 1 - R, which no mechanism goes below,
// and 0 where every letter has an output. Any output may follow any letter.
type Invariant struct {
	Keep     *big.Rat
	Factor   *big.Rat // e^eps: Keep R / pi_min + 1 - Keep
	Shift    *big.Rat
	Worst    float64 // the worst value that can occur; -Inf where an output is forbidden
	Expected float64 // sum_x P_x sum_y p_xy u'(x,y)
}

// InvariantWithin is the one that keeps most letters within a factor, at least 1.
func InvariantWithin(p mechanism.Prior, o mechanism.Order, stands []int, factor *big.Rat) (Invariant, error) {
	v, err := newInvariance(p, o, stands)
	if err != nil {
		return Invariant{}, err
	}
	keep := big.NewRat(1, 1)
	if top := v.factor(keep); factor.Cmp(top) < 0 {
		// Keep (top - 1) + 1 = factor
		keep.Sub(factor, keep)
		keep.Quo(keep, top.Sub(top, one))
	}
	return v.at(keep), nil
}

// InvariantWorth is the one that keeps fewest letters at an expected utility, to
// show what that utility costs; ok is false where none has so much.
func InvariantWorth(p mechanism.Prior, o mechanism.Order, stands []int, expected float64) (i Invariant, ok bool,
	err error) {
	v, err := newInvariance(p, o, stands)
	if err != nil {
		return Invariant{}, false, err
	}
	none, all := v.at(new(big.Rat)), v.at(big.NewRat(1, 1))
	switch {
	case none.Expected >= expected:
		return none, true, nil
	case !(all.Expected >= expected):
		return Invariant{}, false, nil
	}
	keep := new(big.Rat).SetFloat64((expected - none.Expected) / (all.Expected - none.Expected))
	if keep == nil || keep.Cmp(one) > 0 {
		return all, true, nil
	}
	return v.at(keep), true, nil
}

// An invariance is what all of them have in common.
type invariance struct {
	least, served, total int64   // the least count with an output, the sum of such counts, and of all
	kept, drawn          float64 // expected utility of letters that are kept, and of those that are drawn
	lost                 float64 // of letters that no output stands for, which are always drawn
	worst, own           float64 // worst values: of all that may be drawn, and of letters that are kept
	lacking              float64 // and of those always drawn
}

func newInvariance(p mechanism.Prior, o mechanism.Order, stands []int) (*invariance, error) {
	output, err := mechanism.StandsFor(o.Inputs(), o.Outputs(), stands)
	if err != nil {
		return nil, err
	}
	v := &invariance{total: p.Total(), worst: math.Inf(1), own: math.Inf(1), lacking: math.Inf(1)}
	for x, y := range output {
		if c := p.Count(x); y >= 0 && c > 0 {
			v.served += c
			if v.least == 0 || c < v.least {
				v.least = c
			}
		}
	}
	value := make([]float64, o.Outputs())
	var kept, drawn, lost mechanism.Sum
	for x, y := range output {
		o.Row(x, nil, value)
		mean, worst := 0.0, math.Inf(1)
		for z, k := range stands {
			if k >= 0 && p.Count(k) > 0 {
				mean += float64(p.Count(k)) / float64(v.served) * value[z]
				worst = math.Min(worst, value[z])
			}
		}
		share := float64(p.Count(x)) / float64(max(1, v.total))
		switch {
		case y >= 0:
			v.worst, v.own = math.Min(v.worst, worst), math.Min(v.own, value[y])
		default:
			v.lacking = math.Min(v.lacking, worst)
		}
		switch {
		case share == 0:
		case y >= 0:
			kept.Add(share * value[y])
			drawn.Add(share * mean)
		default:
			lost.Add(share * mean)
		}
	}
	v.kept, v.drawn, v.lost = kept.Value(), drawn.Value(), lost.Value()
	return v, nil
}

// factor is that of a chance to keep.
func (v *invariance) factor(keep *big.Rat) *big.Rat {
	if v.least == 0 {
		return big.NewRat(1, 1)
	}
	f := new(big.Rat).Mul(keep, big.NewRat(v.served, v.least))
	return f.Add(f, new(big.Rat).Sub(one, keep))
}

func (v *invariance) at(keep *big.Rat) Invariant {
	i := Invariant{Keep: keep, Factor: v.factor(keep), Shift: new(big.Rat), Worst: v.lacking, Expected: v.lost}
	if v.total > 0 {
		i.Shift.SetFrac64(v.total-v.served, v.total)
	}
	chance, _ := keep.Float64()
	if keep.Sign() > 0 {
		i.Worst = math.Min(i.Worst, v.own)
		i.Expected += chance * v.kept
	}
	if keep.Cmp(one) < 0 {
		i.Worst = math.Min(i.Worst, v.worst)
		i.Expected += (1 - chance) * v.drawn
	}
	return i
}

var one = big.NewRat(1, 1)
