package optimum

import (
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
)

// Faint are the output probabilities up to which an output is dropped before
// rounding, and the shares of a column's largest cell up to which a cell is,
// tried in turn: the float solver leaves a little mass in outputs and cells
// that the optimum does not use. Their ratios mean nothing, and each is
// something worse that may occur.
var Faint = []float64{1e-9, 1e-11, 1e-13, 0, 1e-8, 1e-7}

// Without drops the outputs of probability up to least, and of columns
// that are not level the cells of up to that share of the largest. It scales the other cells, level ones excepted, so
// that rows sum to 1.
func (d Draft) Without(q []float64, least float64, level []bool) Draft {
	e := Draft{d.Pattern, make([][]float64, len(d.Cell))}
	fixed, loose := make([]float64, len(d.Letter)), make([]float64, len(d.Letter))
	for y, cell := range d.Cell {
		if cell == nil || !(q[y] > least) {
			continue
		}
		e.Cell[y] = append([]float64(nil), cell...)
		if !level[y] {
			most := slices.Max(cell)
			for k, v := range cell {
				if v <= least*most {
					e.Cell[y][k] = 0
				}
			}
			cell = e.Cell[y]
		}
		for k, i := range d.Column[y] {
			if level[y] {
				fixed[i] += cell[k]
			} else {
				loose[i] += cell[k]
			}
		}
	}
	for y, cell := range e.Cell {
		if level[y] {
			continue
		}
		for k, i := range d.Column[y][:len(cell)] {
			if v := (1 - fixed[i]) / loose[i]; v > 0 {
				cell[k] *= v
			}
		}
	}
	return e
}

// Coarse is a table whose level columns are multiples of 1/denominator.
func (d Draft) Coarse(denominator int64, level []bool, fill Fill) *mechanism.Mechanism {
	e := Draft{d.Pattern, append([][]float64(nil), d.Cell...)}
	for y, cell := range e.Cell {
		if cell == nil || !level[y] {
			continue
		}
		mean := 0.0
		for _, v := range cell {
			mean += v
		}
		v := math.Round(mean/float64(len(cell))*float64(denominator)) / float64(denominator)
		if v == 0 {
			e.Cell[y] = nil
			continue
		}
		e.Cell[y] = slices.Repeat([]float64{v}, len(cell))
	}
	total := denominator
	for total < 1<<50 {
		total *= 2
	}
	return e.Table(total, level, fill)
}
