package mechtest

import "math"

// Simplex is the largest -cost.x over x >= 0, rows.x <= b, b >= 0, by the
// simplex method with the rule of Bland; NaN where it does not end. It is
// slow and simple: an oracle for small programs.
func Simplex(rows [][]float64, b, cost []float64) float64 {
	n := len(cost)
	basis := make([]int, len(rows))
	for i := range rows {
		slack := make([]float64, len(rows)+1)
		slack[i], slack[len(rows)] = 1, b[i]
		rows[i] = append(rows[i], slack...)
		basis[i] = n + i
	}
	z := append(append([]float64(nil), cost...), make([]float64, len(rows)+1)...)
	for range 20000 {
		in := -1
		for k := range len(z) - 1 {
			if z[k] < -1e-10 {
				in = k
				break
			}
		}
		if in < 0 {
			return z[len(z)-1]
		}
		out, least := -1, math.Inf(1)
		for i, row := range rows {
			if row[in] > 1e-10 {
				v := row[len(row)-1] / row[in]
				if v < least-1e-14 || v <= least+1e-14 && basis[i] < basis[out] {
					out, least = i, v
				}
			}
		}
		if out < 0 {
			return math.NaN()
		}
		pivot := rows[out]
		by := pivot[in]
		for k := range pivot {
			pivot[k] /= by
		}
		for i, row := range append(rows, z) {
			if i == out || row[in] == 0 {
				continue
			}
			by := row[in]
			for k := range row {
				row[k] -= by * pivot[k]
			}
		}
		basis[out] = in
	}
	return math.NaN()
}
