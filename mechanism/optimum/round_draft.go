package optimum

import (
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
)

// A Draft is a mechanism in floating point, by columns over the letters of a
// pattern: Cell[y][k] is p_xy of the k-th letter of S_y; nil columns do not
// occur. Rows sum to about 1.
type Draft struct {
	*Pattern
	Cell [][]float64
}

// Totals are the row totals tried, smallest first: 2^32 loses up to 2e-6 of
// the factor, 2^48 up to 1e-10, 2^62 nothing that a float shows.
var Totals = []int64{1 << 32, 1 << 48, 1 << 53, 1 << 62}

// Table rounds rows down to integers of sum total within the support, the remainder to the
// largest cell. It is nil when a row comes out empty.
func (d Draft) Table(total int64) *mechanism.Mechanism {
	row := make([]mechanism.Row, d.Prior.Letters())
	law := make([]float64, d.Support.Outputs())
	left := slices.Repeat([]int64{total}, len(d.Letter))
	for y, cell := range d.Cell {
		if cell == nil {
			continue
		}
		for f, i := range d.Column[y] {
			w := min(int64(cell[f]*float64(total)), left[i])
			if w <= 0 {
				continue
			}
			x := d.Letter[i]
			row[x].Output = append(row[x].Output, uint16(y))
			row[x].Weight = append(row[x].Weight, w)
			left[i] -= w
			law[y] += float64(d.Count[i]) * float64(w)
		}
	}
	for i, x := range d.Letter {
		if row[x].Weight == nil {
			return nil
		}
		most := slices.Index(row[x].Weight, slices.Max(row[x].Weight))
		row[x].Weight[most] += left[i]
		row[x].Total = total
	}
	return d.finish(row, law)
}

// finish is the mechanism of these rows; nil where they are none. The letters without records get one
// output each; they do not count in the output law nor in the factor.
func (t *Pattern) finish(row []mechanism.Row, law []float64) *mechanism.Mechanism {
	for x := range row {
		if t.Prior.Count(x) == 0 {
			row[x] = mechanism.UniformRow([]uint16{t.pick(x, law)})
		}
	}
	m, err := mechanism.NewReduced(t.Support.Outputs(), row)
	if err != nil {
		return nil
	}
	return m
}

// Law is the output law of the draft.
func (d Draft) Law() []float64 {
	q := make([]float64, len(d.Cell))
	for y, cell := range d.Cell {
		for k, v := range cell {
			q[y] += v * float64(d.Count[d.Column[y][k]])
		}
		q[y] /= float64(d.Prior.Total())
	}
	return q
}

// Faint are the output probabilities up to which an output is dropped before
// rounding, and the shares of a column's largest cell up to which a cell is,
// tried in turn: the float solver leaves a little mass in outputs and cells
// that the optimum does not use. Their ratios mean nothing, and each is
// something worse that may occur.
var Faint = []float64{1e-9, 1e-11, 1e-13, 0, 1e-8, 1e-7}

// Without drops the outputs of probability up to least, and of columns the cells of up to
// that share of the largest. It scales the other cells so that rows sum to 1.
func (d Draft) Without(q []float64, least float64) Draft {
	e := Draft{d.Pattern, make([][]float64, len(d.Cell))}
	sum := make([]float64, len(d.Letter))
	for y, cell := range d.Cell {
		if cell == nil || !(q[y] > least) {
			continue
		}
		e.Cell[y] = slices.Clone(cell)
		most := slices.Max(cell)
		for k, v := range cell {
			if v <= least*most {
				e.Cell[y][k] = 0
			}
			sum[d.Column[y][k]] += e.Cell[y][k]
		}
	}
	for y, cell := range e.Cell {
		for k := range cell {
			if v := 1 / sum[d.Column[y][k]]; v > 0 {
				cell[k] *= v
			}
		}
	}
	return e
}
