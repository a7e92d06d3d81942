// Package normal solves the normal equations of interior-point methods on 0/1
// matrices, given by the rows of their columns, and says how far a step may go.
// Everything in it is floating point.
package normal

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// Equations are the normal equations B diag(w) B' + diag(own), as their Cholesky
// factor.
type Equations struct {
	scaled blas64.General
	matrix blas64.Symmetric
	lower  blas64.Triangular
}

// New has room for n rows and m columns.
func New(n, m int) *Equations {
	return &Equations{
		scaled: blas64.General{Rows: n, Cols: m, Stride: m, Data: make([]float64, n*m)},
		matrix: blas64.Symmetric{Uplo: blas.Lower, N: n, Stride: n, Data: make([]float64, n*n)},
	}
}

// Build factors them for the columns of B, of which the rows are listed. It reports whether it could.
func (f *Equations) Build(column [][]int32, w, own func(int) float64) bool {
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

// Solve fills to with the solution for rhs.
func (f *Equations) Solve(rhs, to []float64) {
	copy(to, rhs)
	v := blas64.Vector{N: len(to), Inc: 1, Data: to}
	blas64.Trsv(blas.NoTrans, f.lower, v)
	blas64.Trsv(blas.Trans, f.lower, v)
}

// Reach is the largest step along dv that keeps v non-negative.
func Reach(v, dv []float64) float64 {
	a := 1e3
	for i, d := range dv {
		if d < 0 {
			a = min(a, -v[i]/d)
		}
	}
	return a
}

// Step moves v by a times dv.
func Step(v []float64, a float64, dv []float64) {
	for i := range v {
		v[i] = v[i] + a*dv[i]
	}
}
