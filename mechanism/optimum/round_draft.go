package optimum

import (
	"cmp"
	"math"
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

// Table rounds rows to integers of sum total within the support, the remainder
// to the largest cell. Columns listed in level get one common weight on all
// letters of S_y, so that their factor is exactly 1/P(S_y); the remainder then
// goes to the largest other cell. Letters without records get the allowed
// output that fill picks. It is nil when a row comes out empty, or when a row
// has mass in level columns alone and they do not add up to total.
func (d Draft) Table(total int64, level []bool, fill Fill) *mechanism.Mechanism {
	scale := float64(total)
	row := make([]mechanism.Row, d.Prior.Letters())
	law := make([]float64, d.Support.Outputs())
	left := make([]int64, len(d.Letter))
	for i := range left {
		left[i] = total
	}
	for y, cell := range d.Cell {
		if cell == nil {
			continue
		}
		common := int64(-1)
		if level != nil && level[y] {
			mean := 0.0
			for _, v := range cell {
				mean += v
			}
			common = int64(math.Round(mean / float64(len(cell)) * scale))
		}
		for f, i := range d.Column[y] {
			w := common
			if w < 0 {
				w = int64(cell[f] * scale)
			}
			if w <= 0 {
				continue
			}
			if w > left[i] && common >= 0 {
				return nil
			}
			if w = min(w, left[i]); w == 0 {
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
		most := -1
		for f, y := range row[x].Output {
			if level != nil && level[y] {
				continue
			}
			if most < 0 || row[x].Weight[f] > row[x].Weight[most] {
				most = f
			}
		}
		switch {
		case most >= 0:
			row[x].Weight[most] += left[i]
		case left[i] != 0:
			return nil
		}
		row[x].Total = total
	}
	return d.finish(row, law, fill)
}

// A Fill picks the output of letter x, which has no records, from those that it is
// allowed, where outputs occur by law.
type Fill func(x int, output []uint16, law []float64) uint16

// finish is the mechanism of these rows; nil where they are none.
func (t *Pattern) finish(row []mechanism.Row, law []float64, fill Fill) *mechanism.Mechanism {
	Unseen(t, row, law, fill)
	m, err := mechanism.NewReduced(t.Support.Outputs(), row)
	if err != nil {
		return nil
	}
	return m
}

// Unseen gives the letters without records one output each; they do not
// count in the output law nor in the factor.
func Unseen(t *Pattern, row []mechanism.Row, law []float64, fill Fill) {
	if fill == nil {
		fill = likeliest
	}
	for x := range row {
		if t.Prior.Count(x) == 0 {
			output := t.Support.AppendRow(nil, x)
			row[x] = mechanism.UniformRow([]uint16{fill(x, output, law)})
		}
	}
}

// likeliest is the output that occurs most, the first of equals.
func likeliest(_ int, output []uint16, law []float64) uint16 {
	return slices.MaxFunc(output, func(a, b uint16) int {
		return cmp.Or(cmp.Compare(law[a], law[b]), cmp.Compare(b, a))
	})
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
