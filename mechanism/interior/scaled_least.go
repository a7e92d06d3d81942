package interior

import (
	"context"
	"math"
	"slices"
)

// A scaledLeast looks for the least t with a climb at one t after the other.
type scaledLeast struct {
	*climb
	dual   *newton
	lift   *lift
	lo, up float64
	soft   float64   // a t at which nothing was found, and perhaps nothing proven
	best   []float64 // a that reached up, at bestT
	bestT  float64
	bestY  []float64
	y      []float64
	from   []float64 // a at the first pass at this t
}

const (
	roundSteps = 8  // between two looks at what is reached
	mostRounds = 14 // at one t
)

// ScaledLeast is Least for supports of many letters and few cells: it proposes a
// mechanism and a bound of the least factor, to a relative gap of .02 unless another is
// asked for, in passes over the cells. Steps are those passes, of two looks each.
func ScaledLeast(ctx context.Context, pr Problem, opt Options) Proposal {
	if opt.Gap == 0 {
		opt.Gap = .02
	}
	if opt.Steps == 0 {
		opt.Steps = 1200
	}
	by := pr.rows()
	l := &scaledLeast{climb: newClimb(newScaled(pr)), up: math.Inf(1), y: make([]float64, len(pr.Prob))}
	l.dual, l.lift = newNewton(by, l.mass), newLift(l.scaled)
	l.lo = floor(by, l.mass)
	l.soft = l.lo
	if opt.Y != nil {
		l.learn(opt.Y)
	}
	out := l.run(ctx, opt)
	if opt.Decide == 0 { // in what is left of the time: a better mechanism is worth more
		l.raise(ctx, opt.Gap)
		out.Closed = l.up/l.lo-1 <= opt.Gap
	}
	out.T, out.Lower, out.Y = l.up, l.lo, l.bestY
	if l.best != nil {
		l.t = l.bestT
		l.move(l.best)
		l.pass()
		out.P = l.table()
	}
	return out
}

func (l *scaledLeast) run(ctx context.Context, opt Options) (out Proposal) {
	l.t = math.Sqrt(l.lo / slices.Min(l.mass))
	if opt.Decide > l.lo {
		l.t = opt.Decide * (1 - opt.Gap/2)
	}
	for out.Steps < opt.Steps {
		l.begin()
		l.from = append(l.from[:0], l.a...)
		rounds, decided := 0, false
		for ; rounds < mostRounds && !decided && (out.Steps == 0 || ctx.Err() == nil); rounds++ {
			out.Steps += roundSteps
			decided = l.round(ctx)
		}
		if l.up/l.lo-1 <= opt.Gap {
			out.Closed = true
			return out
		}
		if ctx.Err() != nil || opt.Decide > 0 && (l.up <= opt.Decide || l.lo > opt.Decide) ||
			!l.retarget(opt.Gap, !decided) {
			return out
		}
	}
	return out
}

// round is some steps at t. It reports whether t is decided: about t is reached, or
// proven impossible.
func (l *scaledLeast) round(ctx context.Context) bool {
	moved := false
	for range roundSteps {
		if ctx.Err() != nil || !l.advance() {
			break
		}
		moved = true
	}
	for range 2 {
		l.balance()
	}
	if t := l.reached(); t < l.up && t >= 1-1e-9 {
		l.up = max(t, 1)
		l.best, l.bestT = append(l.best[:0], l.a...), l.t
	}
	for i, p := range l.Prob {
		l.y[i] = p * l.a[i]
	}
	l.learn(l.y)
	for i, p := range l.Prob {
		l.y[i] = p * (l.a[i] - l.from[i])
	}
	l.learn(l.y)
	return l.up <= l.t*(1+.1*math.Log(l.up/l.lo)) || l.lo >= l.t || !moved && l.t <= l.soft
}

// raise looks for a larger bound below what is reached.
func (l *scaledLeast) raise(ctx context.Context, gap float64) {
	from := l.bestY
	if from == nil {
		from = make([]float64, len(l.y))
	}
	for share := .5; share > .1 && !math.IsInf(l.up, 1) && l.up/l.lo-1 > gap && ctx.Err() == nil; {
		was := l.lo
		l.lift.climb(ctx, was*math.Pow(l.up/was, share), from)
		for i, p := range l.Prob {
			l.y[i] = p * l.lift.b[i]
		}
		l.learn(l.y)
		if from = l.y; l.lo > was {
			from = l.bestY
		}
		if !(math.Log(l.lo/was) > .05*math.Log(l.up/was)) {
			share /= 2
		}
	}
}

// learn raises the lower bound by what y proves.
func (l *scaledLeast) learn(y []float64) {
	l.dual.bound(y, l.Prob, l.t)
	if l.dual.all > l.lo {
		l.lo = l.dual.all
		l.bestY = append(l.bestY[:0], y...)
	}
}

// retarget takes another t: first between what is reached and where nothing was found,
// then below that, where something may be proven. It reports false where that has been
// tried.
func (l *scaledLeast) retarget(gap float64, stalled bool) bool {
	last := l.t
	if stalled {
		if l.t <= l.soft {
			return false
		}
		l.soft = l.t
	}
	if l.up <= l.soft {
		l.soft = l.lo
	}
	l.soft = max(l.soft, l.lo)
	if l.up/l.soft-1 > gap/2 {
		l.t = math.Sqrt(l.soft * l.up)
	} else {
		l.t = math.Sqrt(l.lo * l.soft)
	}
	if l.t > last && l.best != nil {
		l.move(l.best)
	}
	return true
}
