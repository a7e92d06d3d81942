package estimate

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// ErrIllConditioned says that floats cannot tell the mechanism from a singular one.
var ErrIllConditioned = errors.New("estimate: the mechanism is too close to one that tells less")

// ErrUntold says that the outputs do not tell what is asked for.
var ErrUntold = errors.New("estimate: the outputs do not tell these letters from others")

// ErrImpossible says that an output was counted that no letter gives.
var ErrImpossible = errors.New("estimate: an output was counted that the mechanism never gives")

// Limits of what floats tell.
const (
	mostOff       = 1e-7 // of p a from c
	mostCondition = 1e12 // of the scaled rows: beyond it a is of any variance
)

// A Linear is a solver of c = p a with a of least variance for one sample.
type Linear struct {
	c *Channel
	s *Sample
	// rows of p that are linearly independent and span all others, scaled by root q
	rows  []int
	scale []float64 // 1/root q by output
	lq    mat.LQ
}

// Linear makes ready for estimates from a sample: it takes 4 N^2 M steps.
func (c *Channel) Linear(s *Sample) (*Linear, error) {
	if len(s.Count) != c.Outputs() {
		return nil, fmt.Errorf("estimate: %d counts for %d outputs", len(s.Count), c.Outputs())
	}
	if !c.possible(s) {
		return nil, ErrImpossible
	}
	l := &Linear{c: c, s: s, rows: c.span.Letters(), scale: s.scale()}
	a := mat.NewDense(len(l.rows), c.Outputs(), nil)
	for i, x := range l.rows {
		to := a.RawRowView(i)
		for y, p := range c.p.RawRowView(x) {
			// D^-1/2 on the right turns least variance into least length.
			to[y] = p * l.scale[y]
		}
	}
	l.lq.Factorize(a)
	return l, nil
}

// weights solves c = p a for columns c by letter, each in the column space of p.
func (l *Linear) weights(of *mat.Dense) (*mat.Dense, error) {
	_, k := of.Dims()
	right, a := mat.NewDense(len(l.rows), k, nil), &mat.Dense{}
	for i, x := range l.rows {
		copy(right.RawRowView(i), of.RawRowView(x))
	}
	if !(l.lq.Cond() <= mostCondition) || l.lq.SolveTo(a, false, right) != nil {
		return nil, ErrIllConditioned
	}
	for y, d := range l.scale {
		row := a.RawRowView(y)
		for j := range row {
			row[j] *= d
		}
	}
	var back mat.Dense
	back.Mul(l.c.p, a)
	back.Sub(&back, of)
	for x := range l.c.Letters() {
		for _, off := range back.RawRowView(x) {
			if !(math.Abs(off) <= mostOff) {
				return nil, ErrIllConditioned
			}
		}
	}
	return a, nil
}

// Unbiased is the share of some letters together, without bias: it may lie
// outside [0, 1].
type Unbiased struct {
	Share  float64
	Errors [2]float64 // standard errors of the share, by Whose
}

// Within is the interval at a level.
func (e Unbiased) Within(w Whose, level float64) Interval {
	off := width(level) * e.Errors[w]
	return Interval{min(1, max(0, e.Share-off)), max(0, min(1, e.Share+off))}
}

// Sums estimates the shares of sets of letters. It fails with ErrUntold where one is not
// Estimable.
func (l *Linear) Sums(sets [][]int) ([]Unbiased, error) {
	a, err := l.sums(sets)
	if err != nil {
		return nil, err
	}
	out := make([]Unbiased, len(sets))
	for j := range sets {
		share, square := l.seen(a, j)
		out[j] = Unbiased{share, [2]float64{
			// c_x^2 = c_x, so that sum_x P_x (p a)_x^2 is the share itself.
			OfFile:       root((square - share) / l.s.Draws),
			OfPopulation: root((square - share*share) / l.s.Draws),
		}}
	}
	return out, nil
}

// Covariance is that of the estimated shares of sets of letters: for the population
// [A^T diag(q) A - (A^T q)(A^T q)^T] / n, and for the file [A^T diag(q) A - C^T diag(P) C] / n,
// where C = p A are the sets. The share of what two sets have in common stands for
// C^T diag(P) C; it must be Estimable, too, or else the error is ErrUntold.
func (l *Linear) Covariance(w Whose, sets [][]int) (*mat.SymDense, error) {
	a, err := l.sums(sets)
	if err != nil {
		return nil, err
	}
	k := len(sets)
	share := make([]float64, k)
	rooted := mat.NewDense(l.c.Outputs(), k, nil)
	for y, q := range l.s.share {
		from, to := a.RawRowView(y), rooted.RawRowView(y)
		for j, v := range from {
			share[j] += q * v
			to[j] = math.Sqrt(q) * v
		}
	}
	out := mat.NewSymDense(k, nil)
	blas64.Syrk(blas.Trans, 1, rooted.RawMatrix(), 0, out.RawSymmetric())
	var common map[[2]int]float64
	if w == OfFile {
		if common, err = l.common(sets); err != nil {
			return nil, err
		}
	}
	for i := range k {
		for j := i; j < k; j++ {
			off := share[i] * share[j]
			switch {
			case w == OfFile && i == j:
				off = share[i]
			case w == OfFile:
				off = common[[2]int{i, j}]
			}
			out.SetSym(i, j, (out.At(i, j)-off)/l.s.Draws)
		}
	}
	return out, nil
}

// common are the shares of what two sets have in common, where that is anything.
func (l *Linear) common(sets [][]int) (map[[2]int]float64, error) {
	of := map[int][]int{} // sets, by letter
	both := map[[2]int][]int{}
	for j, set := range sets {
		for _, x := range set {
			for _, i := range of[x] {
				both[[2]int{i, j}] = append(both[[2]int{i, j}], x)
			}
			of[x] = append(of[x], j)
		}
	}
	if len(both) == 0 {
		return nil, nil
	}
	pairs := slices.SortedFunc(maps.Keys(both), func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	var letters [][]int
	for _, p := range pairs {
		letters = append(letters, both[p])
	}
	found, err := l.Sums(letters)
	share := map[[2]int]float64{}
	for k, u := range found {
		share[pairs[k]] = u.Share
	}
	return share, err
}

// seen are the moments of a sample: half a row stands in the second for an output that was
// not seen, which is rare, not impossible.
func (l *Linear) seen(a *mat.Dense, j int) (share, square float64) {
	share, square = l.moments(a, j)
	for y, n := range l.s.Count {
		if n == 0 {
			square += a.At(y, j) * a.At(y, j) / (2 * l.s.rows)
		}
	}
	return share, square
}

// moments are sum a_y q_y and sum a_y^2 q_y of column j.
func (l *Linear) moments(a *mat.Dense, j int) (share, square float64) {
	for y, q := range l.s.share {
		v := a.At(y, j)
		share += v * q
		square += v * v * q
	}
	return share, square
}

// sums are the weights of outputs for sets of letters.
func (l *Linear) sums(sets [][]int) (*mat.Dense, error) {
	m := mat.NewDense(l.c.Letters(), len(sets), nil)
	for j, set := range sets {
		if !l.c.Estimable(set) {
			return nil, ErrUntold
		}
		for _, x := range set {
			m.Set(x, j, 1)
		}
	}
	return l.weights(m)
}
