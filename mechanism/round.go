package mechanism

import (
	"math"
	"slices"
)

// A draft is a mechanism in floating point, by columns over the letters of a
// pattern: cell[y][k] is p_xy of the k-th letter of S_y; nil columns do not
// occur. Rows sum to about 1.
type draft struct {
	*pattern
	cell [][]float64
}

// totals are the row totals tried, smallest first: 2^32 loses up to 2e-6 of
// the factor, 2^48 up to 1e-10, 2^62 nothing that a float shows.
var totals = []int64{1 << 32, 1 << 48, 1 << 53, 1 << 62}

// table rounds rows to integers of sum total within the support, the remainder
// to the largest cell. Columns listed in level get one common weight on all
// letters of S_y, so that their factor is exactly 1/P(S_y); the remainder then
// goes to the largest other cell. Letters without records get the allowed
// output that fill picks. It is nil when a row comes out empty, or when a row
// has mass in level columns alone and they do not add up to total.
func (d draft) table(total int64, level []bool, fill func(x int, output []uint16, law []float64) uint16) *Mechanism {
	scale := float64(total)
	row := make([]Row, d.prior.Letters())
	law := make([]float64, d.s.Outputs())
	left := make([]int64, len(d.letter))
	for i := range left {
		left[i] = total
	}
	for y, cell := range d.cell {
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
		for f, i := range d.column[y] {
			w := common
			if w < 0 {
				w = int64(cell[f] * scale)
			}
			if w <= 0 {
				continue
			}
			if w > left[i] {
				if common >= 0 {
					return nil
				}
				w = left[i]
				if w == 0 {
					continue
				}
			}
			x := d.letter[i]
			row[x].Output = append(row[x].Output, uint16(y))
			row[x].Weight = append(row[x].Weight, w)
			left[i] -= w
			law[y] += float64(d.count[i]) * float64(w)
		}
	}
	for i, x := range d.letter {
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
	d.unseen(row, law, fill)
	m, err := New(d.s.Outputs(), row)
	if err != nil {
		return nil
	}
	return m.shorten()
}

// snapped rounds rows to the nearest multiples of 1/total and gives what is
// left over, or missing, to the largest cell: small optima are often exactly
// of this form. Many may be tried; the factor tells which is right.
func (d draft) snapped(total int64, fill func(x int, output []uint16, law []float64) uint16) *Mechanism {
	row := make([]Row, d.prior.Letters())
	law := make([]float64, d.s.Outputs())
	for y, cell := range d.cell {
		for f, v := range cell {
			if w := int64(math.Round(v * float64(total))); w > 0 {
				i := d.column[y][f]
				r := &row[d.letter[i]]
				r.Output, r.Weight, r.Total = append(r.Output, uint16(y)), append(r.Weight, w), r.Total+w
				law[y] += float64(d.count[i]) * float64(w)
			}
		}
	}
	for _, x := range d.letter {
		r := &row[x]
		most := -1
		for f := range r.Output {
			if most < 0 || r.Weight[f] > r.Weight[most] {
				most = f
			}
		}
		if most < 0 || r.Weight[most] <= r.Total-total {
			return nil
		}
		r.Weight[most] += total - r.Total
		r.Total = total
	}
	d.unseen(row, law, fill)
	m, err := New(d.s.Outputs(), row)
	if err != nil {
		return nil
	}
	return m.shorten()
}

// unseen gives the letters without records one output each; they do not
// count in the output law nor in the factor.
func (t *pattern) unseen(row []Row, law []float64, fill func(int, []uint16, []float64) uint16) {
	if fill == nil {
		fill = likeliest
	}
	for x := range row {
		if t.prior.Count(x) == 0 {
			output := t.s.AppendRow(nil, x)
			row[x] = UniformRow([]uint16{fill(x, output, law)})
		}
	}
}

// likeliest is the output that occurs most, the first of equals.
func likeliest(_ int, output []uint16, law []float64) uint16 {
	return slices.MaxFunc(output, func(a, b uint16) int {
		switch {
		case law[a] < law[b]:
			return -1
		case law[a] > law[b]:
			return 1
		}
		return int(b) - int(a)
	})
}

// shorten divides every row by the greatest common divisor of its weights.
func (m *Mechanism) shorten() *Mechanism {
	for x := range m.row {
		r := &m.row[x]
		if r.Weight == nil {
			continue
		}
		g := r.Total
		same := true
		for _, w := range r.Weight {
			same = same && w == r.Weight[0]
			for a := w; a != 0; {
				g, a = a, g%a
			}
		}
		if same {
			*r = UniformRow(r.Output)
			continue
		}
		if g > 1 {
			r.Total /= g
			for i := range r.Weight {
				r.Weight[i] /= g
			}
		}
	}
	return m
}
