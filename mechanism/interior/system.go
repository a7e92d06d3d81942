package interior

import (
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// A system is the symmetric N x N matrix S of one step and its Cholesky
// factor. Columns are added either one by one, when they are short, or as two
// dense N x L matrices X and Y.
type system struct {
	n, width int
	dense    bool
	x, y     []float64 // dense: N x width, row-major
	half     [2][]float64
	tri      blas64.Triangular
	tmp      []float64
}

// sparseWork is the cost of one scattered update against one of the dense
// kernel, measured on amd64.
const sparseWork = 3

func (m *system) init(n int) {
	m.n = n
	m.half[0], m.half[1] = make([]float64, n*n), make([]float64, n*n)
	m.tmp = make([]float64, n)
}

// reset chooses the way for a set of columns.
func (m *system) reset(cells, squares, columns int) {
	m.width = columns
	m.dense = sparseWork*squares > m.n*m.n*columns && cells > 0
	if !m.dense {
		return
	}
	if k := m.n * columns; cap(m.x) < k {
		m.x, m.y = make([]float64, k), make([]float64, k)
	} else {
		m.x, m.y = m.x[:k], m.y[:k]
		clear(m.x)
		clear(m.y)
	}
}

// begin clears what add accumulates into.
func (m *system) begin() {
	if !m.dense {
		clear(m.half[0])
		clear(m.half[1])
	}
}

// add puts in column number k, -xx' + yy' on rows; x may be nil. Two
// goroutines may add with different parts.
func (m *system) add(part, k int, rows []int32, x, y []float64) {
	if m.dense {
		for l, i := range rows {
			o := int(i)*m.width + k
			if x != nil {
				m.x[o] = x[l]
			}
			m.y[o] = y[l]
		}
		return
	}
	to := m.half[part]
	if x == nil {
		for l, i := range rows {
			row, v := to[int(i)*m.n:int(i)*m.n+m.n], y[l]
			for f, q := range rows[:l+1] {
				row[q] += v * y[f]
			}
		}
		return
	}
	for l, i := range rows {
		row, v, w := to[int(i)*m.n:int(i)*m.n+m.n], y[l], x[l]
		ys, xs := y[:l+1], x[:l+1]
		for f, q := range rows[:l+1] {
			row[q] += v*ys[f] - w*xs[f]
		}
	}
}

// factor adds the diagonal and factorises; half[0] keeps S, half[1] its
// factor. It reports whether a factor was found.
func (m *system) factor(diag []float64) bool {
	n := m.n
	if m.dense {
		product := func(a, to []float64) {
			blas64.Syrk(blas.NoTrans, 1, blas64.General{Rows: n, Cols: m.width, Stride: m.width, Data: a}, 0,
				blas64.Symmetric{N: n, Stride: n, Data: to, Uplo: blas.Lower})
		}
		var wg sync.WaitGroup
		wg.Go(func() { product(m.x, m.half[0]) })
		product(m.y, m.half[1])
		wg.Wait()
	}
	for i := range n {
		a, b := m.half[0][i*n:i*n+i+1], m.half[1][i*n:i*n+i+1]
		if m.dense {
			for k, v := range b {
				a[k] = v - a[k]
			}
		} else {
			for k, v := range b {
				a[k] += v
			}
		}
		a[i] += diag[i]
		if !finite(a[i]) {
			return false
		}
	}
	for shift := 1e-15; shift < 1e-6; shift *= 100 {
		for i := range n {
			copy(m.half[1][i*n:i*n+i+1], m.half[0][i*n:i*n+i+1])
			m.half[1][i*n+i] += shift * m.half[0][i*n+i]
		}
		var ok bool
		m.tri, ok = lapack64.Potrf(blas64.Symmetric{N: n, Stride: n, Data: m.half[1], Uplo: blas.Lower})
		if ok {
			return true
		}
	}
	return false
}

// solve overwrites v with S^-1 v, refined twice on S.
func (m *system) solve(v, rhs []float64) {
	copy(rhs, v)
	m.triangular(v)
	s := blas64.Symmetric{N: m.n, Stride: m.n, Data: m.half[0], Uplo: blas.Lower}
	for range 2 {
		copy(m.tmp, rhs)
		blas64.Symv(-1, s, blas64.Vector{N: m.n, Inc: 1, Data: v}, 1, blas64.Vector{N: m.n, Inc: 1, Data: m.tmp})
		m.triangular(m.tmp)
		for i, d := range m.tmp {
			v[i] += d
		}
	}
}

func (m *system) triangular(v []float64) {
	x := blas64.Vector{N: m.n, Inc: 1, Data: v}
	blas64.Trsv(blas.NoTrans, m.tri, x)
	blas64.Trsv(blas.Trans, m.tri, x)
}
