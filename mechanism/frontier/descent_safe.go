package frontier

import (
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
)

// safe is the first step at which the utility-safe mechanism is within e, -1
// where there is none.
func (d *descent) safe(e mechanism.Epsilon) int {
	limit, found := e.Factor(), -1
	killer := -1 // the output that was too much at the last step tried
	d.walk(e.LeastMass(d.prior.Total()), func(w *landing) bool {
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
	if d.killed(y, take, limit) {
		return true
	}
	for _, p := range d.also {
		one := *d
		one.ladder = d.under(p)
		if one.killed(y, take, limit) {
			return true
		}
	}
	return false
}

// killed is kills under the first prior.
func (d *descent) killed(y int, take []int, limit *big.Rat) bool {
	q, least := 0.0, 0
	for x, place := range d.place {
		if c := d.prior.Count(x); c > 0 && int(place[y]) < take[x] {
			q += float64(c) / float64(take[x])
			if least == 0 || take[x] < least {
				least = take[x]
			}
		}
	}
	return q > 0 && d.above(1/float64(least)/q, limit)
}
