package interior

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// vectors says whether product may be called.
var vectors = instructions()

// panel is how many rows of a matrix stand side by side.
const panel = 8

// A panels is a matrix as product reads it: rows in panels of eight, each column by column.
type panels struct {
	cols int
	data []float64
}

// use makes room for a matrix of zeros.
func (p *panels) use(rows, cols int) {
	size := (rows + panel - 1) / panel * panel * cols
	if p.cols = cols; cap(p.data) < size {
		p.data = make([]float64, size)
		return
	}
	p.data = p.data[:size]
	clear(p.data)
}

// from is where row i begins in column k.
func (p *panels) from(i, k int) *float64 { return &p.data[(i/panel*p.cols+k)*panel+i%panel] }

// depth is how many columns are passed at once, so that the panels of both factors stay in
// the first cache, and tall how many rows, which stay in the second.
const (
	depth = 256
	tall  = 64
)

// dense reports whether columns have so many of the rows that products of whole rows take
// less time than those of the cells alone: at 1,000 letters from .4 of the rows on.
func (m *system) dense(column [][]int32, sets [][]int32) (cols int, ok bool) {
	pairs := 0.0
	for _, set := range sets {
		cols += len(set)
		for _, j := range set {
			pairs += float64(len(column[j])) * float64(len(column[j]))
		}
	}
	n := float64(m.n)
	return cols, vectors && m.n >= tall && pairs > 0.2*n*n*float64(cols)
}

// sumDense is sum by products of whole rows.
func (m *system) sumDense(cols int, column [][]int32, off []int, x, y []float64, sets [][]int32) {
	m.x.use(m.n, cols)
	m.y.use(m.n, cols)
	k := 0
	for _, set := range sets {
		for _, j := range set {
			for l, i := range column[j] {
				*m.x.from(int(i), k), *m.y.from(int(i), k) = x[off[j]+l], y[off[j]+l]
			}
			k++
		}
	}
	tiles := (m.n + tall - 1) / tall
	parallel(tiles, func(t int) {
		t = tiles - 1 - t // the longest rows first
		lo, hi := t*tall, min(m.n, (t+1)*tall)
		clear(m.matrix[lo*m.stride : min(m.stride, (t+1)*tall)*m.stride])
		for k := 0; k < cols; k += depth {
			deep := min(depth, cols-k)
			for j := 0; j < hi; j += panel {
				for i := max(lo, j); i < hi; i += panel / 2 {
					at := &m.matrix[i*m.stride+j]
					product(at, m.stride, m.y.from(i, k), m.y.from(j, k), deep, false)
					product(at, m.stride, m.x.from(i, k), m.x.from(j, k), deep, true)
				}
			}
		}
	})
}

// narrow is the width of the columns that choleskyDense finishes together.
const narrow = 32

// choleskyDense is cholesky by products of whole rows.
func (m *system) choleskyDense() bool {
	n, a := m.n, m.lower
	m.x.use(n, n) // the finished columns
	part := func(i, j, rows, cols int) blas64.General {
		return blas64.General{Rows: rows, Cols: cols, Stride: m.stride, Data: a[i*m.stride+j : (i+rows-1)*m.stride+j+cols]}
	}
	for j := 0; j < n; j += narrow {
		width := min(narrow, n-j)
		less := func(from, to int) {
			for i := from; i < to && j > 0; i += panel / 2 {
				for k := j; k < j+width && k <= i; k += panel {
					product(&a[i*m.stride+k], m.stride, m.x.from(i, 0), m.x.from(k, 0), j, true)
				}
			}
		}
		keep := func(from, to int) {
			for i := from; i < to; i++ {
				for k, v := range a[i*m.stride+j:][:width] {
					*m.x.from(i, j+k) = v
				}
			}
		}
		less(j, j+width)
		lower, ok := lapack64.Potrf(blas64.Symmetric{Uplo: blas.Lower, N: width, Stride: m.stride,
			Data: part(j, j, width, width).Data})
		if !ok {
			return false
		}
		keep(j, j+width)
		parallel((n-j-width+block-1)/block, func(t int) {
			from := j + width + t*block
			to := min(n, from+block)
			less(from, to)
			blas64.Trsm(blas.Right, blas.Trans, 1, lower, part(from, j, to-from, width))
			keep(from, to)
		})
	}
	return true
}
