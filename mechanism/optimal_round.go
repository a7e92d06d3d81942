package mechanism

import (
	"math"
	"math/big"
	"slices"
)

// faint are the output probabilities up to which an output is dropped before
// rounding, and the shares of a column's largest cell up to which a cell is,
// tried in turn: the float solver leaves a little mass in outputs and cells
// that the optimum does not use. Their ratios mean nothing, and each is
// something worse that may occur.
var faint = []float64{1e-9, 1e-11, 1e-13, 0, 1e-8, 1e-7}

// settle rounds a proposal in several ways until a table is exactly within the
// factor, and at the least factor until one of them is near the largest
// utility, too. It reports whether any was.
func (o *optimalSearch) settle(p [][]float64, flat []bool, output []int) bool {
	d := draft{o.pattern, make([][]float64, len(o.column))}
	level := make([]bool, len(o.column))
	for k, col := range p {
		d.cell[output[k]] = col
		level[output[k]] = flat[k]
	}
	q := d.law()
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
func (o *optimalSearch) tables(d draft, q []float64, level []bool) bool {
	any := false
	for _, least := range faint {
		e := d.without(q, least, level)
		for _, total := range totals {
			if o.offer(e.table(total, level, o.w.preferred)) {
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
func (o *optimalSearch) exact(d draft) bool {
	any := false
	for _, pull := range pulls {
		if pull > 0 && o.inner == nil {
			break
		}
		any = o.offer(d.exactly(o.factor, o.inner, pull, o.w.preferred)) || any
		if any && o.open() <= 1e-9 {
			break
		}
	}
	return any
}

// open is what the bracket of the utility leaves, in shares of the range.
func (o *optimalSearch) open() float64 {
	v, _ := new(big.Rat).Sub(o.worth.Upper, o.worth.Value).Float64()
	return v / math.Max(o.w.span, math.SmallestNonzeroFloat64)
}

// fractions offers tables of small denominators: at a factor that is just the
// least one, or just a jump, there is no room for any other rounding.
func (o *optimalSearch) fractions(d draft) bool {
	for _, total := range o.denominators() {
		if o.offer(d.snapped(total, o.w.preferred)) {
			return true
		}
	}
	return false
}

// unify offers tables in which the level columns have small denominators and
// the other cells fine ones: rows that live in level columns alone add up
// exactly only then.
func (o *optimalSearch) unify(d draft, q []float64, level []bool) bool {
	e := d.without(q, 1e-11, level)
	for _, total := range o.denominators() {
		if m := e.coarse(total, level, o.w.preferred); o.offer(m) {
			return true
		}
	}
	return false
}

// without drops the outputs of probability up to least, and of columns
// that are not level the cells of up to that share of the largest. It scales the other cells, level ones excepted, so that rows sum to 1.
func (d draft) without(q []float64, least float64, level []bool) draft {
	e := draft{d.pattern, make([][]float64, len(d.cell))}
	fixed, loose := make([]float64, len(d.letter)), make([]float64, len(d.letter))
	for y, cell := range d.cell {
		if cell == nil || !(q[y] > least) {
			continue
		}
		e.cell[y] = append([]float64(nil), cell...)
		if !level[y] {
			most := slices.Max(cell)
			for k, v := range cell {
				if v <= least*most {
					e.cell[y][k] = 0
				}
			}
			cell = e.cell[y]
		}
		for k, i := range d.column[y] {
			if level[y] {
				fixed[i] += cell[k]
			} else {
				loose[i] += cell[k]
			}
		}
	}
	for y, cell := range e.cell {
		if level[y] {
			continue
		}
		for k, i := range d.column[y][:len(cell)] {
			if v := (1 - fixed[i]) / loose[i]; v > 0 {
				cell[k] *= v
			}
		}
	}
	return e
}

// coarse is a table whose level columns are multiples of 1/denominator.
func (d draft) coarse(denominator int64, level []bool, fill func(int, []uint16, []float64) uint16) *Mechanism {
	e := draft{d.pattern, append([][]float64(nil), d.cell...)}
	for y, cell := range e.cell {
		if cell == nil || !level[y] {
			continue
		}
		mean := 0.0
		for _, v := range cell {
			mean += v
		}
		v := math.Round(mean/float64(len(cell))*float64(denominator)) / float64(denominator)
		if v == 0 {
			e.cell[y] = nil
			continue
		}
		e.cell[y] = make([]float64, len(cell))
		for k := range cell {
			e.cell[y][k] = v
		}
	}
	total := denominator
	for total < 1<<50 {
		total *= 2
	}
	return e.table(total, level, fill)
}
