package estimate

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// A Fit is a law of letters under which the sample is most likely.
type Fit struct {
	Share  []float64 // P_x, which add up to 1
	Gap    float64   // no law is likelier by more, in nats a row
	Rounds int       // steps of EM
	Unique bool      // no other law is as likely

	c *Channel
	s *Sample
}

// tightness is how far below its bound 1 the gradient of a letter may be that may
// occur in a law as likely.
const tightness = 1e-6

// Fit finds the most likely law by EM [Agrawal and Aggarwal 2001], accelerated by
// squared extrapolation [Varadhan and Roland 2008]. It ends when no law is likelier by
// more than gap nats a row, or after so many rounds: the mean logarithm is concave, so
// that the largest gradient less 1 bounds what is left. Where every letter can be told, it
// starts at the unbiased estimates: where none is below 0 these are the most likely law,
// and else close to it.
func (l *Linear) Fit(ctx context.Context, gap float64, rounds int) (*Fit, error) {
	e, f := newClimb(l.c, l.s), &Fit{c: l.c, s: l.s, Share: l.start()}
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		e.slope(f.Share)
		if f.Gap = e.gap(); !(f.Gap > gap) || f.Rounds >= rounds {
			f.settle(e.gradient)
			return f, nil
		}
		f.Rounds += e.leap(f.Share)
	}
}

// start is a law that has no share of 0.
func (l *Linear) start() []float64 {
	n := l.c.Letters()
	law := make([]float64, n)
	for x := range law {
		law[x] = 1 / float64(n)
	}
	right := mat.NewVecDense(l.c.Outputs(), nil)
	for y, q := range l.s.share {
		right.SetVec(y, l.scale[y]*q)
	}
	var shares mat.VecDense
	if l.c.Rank() < n || l.lq.SolveVecTo(&shares, true, right) != nil {
		return law
	}
	// EM never brings a share back from 0, and brings one from far below a share of a row in time.
	least, total := 1e-3/float64(n), 0.0
	for i, x := range l.rows {
		if law[x] = least; shares.AtVec(i) > least {
			law[x] = shares.AtVec(i)
		}
		total += law[x]
	}
	for x := range law {
		law[x] /= total
	}
	return law
}

// Determined reports whether all laws that are as likely have this share of some letters
// together: they give every output that was seen the same chance.
func (f *Fit) Determined(letters []int) bool {
	return f.Unique || SpanOf(f.c.lumped(func(int) bool { return true }, f.s.Count)).Holds(letters)
}

// settle finds whether another law is as likely: one on letters that may occur, with the
// same chance of every output that was seen.
func (f *Fit) settle(gradient []float64) {
	letters, unseen := 0, slices.Contains(f.s.Count, 0)
	for _, g := range gradient {
		if g >= 1-tightness-f.Gap {
			letters++
		}
	}
	if letters == len(gradient) && !unseen {
		f.Unique = f.c.Rank() == letters
		return
	}
	may := func(x int) bool { return gradient[x] >= 1-tightness-f.Gap }
	f.Unique = SpanOf(f.c.lumped(may, f.s.Count)).Rank() == letters
}

// A climb has the room that steps of EM take.
type climb struct {
	p                   blas64.General
	q                   []float64
	output, gradient    []float64 // p^T P, then q / p^T P; and p (q / p^T P)
	one, two, far, best []float64
}

func newClimb(c *Channel, s *Sample) *climb {
	n, m := c.Letters(), c.Outputs()
	return &climb{p: c.p.RawMatrix(), q: s.share, output: make([]float64, m), gradient: make([]float64, n),
		one: make([]float64, n), two: make([]float64, n), far: make([]float64, n), best: make([]float64, n)}
}

// slope sets the gradient of the mean logarithm at a law, which it returns; it is
// minus infinity where an output cannot occur that did.
func (e *climb) slope(law []float64) (likely float64) {
	blas64.Gemv(blas.Trans, 1, e.p, vector(law), 0, vector(e.output))
	for y, q := range e.q {
		switch {
		case q == 0:
			e.output[y] = 0
		case !(e.output[y] > 0):
			return math.Inf(-1)
		default:
			likely += q * math.Log(e.output[y])
			e.output[y] = q / e.output[y]
		}
	}
	blas64.Gemv(blas.NoTrans, 1, e.p, vector(e.output), 0, vector(e.gradient))
	return likely
}

// gap bounds how much likelier a law can be than the one of the slope.
func (e *climb) gap() float64 {
	most := 0.0
	for _, g := range e.gradient {
		most = max(most, g)
	}
	return most - 1
}

// leap takes two steps of EM from a law whose slope is set, then goes on in their
// direction as far as they foretell, and takes one step from there. Where that is less
// likely than the second step, this is taken. It returns the steps.
func (e *climb) leap(law []float64) int {
	step(e.one, law, e.gradient)
	e.slope(e.one)
	step(e.two, e.one, e.gradient)
	first, second := 0.0, 0.0
	for x, p := range law {
		r := e.one[x] - p
		v := e.two[x] - e.one[x] - r
		first += r * r
		second += v * v
	}
	length := math.Sqrt(first / second)
	if !(length > 1) || math.IsInf(length, 0) {
		copy(law, e.two)
		return 2
	}
	total := 0.0
	for x, p := range law {
		r := e.one[x] - p
		v := e.two[x] - e.one[x] - r
		// A share that would fall below 0 keeps a part of itself: EM never brings one back from 0.
		e.far[x] = max(p+2*length*r+length*length*v, e.two[x]/16)
		total += e.far[x]
	}
	for x := range e.far {
		e.far[x] /= total
	}
	e.slope(e.far)
	step(e.best, e.far, e.gradient)
	if e.slope(e.best) >= e.slope(e.two) {
		copy(law, e.best)
	} else {
		copy(law, e.two)
	}
	return 3
}

// step is a step of EM: every share times its gradient.
func step(to, law, gradient []float64) {
	total := 0.0
	for x, g := range gradient {
		to[x] = law[x] * g
		total += to[x]
	}
	for x := range to {
		to[x] /= total
	}
}

func vector(v []float64) blas64.Vector { return blas64.Vector{N: len(v), Inc: 1, Data: v} }
