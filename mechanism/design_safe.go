package mechanism

import (
	"context"
	"math/big"
)

// safeDesign is the utility-safe mechanism. Its factor is not monotone in the
// floor, so that floors are tried one by one.
type safeDesign struct{}

func (safeDesign) kind() string    { return "safe" }
func (safeDesign) fits(*task) bool { return true }
func (safeDesign) settles() bool   { return false }

// make takes the first floor within epsilon, from the best down. It is also
// the one of largest expected utility: a worse floor adds outputs that are
// worth less than all the row has, and so lowers the mean of every row it
// touches.
func (safeDesign) make(_ context.Context, t *task, _ *offer) (*offer, error) {
	place := -1
	if t.values != nil {
		place = t.values.safe(t.goal.Epsilon)
	} else {
		for i := 0; i < t.floors() && place < 0; i++ {
			if t.goal.Epsilon.Admits(t.points[len(t.points)-1-i].Factor) {
				place = i
			}
		}
	}
	if place < 0 {
		return nil, errNothingFits
	}
	m, err := uniform(t.support(t.floor(place)), t.floor(place))
	if err != nil {
		return nil, err
	}
	return t.offer(m, t.floor(place)), nil
}

func (safeDesign) least(_ context.Context, t *task, f Floor) (*big.Rat, error) {
	if t.values == nil {
		return t.points[max(1, f.Rank)-1].Cost, nil
	}
	_, factor := t.values.cheapest(min(t.place(f)+1, len(t.values.tau)))
	return factor, nil
}

// safe is the first step at which the utility-safe mechanism is within e, -1
// where there is none.
func (d *descent) safe(e Epsilon) int {
	limit, found := e.Factor(), -1
	killer := -1 // the output that was too much at the last step tried
	d.walk(leastAdmitted(d.prior.total, e), func(w *landing) bool {
		if w.poor > 0 || killer >= 0 && d.kills(killer, w.take, limit) {
			return true
		}
		var f *big.Rat
		if killer, f = d.uniformFactor(w.take, limit); f != nil && e.Admits(f) {
			found = w.step
		}
		return found < 0
	})
	return found
}

// kills reports whether output y alone is surely above the limit: N steps
// instead of N M. It knows nothing beyond placedCells.
func (d *descent) kills(y int, take []int, limit *big.Rat) bool {
	q, least := 0.0, 0
	for x, place := range d.place {
		if c := d.prior.count[x]; c > 0 && int(place[y]) < take[x] {
			q += float64(c) / float64(take[x])
			if least == 0 || take[x] < least {
				least = take[x]
			}
		}
	}
	return q > 0 && d.above(1/float64(least)/q, limit)
}
