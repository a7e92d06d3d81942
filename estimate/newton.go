package estimate

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// A newton climbs by a primal-dual interior-point method [Koenker and Mizera 2014]. With
// r = p^T P, the most likely law is the P >= 0 that minimizes sum_x P_x - sum_y q_y log r_y.
// Every letter has a slack z_x = 1 - gradient_x >= 0, and P_x z_x = mu on the way. Where EM
// needs a step for every unit of the condition of p, this needs about thirty in all.
type newton struct {
	*climb
	law, slack []float64         // P and z
	near       []int             // letters that the equations couple
	move       []float64         // of the law, by letter
	push       []float64         // right side, by letter
	half       blas64.Triangular // factor of these
	right      []float64
}

// Constants of the interior-point method.
const (
	warm     = 100   // rounds of EM before it
	steps    = 200   // of it, at most
	patience = 10    // of them, that come no nearer
	boundary = .995  // part of the way to 0 that a share may go
	apart    = 1e8   // curvatures that make a letter's own equation outweigh all that couple it
	damped   = 1e-14 // part of its curvature that every letter has more of, where factors fail
)

// newNewton starts near a law: each letter keeps room above 0.
func newNewton(e *climb, law []float64) *newton {
	n := len(law)
	t := &newton{climb: e, law: make([]float64, n), slack: make([]float64, n), move: make([]float64, n),
		push: make([]float64, n), right: make([]float64, n)}
	for x, p := range law {
		t.law[x] = .9*p + .1/float64(n)
	}
	e.slope(t.law)
	for x, g := range e.gradient {
		t.slack[x] = max(1-g, .1)
	}
	return t
}

// run climbs until no law is likelier by more than a gap, and sets law to the best that it
// found, which adds up to 1. It returns the steps; it stops short where floats lead no
// further.
func (t *newton) run(ctx context.Context, law []float64, gap float64) (taken int) {
	t.slope(law)
	best, least, stale := t.gap(), math.Inf(1), 0
	for taken < steps && stale < patience && ctx.Err() == nil {
		t.slope(t.law)
		off := t.normal(t.one)
		if stale++; off < least {
			least, stale = off, 0
		}
		if off < best {
			best = off
			copy(law, t.one)
		}
		if !(best > gap) || !t.step() {
			break
		}
		taken++
	}
	return taken
}

// normal scales the law to add up to 1, and returns its gap.
func (t *newton) normal(to []float64) float64 {
	total := 0.0
	for _, p := range t.law {
		total += p
	}
	for x, p := range t.law {
		to[x] = p / total
	}
	return (t.gap()+1)*total - 1
}

// step takes one step of Newton's method from a law whose slope is set. The first solution
// aims at mu = 0; how far it gets says which mu to aim at.
func (t *newton) step() bool {
	if !t.factor() {
		return false
	}
	t.aim(0)
	mu, far := t.gapOf(0), t.reach(t.law, t.move)
	part := t.gapOf(far) / mu
	mu *= max(part*part*part, 1e-8)
	t.aim(mu)
	far = min(1, boundary*t.reach(t.law, t.move))
	value, drop := t.barrier(t.law, mu), 0.0
	for x, d := range t.move {
		drop += d * (t.gradient[x] - 1 + mu/t.law[x])
	}
	for tries := 0; ; tries++ {
		if tries == 40 {
			return false
		}
		for x, d := range t.move {
			t.far[x] = t.law[x] + far*d
		}
		// Rounding of the value must not end the search next to the optimum.
		if t.barrier(t.far, mu) <= value-1e-4*far*drop+1e-13 {
			break
		}
		far /= 2
	}
	for x, p := range t.law {
		t.two[x] = mu/p - t.slack[x] - t.slack[x]/p*t.move[x] // of the slack
	}
	dual := min(1, boundary*t.reach(t.slack, t.two))
	for x := range t.law {
		t.law[x] = t.far[x]
		// A slack that strays far from mu / P would lead nowhere [Wächter and Biegler 2006].
		z := t.slack[x] + dual*t.two[x]
		t.slack[x] = max(min(z, 1e10*mu/t.law[x]), 1e-10*mu/t.law[x])
	}
	return true
}

// gapOf is the mean of P z after a part of the move that aims at mu = 0.
func (t *newton) gapOf(part float64) (mean float64) {
	for x, p := range t.law {
		z := t.slack[x]
		mean += (p + part*t.move[x]) * (z - part*(z+z/p*t.move[x]))
	}
	return mean / float64(len(t.law))
}

// barrier is what the step makes smaller: it holds the shares above 0.
func (t *newton) barrier(law []float64, mu float64) (value float64) {
	t.p.forth(t.output, law)
	for y, q := range t.q.Data {
		if q > 0 {
			value -= q * math.Log(t.output[y])
		}
	}
	for _, p := range law {
		value += p - mu*math.Log(p)
	}
	return value
}

// reach is how many moves take the first of them to 0.
func (t *newton) reach(of, move []float64) float64 {
	far := math.Inf(1)
	for x, d := range move {
		if d < 0 {
			far = min(far, -of[x]/d)
		}
	}
	return far
}

// factor makes p diag(q / r^2) p^T + Z/P ready for solving. A letter whose own term Z/P
// outweighs all others has an equation of its own.
func (t *newton) factor() bool {
	t.p.forth(t.output, t.law)
	for y, q := range t.q.Data {
		if t.output[y] = math.Sqrt(q) / t.output[y]; q == 0 {
			t.output[y] = 0
		}
	}
	t.near = t.near[:0]
	for x, p := range t.law {
		if t.slack[x]/p < apart*t.p.square(x, t.output) {
			t.near = append(t.near, x)
		}
	}
	k := len(t.near)
	for damp := 0.0; damp < 1e-6; damp = max(damped, 100*damp) {
		curve := blas64.Symmetric{N: k, Stride: max(1, k), Uplo: blas.Upper, Data: make([]float64, k*k)}
		t.p.squares(curve, t.near, t.output)
		for i, x := range t.near {
			at := &curve.Data[i*k+i]
			*at = *at*(1+damp) + t.slack[x]/t.law[x]
		}
		var ok bool
		if t.half, ok = lapack64.Potrf(curve); ok {
			return true
		}
	}
	return false
}

// aim sets the move towards a mu.
func (t *newton) aim(mu float64) {
	for x, p := range t.law {
		t.push[x] = t.gradient[x] - 1 + mu/p
		t.move[x] = t.push[x] * p / t.slack[x]
	}
	k := len(t.near)
	right := blas64.General{Rows: k, Cols: 1, Stride: 1, Data: t.right[:k]}
	for i, x := range t.near {
		right.Data[i] = t.push[x]
	}
	lapack64.Potrs(t.half, right)
	for i, x := range t.near {
		t.move[x] = right.Data[i]
	}
}
