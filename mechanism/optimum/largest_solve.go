package optimum

import (
	"context"
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
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
		w = append(w, o.w.Cell[y])
		flat = append(flat, t*float64(o.Mass[y])/float64(n)-1 <= 2e-9)
		output = append(output, y)
		for _, i := range rows {
			served[i] = true
		}
	}
	return pr, w, flat, output, !slices.Contains(served, false)
}

// settle rounds a proposal in several ways until a table is exactly within the
// factor, and at the least factor until one of them is near the largest
// utility, too. It reports whether any was.
func (o *largestSearch) settle(p [][]float64, flat []bool, output []int) bool {
	d := Draft{Pattern: o.Pattern, Cell: make([][]float64, len(o.Column))}
	level := make([]bool, len(o.Column))
	for k, col := range p {
		d.Cell[output[k]] = col
		level[output[k]] = flat[k]
	}
	q := d.Law()
	found := false
	// At a factor that is just the least one, or just a jump, small denominators
	// are the only room for rounding; rows that live in level columns alone add up
	// exactly only where these have small ones, too.
	even := d.Without(q, 1e-11, level)
	for _, way := range []func() bool{
		func() bool { return o.tables(d, q, level) },
		func() bool { return o.fractions(d.Snapped) },
		func() bool { return o.exact(d) },
		func() bool {
			return o.fractions(func(total int64, fill Fill) *mechanism.Mechanism { return even.Coarse(total, level, fill) })
		},
	} {
		found = way() || found
		if found && (!o.edge || o.open() <= 1e-9) {
			break
		}
	}
	return found
}

// tables offers tables without faint outputs and cells and with larger and
// larger row totals, until one leaves little open.
func (o *largestSearch) tables(d Draft, q []float64, level []bool) bool {
	any := false
	for _, least := range Faint {
		e := d.Without(q, least, level)
		for _, total := range Totals {
			if o.offer(e.Table(total, level, o.w.Preferred)) {
				any = true
				break
			}
		}
		if any && o.open() <= 1e-9 {
			break
		}
	}
	return any
}

// exact offers exact flows, until one leaves little open.
func (o *largestSearch) exact(d Draft) bool {
	any := false
	for _, pull := range Pulls {
		if pull > 0 && o.inner == nil {
			break
		}
		any = o.offer(d.Exactly(o.factor, o.inner, pull, o.w.Preferred)) || any
		if any && o.open() <= 1e-9 {
			break
		}
	}
	return any
}

// open is what the bracket of the utility leaves, in shares of the range.
func (o *largestSearch) open() float64 {
	v, _ := new(big.Rat).Sub(o.worth.Upper, o.worth.Value).Float64()
	return v / math.Max(o.w.Span, math.SmallestNonzeroFloat64)
}

// fractions offers tables of small denominators until one is within the factor.
func (o *largestSearch) fractions(table func(total int64, fill Fill) *mechanism.Mechanism) bool {
	return slices.ContainsFunc(Denominators(o.Pattern), func(total int64) bool {
		return o.offer(table(total, o.w.Preferred))
	})
}
