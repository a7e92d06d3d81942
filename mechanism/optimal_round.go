package mechanism

import "github.com/tacet-privacy/tacet/mechanism/interior"

// faint are the output probabilities up to which an output is dropped before
// rounding, tried in turn: the float solver leaves a little mass in outputs
// that the optimum does not use, and their ratios mean nothing.
var faint = []float64{1e-13, 1e-11, 1e-9, 1e-8, 1e-7, 0}

// settle rounds a proposal until a table is exactly within the factor and
// offers it; it reports whether one was.
func (o *optimalSearch) settle(pr interior.Problem, p [][]float64, flat []bool, output []int) bool {
	d := draft{o.pattern, make([][]float64, len(o.column))}
	level := make([]bool, len(o.column))
	for k, col := range p {
		d.cell[output[k]] = col
		level[output[k]] = flat[k]
	}
	q := d.law()
	for _, least := range faint {
		e := d.without(q, least, level)
		for _, k := range totals {
			if o.offer(e.table(k, level, o.w.preferred)) {
				return true
			}
		}
	}
	return false
}

// without drops the outputs of probability up to least and scales the other
// cells, level ones excepted, so that rows sum to 1.
func (d draft) without(q []float64, least float64, level []bool) draft {
	e := draft{d.pattern, make([][]float64, len(d.cell))}
	fixed, loose := make([]float64, len(d.letter)), make([]float64, len(d.letter))
	for y, cell := range d.cell {
		if cell == nil || !(q[y] > least) {
			continue
		}
		e.cell[y] = append([]float64(nil), cell...)
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
