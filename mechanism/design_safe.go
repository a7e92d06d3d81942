package mechanism

import (
	"cmp"
	"context"
	"math/big"
	"slices"
)

// safeDesign is the utility-safe mechanism. Its factor is known at every rank
// floor beforehand, so that all of them are compared; it is not monotone.
type safeDesign struct{}

func (safeDesign) kind() string    { return "safe" }
func (safeDesign) fits(*task) bool { return true }

func (safeDesign) make(_ context.Context, t *task, _ *offer) (*offer, error) {
	place := -1
	switch {
	case t.values != nil:
		place = t.values.safe(t.goal)
	default:
		for i := range t.floors() {
			q := t.points[len(t.points)-1-i]
			if !t.goal.Epsilon.Admits(q.Factor) {
				continue
			}
			if place < 0 || q.ExpectedUtility > t.points[len(t.points)-1-place].ExpectedUtility {
				place = i
			}
			if t.goal.Floor == nil {
				break
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

// safe is the step of the utility-safe mechanism for the goal: the first
// within epsilon where the floor is searched, the one of largest expected
// utility where it is given; -1 where none is.
func (d *descent) safe(g Goal) int {
	need := leastAdmitted(d.prior.total, g.Epsilon)
	limit := g.Epsilon.Factor()
	killer := -1 // the output that was too much at the last step tried
	admits := func(w *landing) bool {
		if w.poor > 0 || killer >= 0 && d.kills(killer, w.take, limit) {
			return false
		}
		y, f := d.uniformFactor(w.take, limit)
		if f != nil && g.Epsilon.Admits(f) {
			return true
		}
		killer = y
		return false
	}
	found := -1
	if g.Floor == nil {
		d.walk(need, func(w *landing) bool {
			if admits(w) {
				found = w.step
			}
			return found < 0
		})
		return found
	}
	type candidate struct {
		step    int
		utility float64
	}
	var all []candidate
	d.walk(need, func(w *landing) bool {
		if w.poor == 0 {
			all = append(all, candidate{w.step, w.utility})
		}
		return true
	})
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(b.utility, a.utility) })
	for _, c := range all {
		d.walk(need, func(w *landing) bool {
			if w.step == c.step && admits(w) {
				found = w.step
			}
			return w.step < c.step
		})
		if found >= 0 {
			break
		}
	}
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
