package optimum

import (
	"context"
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism/interior"
)

// margins are the relative amounts by which the float solver stays below the
// factor, so that rounding to integers does not cross it.
// Below the least factor there is nothing, at it only exact flows keep it, and
// above it prices are better determined.
var (
	margins     = []float64{1e-9, 0, 3e-8, 1e-6}
	edgeMargins = []float64{0, -1e-7}
)

// exceeds reports whether factor is above least by more than the share gap.
func exceeds(factor, least *big.Rat, gap float64) bool {
	if least == nil {
		return true
	}
	g, _ := new(big.Rat).Quo(factor, least).Float64()
	return g-1 > gap
}

// search solves in floating point, below the factor, rounds, and keeps what
// is exactly within it. Outputs are classed in integers: with t P(S_y) < 1
// out, at equality level, above it free.
func (o *largestSearch) search(ctx context.Context) {
	t, _ := o.factor.Float64()
	if math.IsInf(t, 0) || o.factor.Cmp(one) < 0 {
		return
	}
	list, settled := margins, false
	if o.edge {
		list = edgeMargins
	}
	for _, margin := range list {
		pr, w, flat, output, ok := o.problem(t * (1 - margin))
		if !ok {
			return
		}
		out := interior.Best(ctx, pr, t*(1-margin), flat, w, interior.Options{})
		if out.Y != nil {
			o.bounded(out.Y)
		}
		if out.P != nil && !settled {
			settled = o.settle(out.P, flat, output)
		}
		if settled && (!o.edge || o.open() <= 1e-8) || ctx.Err() != nil || o.probe {
			return
		}
	}
}

// problem is the linear program at t, just below the factor. ok is false when
// a letter has no output left.
func (o *largestSearch) problem(t float64) (pr interior.Problem, w [][]float64, flat []bool, output []int, ok bool) {
	n := o.Prior.Total()
	served := make([]bool, len(o.Letter))
	for _, c := range o.Count {
		pr.Prob = append(pr.Prob, float64(c)/float64(n))
	}
	limit := new(big.Rat).SetFrac(new(big.Int).Mul(big.NewInt(n), o.factor.Denom()), o.factor.Num())
	for y, rows := range o.Column {
		if len(rows) == 0 || new(big.Rat).SetInt64(o.Mass[y]).Cmp(limit) < 0 {
			continue
		}
		pr.Column = append(pr.Column, rows)
		w = append(w, o.w.cell[y])
		flat = append(flat, t*float64(o.Mass[y])/float64(n)-1 <= 2e-9)
		output = append(output, y)
		for _, i := range rows {
			served[i] = true
		}
	}
	for _, s := range served {
		if !s {
			return pr, nil, nil, nil, false
		}
	}
	return pr, w, flat, output, true
}
