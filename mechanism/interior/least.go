package interior

import (
	"context"
	"math"
	"slices"
)

// A least is one run of Least.
type least struct {
	*iterate
	by      [][]int32
	breaks  []float64 // 1/P(S_j), ascending, each once
	dual    *newton
	lo, up  float64
	bestY   []float64
	bestP   [][]float64
	started float64
}

// Least looks for the least t at which a mechanism with this support exists,
// and brackets it. t moves during the run: a dual point proves t too small
// and says how far to go (a Newton step), a primal point reaches some t. It
// returns what it has when ctx ends.
func Least(ctx context.Context, pr Problem, opt Options) Proposal {
	l := &least{iterate: newIterate(pr, true), by: pr.rows(), up: math.Inf(1)}
	l.dual = newNewton(l.by, l.mass)
	l.lo = floor(l.by, l.mass)
	l.breaks = make([]float64, len(l.mass))
	for j, m := range l.mass {
		l.breaks[j] = 1 / m
		for k, i := range pr.Column[j] {
			l.cost[l.off[j]+k] = float64(l.n) * pr.Prob[i]
		}
	}
	slices.Sort(l.breaks)
	l.breaks = slices.Compact(l.breaks)
	if opt.Y != nil {
		l.learn(opt.Y)
	}
	l.run(ctx, opt)
	return Proposal{Lower: l.lo, P: l.bestP, Y: l.bestY}
}

func (l *least) run(ctx context.Context, opt Options) {
	l.cold(l.lo)
	slow, colds := 0, 0
	for steps := 0; steps < 400 && ctx.Err() == nil; {
		mu, _ := l.measure()
		if !(mu > 0) || !finite(mu) {
			if colds++; colds > 4 || !l.restart() {
				return
			}
			continue
		}
		l.learn(l.y)
		l.reached()
		if l.up/l.lo-1 <= opt.Gap || l.decided(opt.Decide) {
			return
		}
		if l.retarget(mu) {
			mu, _ = l.measure()
		}
		ap, ad, ok := l.step(mu)
		steps++
		if !ok || max(ap, ad) < 0.02 {
			slow++
		} else {
			slow = 0
		}
		if !ok || slow >= 5 || mu < 1e-22 {
			if colds++; colds > 4 || !l.restart() {
				return
			}
			slow = 0
		}
	}
}

// decided reports that the bracket has left t by more than rounding to
// integers can bring back.
func (l *least) decided(t float64) bool {
	const clear = 1e-8
	return t > 0 && (l.lo > t*(1+clear) || l.up < t*(1-clear))
}

// restart begins a stalled run again: at the lower bound, or in the middle of
// the bracket where it began at the lower bound before. It reports false when
// both have been tried and nothing has come of it.
func (l *least) restart() bool {
	switch {
	case l.lo > l.started*(1+1e-12):
		l.cold(l.lo)
	case finite(l.up) && math.Sqrt(l.lo*l.up) > l.started*(1+1e-12):
		l.cold(math.Sqrt(l.lo * l.up))
	default:
		return false
	}
	return true
}

// learn raises the lower bound by what y proves.
func (l *least) learn(y []float64) {
	l.dual.bound(y, l.Prob, l.t)
	if l.dual.all > l.lo || l.bestY == nil {
		l.lo = math.Max(l.lo, l.dual.all)
		l.bestY = append(l.bestY[:0], y...)
	}
}

// reached lowers the upper bound by what the primal point reaches.
func (l *least) reached() {
	if p, t := l.extract(); p != nil && t < l.up && t >= 1-1e-9 {
		l.up, l.bestP = math.Max(t, 1), p
	}
}

// cold starts afresh at t: all cells equal, all products equal.
func (l *least) cold(t float64) {
	l.t, l.started = t, t
	live, flat := l.classes(t)
	l.use(live, flat)
	mu := 2 * l.size()
	for i := range l.y {
		l.y[i] = mu
	}
	l.equal(mu)
	size := make([]float64, l.n)
	l.sums(size)
	for i := range l.e {
		l.e[i] = math.Max(size[i]-1, 0.5)
		l.y[i] = mu / l.e[i]
	}
}

// classes are the columns with t P(S_j) above 1 and equal to it.
func (it *iterate) classes(t float64) (live, flat []int32) {
	for j, m := range it.mass {
		switch v := t*m - 1; {
		case v > flatness:
			live = append(live, int32(j))
		case v >= -flatness:
			flat = append(flat, int32(j))
		}
	}
	return live, flat
}
