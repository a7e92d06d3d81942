package series

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
)

// fractions takes every row to the fractions of small denominator that it is
// next to, where those sum to 1; nil where they do not.
func (p *program) fractions(w []float64) []mechanism.Row {
	rows := make([]mechanism.Row, p.outputs)
	for a, cells := range p.rows(w) {
		total := big.NewInt(1)
		part := make([]*big.Rat, len(cells))
		sum := new(big.Rat)
		for i, c := range cells {
			part[i] = nearby(c.value)
			sum.Add(sum, part[i])
			d := part[i].Denom()
			g := new(big.Int).GCD(nil, nil, total, d)
			total.Mul(total, new(big.Int).Quo(d, g))
		}
		if sum.Cmp(big.NewRat(1, 1)) != 0 || total.BitLen() > 62 {
			return nil
		}
		var output []uint16
		var weight []int64
		for i, c := range cells {
			if part[i].Sign() > 0 {
				v := new(big.Int).Mul(part[i].Num(), new(big.Int).Quo(total, part[i].Denom()))
				output, weight = append(output, uint16(c.row)), append(weight, v.Int64())
			}
		}
		rows[a] = mechanism.WeightedRow(output, weight)
	}
	return rows
}

// nearby is the fraction of denominator below 2^20 that v stands for, by its
// continued fraction.
func nearby(v float64) *big.Rat {
	p0, q0, p1, q1 := int64(0), int64(1), int64(1), int64(0)
	for x := v; ; {
		a := math.Floor(x)
		p2, q2 := int64(a)*p1+p0, int64(a)*q1+q0
		if q2 >= 1<<20 {
			break
		}
		p0, q0, p1, q1 = p1, q1, p2, q2
		if math.Abs(float64(p1)/float64(q1)-v) <= 1e-10 || x == a {
			break
		}
		x = 1 / (x - a)
	}
	return big.NewRat(p1, q1)
}

// binary rounds every row to a total of 2^32, by the largest remainders. What
// is below 1e-9 is left out.
func (p *program) binary(w []float64) []mechanism.Row {
	const total = 1 << 32
	rows := make([]mechanism.Row, p.outputs)
	for a, cells := range p.rows(w) {
		sum := 0.0
		for i := range cells {
			if cells[i].value < 1e-9 {
				cells[i].value = 0
			}
			sum += cells[i].value
		}
		if !(math.Abs(sum-1) <= 1e-6) {
			return nil
		}
		weight, left := make([]int64, len(cells)), int64(total)
		order := make([]int, len(cells))
		for i, c := range cells {
			weight[i], order[i] = int64(c.value/sum*total), i
			left -= weight[i]
		}
		rest := func(i int) float64 { return cells[i].value/sum*total - float64(weight[i]) }
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(rest(j), rest(i)) })
		for _, i := range order {
			if left > 0 && cells[i].value > 0 {
				weight[i]++
				left--
			}
		}
		var output []uint16
		var keep []int64
		for i, c := range cells {
			if weight[i] > 0 {
				output, keep = append(output, uint16(c.row)), append(keep, weight[i])
			}
		}
		if left != 0 {
			return nil
		}
		rows[a] = mechanism.WeightedRow(output, keep)
	}
	return rows
}

// rows are the cells (b, W(b|a)) by a.
func (p *program) rows(w []float64) [][]term {
	rows := make([][]term, p.outputs)
	for j, v := range p.variable {
		rows[v[0]] = append(rows[v[0]], term{v[1], w[j]})
	}
	return rows
}
