package judge

import (
	"math/bits"

	"github.com/tacet-privacy/tacet/mechanism"
)

// A spreadRow is a row of a mechanism: its outputs, and their chances as
// fractions or as integers over a denominator that all rows share.
type spreadRow[T int64 | float64] struct {
	output []uint16
	p      []T
}

// partRows have chances that add up to one.
func partRows(m []*mechanism.Mechanism) [][]spreadRow[float64] {
	rows := make([][]spreadRow[float64], len(m))
	for i, k := range m {
		for x := range k.Inputs() {
			r := k.Row(x)
			rows[i] = append(rows[i], rowOf(r, func(w int64) float64 { return float64(w) / float64(r.Total) }))
		}
	}
	return rows
}

// rowOf is a row whose weights count as much.
func rowOf[T int64 | float64](r mechanism.Row, chance func(weight int64) T) spreadRow[T] {
	p := make([]T, len(r.Output))
	for j := range p {
		p[j] = chance(r.At(j))
	}
	return spreadRow[T]{r.Output, p}
}

// wholeRows have integers instead, over the least common multiple of the
// totals of the rows that occur. ok is false where a sum of products over n
// records might not fit.
func wholeRows(m []*mechanism.Mechanism, cells []Cell, n int64) (rows [][]spreadRow[int64], ok bool) {
	most := uint64(n)
	rows = make([][]spreadRow[int64], len(m))
	for i, k := range m {
		occurs := make([]bool, k.Inputs())
		for _, c := range cells {
			occurs[c.Letter[i]] = true
		}
		common := uint64(1)
		for x, is := range occurs {
			if !is {
				continue
			}
			total := uint64(k.Row(x).Total)
			over, product := bits.Mul64(common/divisor(common, total), total)
			if over > 0 || product >= 1<<62 {
				return nil, false
			}
			common = product
		}
		over, product := bits.Mul64(most, common)
		if over > 0 || product >= 1<<62 {
			return nil, false
		}
		most = product
		rows[i] = make([]spreadRow[int64], k.Inputs())
		for x, is := range occurs {
			if r := k.Row(x); is {
				scale := int64(common / uint64(r.Total))
				rows[i][x] = rowOf(r, func(w int64) int64 { return w * scale })
			}
		}
	}
	return rows, true
}

// spreadAll adds up, for every combination of outputs, the records that give it
// and the largest chance of any cell to do so.
func spreadAll[T int64 | float64](m []*mechanism.Mechanism, rows [][]spreadRow[T], cells []Cell, outputs int) (mass,
	most []T) {
	mass, most = make([]T, outputs), make([]T, outputs)
	wide := make([]int, len(m))
	for i, k := range m {
		wide[i] = k.Outputs()
	}
	for _, c := range cells {
		spread(rows, wide, c.Letter, 0, 1, T(c.Count), mass, most)
	}
	return mass, most
}

// spread visits the combinations of outputs of a cell.
func spread[T int64 | float64](rows [][]spreadRow[T], wide []int, letter []int32, at int, p, count T, mass, most []T) {
	r := &rows[0][letter[0]]
	at *= wide[0]
	if len(letter) > 1 {
		for i, y := range r.output {
			spread(rows[1:], wide[1:], letter[1:], at+int(y), p*r.p[i], count, mass, most)
		}
		return
	}
	for i, y := range r.output {
		v := p * r.p[i]
		mass[at+int(y)] += count * v
		most[at+int(y)] = max(most[at+int(y)], v)
	}
}

// above reports whether a/b > c/d, for numbers from 0 on.
func above(a, b, c, d int64) bool {
	high, low := bits.Mul64(uint64(a), uint64(d))
	high2, low2 := bits.Mul64(uint64(c), uint64(b))
	return high > high2 || high == high2 && low > low2
}

func divisor(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
