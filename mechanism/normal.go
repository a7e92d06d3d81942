package mechanism

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// A normal is the Cholesky factor of the normal equations.
type normal struct {
	scaled blas64.General
	matrix blas64.Symmetric
	lower  blas64.Triangular
}

func newNormal(n, m int) *normal {
	return &normal{
		scaled: blas64.General{Rows: n, Cols: m, Stride: m, Data: make([]float64, n*m)},
		matrix: blas64.Symmetric{Uplo: blas.Lower, N: n, Stride: n, Data: make([]float64, n*n)},
	}
}

// build factors B diag(w) B' + diag(own). It reports whether it could.
func (f *normal) build(column [][]int32, w, own func(int) float64) bool {
	n := f.matrix.N
	clear(f.scaled.Data)
	for j, rows := range column {
		w := math.Sqrt(w(j))
		for _, i := range rows {
			f.scaled.Data[int(i)*f.scaled.Stride+j] = w
		}
	}
	for ridge := 1e-15; ridge < 1e-6; ridge *= 100 {
		blas64.Syrk(blas.NoTrans, 1, f.scaled, 0, f.matrix)
		for i := range n {
			at := &f.matrix.Data[i*n+i]
			*at += own(i) + ridge**at
		}
		lower, ok := lapack64.Potrf(f.matrix)
		if ok {
			f.lower = lower
			return true
		}
	}
	return false
}

func (f *normal) solve(rhs, to []float64) {
	copy(to, rhs)
	v := blas64.Vector{N: len(to), Inc: 1, Data: to}
	blas64.Trsv(blas.NoTrans, f.lower, v)
	blas64.Trsv(blas.Trans, f.lower, v)
}

// polish cuts what is negligible off q and corrects the rest, by least
// squares relative to its size, until B q = 1 up to a few roundings.
func (e *elastic) polish() []float64 {
	const negligible = 1e-9
	q := append([]float64(nil), e.q...)
	for j := range q {
		if q[j] < negligible {
			q[j] = 0
		}
	}
	f := newNormal(e.rows, len(q))
	square := func(j int) float64 { return q[j] * q[j] }
	if !f.build(e.column, square, func(int) float64 { return 1e-16 }) {
		return q
	}
	short, y, by := make([]float64, e.rows), make([]float64, e.rows), make([]float64, len(q))
	for range 4 {
		for i := range short {
			short[i] = 1
		}
		for j, rows := range e.column {
			for _, i := range rows {
				short[i] -= q[j]
			}
		}
		f.solve(short, y)
		e.transpose(y, by)
		for j := range q {
			if v := q[j] + square(j)*by[j]; v > 0 {
				q[j] = v
			}
		}
	}
	return q
}
