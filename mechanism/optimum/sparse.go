package optimum

import (
	"context"

	"github.com/tacet-privacy/tacet/mechanism/interior"
)

// Many letters with few cells each have a float solver of their own, in package
// interior: it passes over the cells, and keeps no matrix of letters by letters. Its
// proposals are rounded to rows of sum sparseTotal, which loses less than the solver
// leaves open.
const (
	sparseTotal = 1 << 44
	sparseFaint = 1e-9
	sparseGap   = .02
)

// plain is the reduction that leaves out nothing but outputs that no letter may give:
// to find out what is contained in what takes longer than to solve with it.
func (t *Pattern) plain() Reduction {
	r := Reduction{Joint: t.Count}
	for i, c := range t.Count {
		r.Group = append(r.Group, i)
		r.Prob = append(r.Prob, float64(c)/float64(t.Prior.Total()))
	}
	for y, rows := range t.Column {
		if len(rows) > 0 {
			r.Column, r.Output = append(r.Column, rows), append(r.Output, y)
		}
	}
	return r
}

// sparse is search by that solver.
func (l *leastSearch) sparse(ctx context.Context) {
	r := l.plain()
	options := interior.Options{Gap: max(l.opt.Gap, sparseGap), Y: l.start(r)}
	if l.opt.Decide != nil {
		options.Decide, _ = l.opt.Decide.Float64()
	}
	out := interior.ScaledLeast(ctx, r.Problem, options)
	if out.Y != nil {
		l.claim(integral(l.Pattern, out.Y, r.Group, r.Joint, -1))
	}
	if out.P != nil {
		l.offer(l.spread(r.Output, out.P).Table(sparseTotal, nil, nil))
	}
}

// spread is the draft of a proposal for some outputs, without what is faint.
func (t *Pattern) spread(output []int, p [][]float64) Draft {
	d := Draft{Pattern: t, Cell: make([][]float64, len(t.Column))}
	for k, y := range output {
		d.Cell[y] = p[k]
	}
	return d.Without(d.Law(), sparseFaint, make([]bool, len(t.Column)))
}
