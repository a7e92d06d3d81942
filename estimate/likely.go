package estimate

import (
	"context"
	"fmt"
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
// occur in a law as likely. A letter too many widens a range; one too few would be
// wrong.
const tightness = 1e-6

// Fit finds the most likely law by EM [Agrawal and Aggarwal 2001], accelerated by
// squared extrapolation [Varadhan and Roland 2008]. It ends when no law is likelier by
// more than gap nats a row, or after so many rounds: the mean logarithm is concave, so
// that the largest gradient less 1 bounds what is left.
func (c *Channel) Fit(ctx context.Context, s *Sample, gap float64, rounds int) (*Fit, error) {
	if len(s.Count) != c.Outputs() {
		return nil, fmt.Errorf("estimate: %d counts for %d outputs", len(s.Count), c.Outputs())
	}
	if !c.possible(s) {
		return nil, ErrImpossible
	}
	return c.fit(ctx, s, uniform(c.Letters()), gap, rounds)
}

// Fit is that of the channel for the sample of l. Where every letter can be told, it
// starts at the unbiased estimates: where none is below 0 these are the most likely law,
// and else close to it.
func (l *Linear) Fit(ctx context.Context, gap float64, rounds int) (*Fit, error) {
	n := l.c.Letters()
	start := uniform(n)
	if l.c.Rank() < n {
		return l.c.fit(ctx, l.s, start, gap, rounds)
	}
	right := mat.NewVecDense(l.c.Outputs(), nil)
	for y, q := range l.s.share {
		right.SetVec(y, l.scale[y]*q)
	}
	var shares mat.VecDense
	if err := l.lq.SolveVecTo(&shares, true, right); err != nil && shares.Len() != n {
		return l.c.fit(ctx, l.s, start, gap, rounds)
	}
	// EM never brings a share back from 0, and brings one from far below a share of a row in time.
	least, total := 1e-3/float64(n), 0.0
	for i, x := range l.rows {
		if start[x] = least; shares.AtVec(i) > least {
			start[x] = shares.AtVec(i)
		}
		total += start[x]
	}
	for x := range start {
		start[x] /= total
	}
	return l.c.fit(ctx, l.s, start, gap, rounds)
}

// fit climbs from a law, which has no share of 0 and becomes the fit's.
func (c *Channel) fit(ctx context.Context, s *Sample, start []float64, gap float64, rounds int) (*Fit, error) {
	e := newClimb(c, s)
	f := &Fit{c: c, s: s, Share: start, Gap: math.Inf(1)}
	climb := func(gap float64, rounds int) {
		for ctx.Err() == nil {
			e.slope(f.Share)
			if f.Gap = e.gap(); !(f.Gap > gap) || f.Rounds >= rounds {
				return
			}
			f.Rounds += e.leap(f.Share)
		}
	}
	// A share at 0 that nothing pushes there is told to the root of the gap.
	near := gap / 1000
	climb(near, min(warm, rounds))
	if f.Gap > near && f.Rounds < rounds && ctx.Err() == nil {
		f.Rounds += newNewton(e, f.Share).run(ctx, f.Share, near)
	}
	climb(gap, rounds)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	e.slope(f.Share)
	f.Gap = e.gap()
	f.settle(e.gradient)
	return f, nil
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
	p                   product
	q                   blas64.Vector
	output, gradient    []float64 // p^T P, then q / p^T P; and p (q / p^T P)
	one, two, far, best []float64
}

func newClimb(c *Channel, s *Sample) *climb {
	n, m := c.Letters(), c.Outputs()
	return &climb{p: c.product(), q: vector(s.share), output: make([]float64, m), gradient: make([]float64, n),
		one: make([]float64, n), two: make([]float64, n), far: make([]float64, n), best: make([]float64, n)}
}

// uniform is the law that has every letter as often.
func uniform(letters int) []float64 {
	p := make([]float64, letters)
	for x := range p {
		p[x] = 1 / float64(letters)
	}
	return p
}

// slope sets the gradient of the mean logarithm at a law, which it returns; it is
// minus infinity where an output cannot occur that did.
func (e *climb) slope(law []float64) (likely float64) {
	e.p.forth(e.output, law)
	for y, q := range e.q.Data {
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
	e.p.back(e.gradient, e.output)
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

// A product multiplies laws by the mechanism.
type product interface {
	forth(outputs, letters []float64) // p^T P
	back(letters, outputs []float64)  // p v
	// The square of p diag(v) for one letter, and its products of some letters.
	square(letter int, outputs []float64) float64
	squares(of blas64.Symmetric, letters []int, outputs []float64)
}

// sparseness is how many cells for one that is not 0 make a loop over these the faster way.
const sparseness = 4

// product is the faster way.
func (c *Channel) product() product {
	cells := 0
	for x := range c.Letters() {
		cells += len(c.law.Row(x).Output)
	}
	if cells*sparseness > c.Letters()*c.Outputs() {
		return whole(c.p.RawMatrix())
	}
	p := sparse{}
	for x := range c.Letters() {
		row := c.law.Row(x)
		chance := make([]float64, len(row.Output))
		for i, y := range row.Output {
			chance[i] = c.p.At(x, int(y))
		}
		p.output, p.chance = append(p.output, row.Output), append(p.chance, chance)
	}
	return p
}

type whole blas64.General

func (p whole) forth(outputs, letters []float64) {
	blas64.Gemv(blas.Trans, 1, blas64.General(p), vector(letters), 0, vector(outputs))
}

func (p whole) back(letters, outputs []float64) {
	blas64.Gemv(blas.NoTrans, 1, blas64.General(p), vector(outputs), 0, vector(letters))
}

func (p whole) square(letter int, outputs []float64) (sum float64) {
	for y, v := range p.Data[letter*p.Stride:][:p.Cols] {
		sum += v * outputs[y] * v * outputs[y]
	}
	return sum
}

func (p whole) squares(of blas64.Symmetric, letters []int, outputs []float64) {
	scaled := blas64.General{Rows: len(letters), Cols: p.Cols, Stride: p.Cols, Data: make([]float64, len(letters)*p.Cols)}
	for i, x := range letters {
		to := scaled.Data[i*p.Cols:]
		for y, v := range p.Data[x*p.Stride:][:p.Cols] {
			to[y] = v * outputs[y]
		}
	}
	blas64.Syrk(blas.NoTrans, 1, scaled, 0, of)
}

// sparse goes over the cells that are not 0.
type sparse struct {
	output [][]uint16 // by letter
	chance [][]float64
}

func (p sparse) forth(outputs, letters []float64) {
	clear(outputs)
	for x, share := range letters {
		chance := p.chance[x]
		for i, y := range p.output[x] {
			outputs[y] += share * chance[i]
		}
	}
}

func (p sparse) back(letters, outputs []float64) {
	for x := range letters {
		chance, sum := p.chance[x], 0.0
		for i, y := range p.output[x] {
			sum += chance[i] * outputs[y]
		}
		letters[x] = sum
	}
}

func (p sparse) square(letter int, outputs []float64) (sum float64) {
	for i, y := range p.output[letter] {
		v := p.chance[letter][i] * outputs[y]
		sum += v * v
	}
	return sum
}

func (p sparse) squares(of blas64.Symmetric, letters []int, outputs []float64) {
	row := make([]float64, len(outputs))
	for i, x := range letters {
		clear(row)
		for k, y := range p.output[x] {
			row[y] = p.chance[x][k] * outputs[y] * outputs[y]
		}
		for j := i; j < len(letters); j++ {
			chance, sum := p.chance[letters[j]], 0.0
			for k, y := range p.output[letters[j]] {
				sum += chance[k] * row[y]
			}
			of.Data[i*of.Stride+j] = sum
		}
	}
}

func vector(v []float64) blas64.Vector { return blas64.Vector{N: len(v), Inc: 1, Data: v} }
