package interior

import (
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
)

// A system is the symmetric N x N matrix S of one step and its Cholesky
// factor L, both row-major in their lower triangles; what lies above the
// diagonal means nothing.
type system struct {
	n      int
	matrix []float64
	lower  []float64
}

func (m *system) init(n int) {
	m.n, m.matrix, m.lower = n, make([]float64, n*n), make([]float64, n*n)
}

// tile is how many rows of S are formed together: few enough to stay in a
// processor's second-level cache while all columns pass, and enough of them
// for several processors.
func (m *system) tile() int { return max(16, min(1<<15/m.n, m.n/6)) }

// sum forms S = sum_j (y_j y_j' - x_j x_j') over the columns of the sets, with
// x and y per cell, column j beginning at off[j]. Every tile of rows is summed
// by one goroutine in the order of the columns.
func (m *system) sum(column [][]int32, off []int, x, y []float64, sets ...[]int32) {
	tile := m.tile()
	tiles := (m.n + tile - 1) / tile
	Parallel(0, tiles, func(k int) {
		k = tiles - 1 - k // the longest rows first
		lo, hi := k*tile, min(m.n, (k+1)*tile)
		for i := lo; i < hi; i++ {
			clear(m.matrix[i*m.n : i*m.n+hi])
		}
		for _, set := range sets {
			for _, j := range set {
				rows := column[j]
				from, _ := slices.BinarySearch(rows, int32(lo))
				to, _ := slices.BinarySearch(rows[from:], int32(hi))
				m.add(from, rows[:from+to], x[off[j]:off[j]+from+to], y[off[j]:off[j]+from+to])
			}
		}
	})
}

// add adds yy' - xx' to the given rows from place l on. Four rows at a time
// share the loads of x and y; their last three columns reach above the
// diagonal.
func (m *system) add(l int, rows []int32, x, y []float64) {
	n, to := m.n, m.matrix
	for ; l+4 <= len(rows); l += 4 {
		at := [4]int{int(rows[l]) * n, int(rows[l+1]) * n, int(rows[l+2]) * n, int(rows[l+3]) * n}
		r0 := to[at[0] : at[0]+n]
		r1 := to[at[1] : at[1]+n][:len(r0)]
		r2 := to[at[2] : at[2]+n][:len(r0)]
		r3 := to[at[3] : at[3]+n][:len(r0)]
		v0, v1, v2, v3 := y[l], y[l+1], y[l+2], y[l+3]
		w0, w1, w2, w3 := x[l], x[l+1], x[l+2], x[l+3]
		ys, xs := y[:l+4], x[:l+4]
		for f, q := range rows[:l+4] {
			a, b := ys[f], xs[f]
			r0[q] += v0*a - w0*b
			r1[q] += v1*a - w1*b
			r2[q] += v2*a - w2*b
			r3[q] += v3*a - w3*b
		}
	}
	for ; l < len(rows); l++ {
		i := int(rows[l]) * n
		row, v, w := to[i:i+n], y[l], x[l]
		ys, xs := y[:l+1], x[:l+1]
		for f, q := range rows[:l+1] {
			row[q] += v*ys[f] - w*xs[f]
		}
	}
}

// factor adds the diagonal and factorises. It reports whether a factor was
// found.
func (m *system) factor(diag []float64) bool {
	n := m.n
	for i, v := range diag {
		at := &m.matrix[i*n+i]
		if *at += v; !finite(*at) {
			return false
		}
	}
	for shift := 1e-15; shift < 1e-6; shift *= 100 {
		for i := range n {
			copy(m.lower[i*n:i*n+i+1], m.matrix[i*n:i*n+i+1])
			m.lower[i*n+i] += shift * m.matrix[i*n+i]
		}
		if cholesky(n, m.lower) {
			return true
		}
	}
	return false
}

// solve overwrites v with S^-1 v by the factor alone: the caller corrects the
// residual of the equations that matter. Rows are contiguous, so that the
// forward half takes dot products and the backward half adds multiples.
func (m *system) solve(v []float64) {
	n, l := m.n, m.lower
	x, row := blas64.Vector{Inc: 1}, blas64.Vector{Inc: 1}
	for i := range n {
		x.N, x.Data, row.N, row.Data = i, v[:i], i, l[i*n:i*n+i]
		v[i] = (v[i] - blas64.Dot(row, x)) / l[i*n+i]
	}
	for i := n - 1; i >= 0; i-- {
		v[i] /= l[i*n+i]
		x.N, x.Data, row.N, row.Data = i, v[:i], i, l[i*n:i*n+i]
		blas64.Axpy(-v[i], row, x)
	}
}
