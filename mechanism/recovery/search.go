package recovery

import (
	"cmp"
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// A Problem asks for a small spread within a factor.
type Problem struct {
	Prior   mechanism.Prior // every letter has records
	Also    []mechanism.Prior
	Support *mechanism.Support
	Stands  []int // the letter that an output stands for, -1 for none
	Factor  *big.Rat
	Near    *mechanism.Mechanism // within the factor
	Least   *big.Rat             // as in optimum.Options
}

const (
	starts = 3
	steps  = 60 // from a start
	// better is the part of the spread of the first start, which keeps values, that others must come below:
	// they keep fewer.
	better = .8
)

// Needed is the least factor at which as many outputs may occur as there are letters, or else nothing
// can be undone; nil where there is none.
func Needed(p mechanism.Prior, s *mechanism.Support) *big.Rat {
	mass := s.Mass(p)
	slices.SortFunc(mass, func(a, b int64) int { return cmp.Compare(b, a) })
	if n := p.Letters(); n <= len(mass) && n > 0 && mass[n-1] > 0 {
		return big.NewRat(p.Total(), mass[n-1])
	}
	return nil
}

// Search is the mechanism of least spread that is found, or the first with one that is enough; nil
// where there is none. The spread is convex in the law of the columns p_y/q_y, in which G is linear,
// and not in p: steps go downhill, to mechanisms that are best for the slopes [Frank and Wolfe 1956],
// from several starts. What they end at is no optimum.
func (p Problem) Search(ctx context.Context, enough float64) (best *mechanism.Mechanism, spread float64, err error) {
	spread = math.Inf(1)
	share := sharesOf(p.Prior)
	factor, _ := p.Factor.Float64()
	for start := 0; start < starts && !(spread <= enough) && ctx.Err() == nil; start++ {
		w := &descent{p, share, factor, rand.New(rand.NewPCG(31, uint64(start)))}
		found, err := w.from(ctx, start, enough)
		if err != nil && ctx.Err() == nil {
			return nil, 0, err
		}
		for _, least := range []float64{1e-8, 1e-10, 0} { // cells that floats should have left at 0
			m := integral(found, least)
			if s, ok := Spread(m, p.Prior); ok && w.within(m) {
				if best == nil || s < better*spread {
					best, spread = m, s
				}
				break
			}
		}
	}
	return best, spread, ctx.Err()
}

// A descent is the way down from a start.
type descent struct {
	Problem
	share  []float64 // P
	factor float64
	random *rand.Rand
}

// from goes down until the spread is enough, or no step is worth it. The first start is randomised
// response among what may stand for a value; others are halfway from there to a mechanism that is
// best for random weights, by which rare values count as much as common ones.
func (w *descent) from(ctx context.Context, start int, enough float64) (p *mat.Dense, err error) {
	p = w.responded()
	if start > 0 {
		slopes := mat.DenseCopyOf(p)
		slopes.Apply(func(x, _ int, _ float64) float64 { return w.random.NormFloat64() / w.share[x] }, p)
		to, err := w.best(ctx, slopes)
		if err != nil {
			return p, err
		}
		p = blended(p, to, .5)
	}
	from := 1.0 // the longest step that is tried
	for range steps {
		inverse, spread := w.undone(p)
		if inverse == nil || spread <= enough || ctx.Err() != nil {
			break
		}
		to, err := w.best(ctx, w.slopes(p, inverse))
		if err != nil {
			return p, err
		}
		least, share := spread, 0.0
		for by := from; by > 1e-4; by *= .6 {
			if _, s := w.undone(blended(p, to, by)); s < least {
				least, share = s, by
			} else if share > 0 {
				break
			}
		}
		if !(least < spread*(1-1e-4)) {
			break
		}
		p, from = blended(p, to, share), min(1, 8*share)
	}
	return p, nil
}

// best is the mechanism of the largest expected weight.
func (w *descent) best(ctx context.Context, weight *mat.Dense) (*mat.Dense, error) {
	m, _, err := optimum.Largest(ctx, optimum.Problem{Prior: w.Prior, Also: w.Also, Support: w.Support}, w.Factor, nil,
		func(x int, row []float64) { copy(row, weight.RawRowView(x)) }, optimum.Options{Near: w.Near, Least: w.Least})
	if err != nil {
		return nil, err
	}
	return Chances(m), nil
}

// responded keeps values as often as the factor allows, and else draws from all that may stand for
// them. Near takes the place of the latter where they are above the factor.
func (w *descent) responded() *mat.Dense {
	plain, err := mechanism.Uniform(w.Support, mechanism.Floor{})
	if err != nil || !w.within(plain) {
		plain = w.Near
	}
	p := Chances(plain)
	own, low, high := mat.DenseCopyOf(p), 0.0, 1.0
	own.Apply(func(x, y int, _ float64) float64 {
		if w.Stands[y] == x && w.Support.Allowed(x, y) {
			return 1
		}
		return 0
	}, p)
	for range 40 {
		if mid := (low + high) / 2; w.within(integral(blended(p, own, mid), 0)) {
			low = mid
		} else {
			high = mid
		}
	}
	return blended(p, own, low)
}

func (w *descent) within(m *mechanism.Mechanism) bool {
	return m != nil && m.Factor(append([]mechanism.Prior{w.Prior}, w.Also...)...).Cmp(w.Factor) <= 0
}

// law is that of the outputs.
func (w *descent) law(p *mat.Dense) []float64 {
	n, outputs := p.Dims()
	q := mat.NewDense(1, outputs, nil)
	q.Mul(mat.NewDense(1, n, w.share), p)
	return q.RawRowView(0)
}

// undone is G^-1 and the spread; nil and infinity where floats find none.
func (w *descent) undone(p *mat.Dense) (*mat.SymDense, float64) {
	var scaled mat.Dense
	q := w.law(p)
	scaled.Apply(func(_, y int, v float64) float64 { return v / math.Sqrt(max(q[y], math.SmallestNonzeroFloat64)) }, p)
	var g, inverse mat.SymDense
	var c mat.Cholesky
	if g.SymOuterK(1, &scaled); !c.Factorize(&g) || c.InverseTo(&inverse) != nil {
		return nil, math.Inf(1)
	}
	return &inverse, mat.Trace(&inverse) - 1
}

// slopes are the weights for which the mechanism is best that goes down steepest: with v = p_y/q_y
// and K = G^-2 they are 2 (K v)_x / P_x - v^T K v.
func (w *descent) slopes(p *mat.Dense, inverse *mat.SymDense) *mat.Dense {
	var k, weight mat.Dense
	k.Mul(inverse, inverse)
	q, lift := w.law(p), mat.DenseCopyOf(p)
	for y := range q {
		if v := lift.ColView(y).(*mat.VecDense); q[y] > 0 {
			v.ScaleVec(1/q[y], v)
		} else {
			w.raise(v, y, &k)
		}
	}
	weight.Mul(&k, lift)
	own := make([]float64, len(q))
	for y := range own {
		own[y] = mat.Dot(weight.ColView(y), lift.ColView(y))
	}
	weight.Apply(func(x, y int, v float64) float64 { return 2*v/w.share[x] - own[y] }, &weight)
	return &weight
}

// raise makes v what p_y/q_y may be of an output that does not occur, with a large v^T K v: from
// anywhere, each is best for the slope at the one before.
func (w *descent) raise(v *mat.VecDense, y int, k *mat.Dense) {
	slope := mat.NewVecDense(v.Len(), nil)
	var may []int
	for x := range v.Len() {
		if slope.SetVec(x, w.random.NormFloat64()); w.Support.Allowed(x, y) {
			may = append(may, x)
		}
	}
	for range 4 {
		slices.SortFunc(may, func(a, b int) int {
			return cmp.Compare(slope.AtVec(b)/w.share[b], slope.AtVec(a)/w.share[a])
		})
		v.Zero()
		left := 1.0
		for _, x := range may {
			v.SetVec(x, min(w.factor, left/w.share[x]))
			left = max(0, left-v.AtVec(x)*w.share[x])
		}
		slope.MulVec(k, v)
	}
}

// Chances are p_xy.
func Chances(m *mechanism.Mechanism) *mat.Dense {
	p := mat.NewDense(m.Inputs(), m.Outputs(), nil)
	for x := range m.Inputs() {
		r := m.Row(x)
		for i, y := range r.Output {
			p.Set(x, int(y), float64(r.At(i))/float64(r.Total))
		}
	}
	return p
}

func blended(a, b *mat.Dense, share float64) *mat.Dense {
	var out mat.Dense
	out.Apply(func(x, y int, v float64) float64 { return (1-share)*v + share*b.At(x, y) }, a)
	return &out
}

// integral has rows of sum 2^52 without smaller cells, the remainder in the largest.
func integral(p *mat.Dense, least float64) *mechanism.Mechanism {
	const total = 1 << 52
	n, outputs := p.Dims()
	rows := make([]mechanism.Row, n)
	for x := range rows {
		var output []uint16
		var weight []int64
		left, most := int64(total), 0
		for y, v := range p.RawRowView(x) {
			if a := int64(v * total); a > 0 && v >= least {
				if output, weight = append(output, uint16(y)), append(weight, a); a > weight[most] {
					most = len(weight) - 1
				}
				left -= a
			}
		}
		weight[most] += left
		rows[x] = mechanism.WeightedRow(output, weight)
	}
	m, err := mechanism.NewReduced(outputs, rows)
	if err != nil {
		panic(err) // rows of a mechanism, rounded
	}
	return m
}
