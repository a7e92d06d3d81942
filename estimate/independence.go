package estimate

import (
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// A Test is Pearson's of whether two columns are independent.
type Test struct {
	Statistic float64 `json:"statistic"` // chi-square
	Degrees   int     `json:"degrees"`   // of freedom
	P         float64 `json:"p"`         // chance of so much or more where they are independent
	Small     float64 `json:"small"`     // share of the cells that expect fewer than 5 rows
}

// Independence tests the true values against columns that are published as they were, from published
// values: rows of the table are outputs, its columns the cells of the others. Draws depend on the true
// value alone, so that both are independent of the others or, where the mechanism can be undone,
// neither is: the test has its level, and undoing the mechanism would not add to its power [van den
// Hout and van der Heijden 2002]. Rows that share draws are worth so many draws, by which the
// statistic shrinks. It is nil for a table of one row or column.
func Independence(table [][]int64, draws float64) *Test {
	var row, column []float64
	total := 0.0
	for y, counts := range table {
		row = append(row, 0)
		for k, n := range counts {
			if y == 0 {
				column = append(column, 0)
			}
			row[y], column[k], total = row[y]+float64(n), column[k]+float64(n), total+float64(n)
		}
	}
	used := func(sums []float64) (n int) {
		for _, v := range sums {
			if v > 0 {
				n++
			}
		}
		return n
	}
	rows, columns, small := used(row), used(column), 0
	if rows < 2 || columns < 2 {
		return nil
	}
	var seen, expected []float64
	for y, counts := range table {
		for k, n := range counts {
			if e := row[y] * column[k] / total; e > 0 {
				if seen, expected = append(seen, float64(n)), append(expected, e); e < 5 {
					small++
				}
			}
		}
	}
	t := &Test{Degrees: (rows - 1) * (columns - 1)}
	t.Statistic = stat.ChiSquare(seen, expected) * min(1, draws/total)
	t.P = distuv.ChiSquared{K: float64(t.Degrees)}.Survival(t.Statistic)
	t.Small = float64(small) / float64(len(seen))
	return t
}
