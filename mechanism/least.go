package mechanism

import (
	"context"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism/interior"
)

// LeastOptions bound the search of Least. The zero value is usual.
type LeastOptions struct {
	// Gap is the relative width of the bracket that is good enough; 0 means
	// 1e-9.
	Gap float64
	// Decide, if set, ends the search as soon as it is proven whether the
	// least factor is above it or a mechanism within it is known.
	Decide *big.Rat
	// Near is a mechanism for the same letters, such as the one found for a
	// neighbouring floor; it is used when it stays within the support, and is
	// the answer when Weight proves it within Gap.
	Near *Mechanism
	// Weight is the certificate of a neighbouring support; it proves
	// something for every support.
	Weight []int64
	// Bytes is the most memory the float solver may take; 0 means 4 GiB. A
	// support that needs more gets what needs no solver.
	Bytes int64
}

// Least returns a mechanism with the least factor e^eps among all those with
// support s under p, and the certificate of how close it is. The mechanism's
// factor is exact (Certificate.Upper) and its rows are integers; the float
// solver only proposes. When ctx ends, or the solver fails, the bracket is
// wider and still proven: at worst the mechanism is uniform on every B_x. It
// fails with *NoOutputError alone.
func Least(ctx context.Context, p Prior, s *Support, opt LeastOptions) (*Mechanism, Certificate, error) {
	m, err := uniform(s, Floor{})
	if err != nil {
		return nil, Certificate{}, err
	}
	l := &leastSearch{pattern: newPattern(p, s), opt: opt}
	if l.opt.Gap == 0 {
		l.opt.Gap = 1e-9
	}
	l.lower = big.NewRat(1, 1)
	l.offer(m)
	if p.Total() > 0 {
		l.search(ctx)
	}
	return l.best, Certificate{Weight: l.weight, Lower: l.lower, Upper: l.upper}, nil
}

// EstimateOptimalBytes is about the memory that Least and Optimal need for a
// support of this many cells: 25 floats per cell, four dense matrices.
func EstimateOptimalBytes(inputs, outputs, cells int) int64 {
	n, m, c := int64(inputs), int64(outputs), int64(cells)
	return 8*(25*c+2*n*m+2*n*n+40*(n+m)) + 16*c
}

// affords reports whether the float solver stays within limit bytes.
func (t *pattern) affords(limit int64) bool {
	if limit == 0 {
		limit = 4 << 30
	}
	return EstimateOptimalBytes(len(t.letter), len(t.column), t.cells()) <= limit
}

// A leastSearch holds the best proven so far on both sides.
type leastSearch struct {
	*pattern
	opt    LeastOptions
	best   *Mechanism
	upper  *big.Rat
	weight []int64
	lower  *big.Rat
}

// offer takes m when its exact factor is the least so far.
func (l *leastSearch) offer(m *Mechanism) bool {
	if m == nil || m.Inputs() != l.s.Inputs() || m.Outputs() != l.s.Outputs() {
		return false
	}
	if _, _, ok := m.Within(l.s); !ok {
		return false
	}
	_, f := m.Leakage(l.prior).Max()
	if l.upper != nil && f.Cmp(l.upper) >= 0 {
		return false
	}
	l.best, l.upper = m, f
	return true
}

// claim takes weights when they prove more than what is known.
func (l *leastSearch) claim(weight []int64) {
	if len(weight) != l.prior.Letters() {
		return
	}
	if t := l.bound(weight); t.Cmp(l.lower) > 0 {
		l.weight, l.lower = weight, t
	}
}

func (l *leastSearch) closed() bool { return l.upper.Cmp(l.lower) <= 0 }

// decided reports that the side of opt.Decide is proven.
func (l *leastSearch) decided() bool {
	d := l.opt.Decide
	return d != nil && (l.upper.Cmp(d) <= 0 || l.lower.Cmp(d) > 0)
}

// gap is upper/lower - 1, rounded.
func (l *leastSearch) gap() float64 {
	g, _ := new(big.Rat).Quo(l.upper, l.lower).Float64()
	return g - 1
}

func (l *leastSearch) search(ctx context.Context) {
	if m := l.constant(); m != nil {
		l.offer(m)
	}
	l.claim(l.scarce())
	if l.opt.Near != nil {
		l.offer(l.opt.Near)
	}
	if l.opt.Weight != nil && (Certificate{Weight: l.opt.Weight, Lower: one}).Verify(l.prior, l.s) == nil {
		l.claim(l.opt.Weight)
	}
	if l.closed() || l.decided() || l.opt.Near != nil && l.gap() <= l.opt.Gap || !l.affords(l.opt.Bytes) {
		return
	}
	r := l.reduce()
	options := interior.Options{Gap: l.opt.Gap / 10, Y: l.start(r)}
	if l.opt.Decide != nil {
		options.Decide, _ = l.opt.Decide.Float64()
	}
	out := interior.Least(ctx, r.Problem, options)
	for _, y := range [][]float64{out.Y, out.Firm} {
		l.certify(y, out.Lower, r)
	}
	if d := l.widen(r, out.P); d != nil {
		l.round(*d)
		if !l.decided() {
			l.recover(*d, out.Y, r)
		}
	}
}

// certify claims what the row duals y prove, until it is about lower.
func (l *leastSearch) certify(y []float64, lower float64, r reduction) {
	for _, below := range []float64{-1, 1e-15, 1e-12, 1e-9} {
		if y == nil || rounded(l.lower) >= lower*(1-1e-11) {
			return
		}
		l.claim(l.integral(y, r.group, r.joint, below))
	}
}

// constant is the mechanism of a universal output, one that every letter may
// give; nil when there is none.
func (l *leastSearch) constant() *Mechanism {
	for y, mass := range l.mass {
		if mass < l.prior.Total() {
			continue
		}
		row := make([]Row, l.prior.Letters())
		law := make([]float64, l.s.Outputs())
		law[y] = 1
		for x := range row {
			row[x] = UniformRow([]uint16{uint16(y)})
		}
		l.unseen(row, law, nil)
		if m, err := New(l.s.Outputs(), row); err == nil {
			return m
		}
	}
	return nil
}

// start sums the known weights by row of the reduced problem.
func (l *leastSearch) start(r reduction) []float64 {
	if l.weight == nil {
		return nil
	}
	y := make([]float64, len(r.joint))
	for i, x := range l.letter {
		y[r.group[i]] += float64(l.weight[x])
	}
	return y
}

// widen turns a proposal for the reduced problem into a draft.
func (l *leastSearch) widen(r reduction, p [][]float64) *draft {
	if p == nil {
		return nil
	}
	d := &draft{l.pattern, make([][]float64, len(l.column))}
	value := make([]float64, len(r.joint))
	for k, col := range p {
		if col == nil {
			continue
		}
		for f, g := range r.Column[k] {
			value[g] = col[f]
		}
		y := r.output[k]
		cell := make([]float64, len(l.column[y]))
		for f, i := range l.column[y] {
			cell[f] = value[r.group[i]]
		}
		d.cell[y] = cell
	}
	return d
}

// round offers integer tables of the draft, with fewer and fewer faint
// outputs, until one is within a tenth of the gap asked for.
func (l *leastSearch) round(d draft) {
	q := d.law()
	none := make([]bool, len(q))
	for _, least := range append([]float64{-1}, faint...) {
		e := d.without(q, least, none)
		for _, total := range totals {
			l.offer(e.table(total, nil, nil))
			if !(l.gap() > l.opt.Gap/10) {
				return
			}
		}
	}
}
