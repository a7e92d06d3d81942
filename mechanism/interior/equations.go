package interior

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// Equations are the normal equations B diag(w) B' + diag(own), as their Cholesky
// factor.
type Equations struct {
	matrix blas64.Symmetric
	lower  blas64.Triangular
}

// NewEquations has room for n rows.
func NewEquations(n int) *Equations {
	return &Equations{matrix: blas64.Symmetric{Uplo: blas.Lower, N: n, Stride: n, Data: make([]float64, n*n)}}
}

// Build factors them for the columns of B, of which the rows are listed in
// ascending order. It reports whether it could.
func (f *Equations) Build(column [][]int32, w, own func(int) float64) bool {
	n := f.matrix.N
	for ridge := 1e-15; ridge < 1e-6; ridge *= 100 {
		f.sum(column, w)
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

// sum forms the lower half of B diag(w) B' pair by pair: supports leave most
// pairs of letters out of most columns.
func (f *Equations) sum(column [][]int32, w func(int) float64) {
	n := f.matrix.N
	clear(f.matrix.Data)
	for j, rows := range column {
		w := w(j)
		for k, i := range rows {
			to := f.matrix.Data[int(i)*n:][:n]
			for _, l := range rows[:k+1] {
				to[l] += w
			}
		}
	}
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
