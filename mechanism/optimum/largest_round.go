package optimum

import (
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism/round"
)

// settle rounds a proposal in several ways until a table is exactly within the
// factor, and at the least factor until one of them is near the largest
// utility, too. It reports whether any was.
func (o *largestSearch) settle(p [][]float64, flat []bool, output []int) bool {
	d := round.Draft{Pattern: o.Pattern, Cell: make([][]float64, len(o.Column))}
	level := make([]bool, len(o.Column))
	for k, col := range p {
		d.Cell[output[k]] = col
		level[output[k]] = flat[k]
	}
	q := d.Law()
	found := false
	for _, way := range []func() bool{
		func() bool { return o.tables(d, q, level) },
		func() bool { return o.fractions(d) },
		func() bool { return o.exact(d) },
		func() bool { return o.unify(d, q, level) },
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
func (o *largestSearch) tables(d round.Draft, q []float64, level []bool) bool {
	any := false
	for _, least := range round.Faint {
		e := d.Without(q, least, level)
		for _, total := range round.Totals {
			if o.offer(e.Table(total, level, o.w.preferred)) {
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
func (o *largestSearch) exact(d round.Draft) bool {
	any := false
	for _, pull := range round.Pulls {
		if pull > 0 && o.inner == nil {
			break
		}
		any = o.offer(d.Exactly(o.factor, o.inner, pull, o.w.preferred)) || any
		if any && o.open() <= 1e-9 {
			break
		}
	}
	return any
}

// open is what the bracket of the utility leaves, in shares of the range.
func (o *largestSearch) open() float64 {
	v, _ := new(big.Rat).Sub(o.worth.Upper, o.worth.Value).Float64()
	return v / math.Max(o.w.span, math.SmallestNonzeroFloat64)
}

// fractions offers tables of small denominators: at a factor that is just the
// least one, or just a jump, there is no room for any other rounding.
func (o *largestSearch) fractions(d round.Draft) bool {
	for _, total := range round.Denominators(o.Pattern) {
		if o.offer(d.Snapped(total, o.w.preferred)) {
			return true
		}
	}
	return false
}

// unify offers tables in which the level columns have small denominators and
// the other cells fine ones: rows that live in level columns alone add up
// exactly only then.
func (o *largestSearch) unify(d round.Draft, q []float64, level []bool) bool {
	e := d.Without(q, 1e-11, level)
	for _, total := range round.Denominators(o.Pattern) {
		if m := e.Coarse(total, level, o.w.preferred); o.offer(m) {
			return true
		}
	}
	return false
}
