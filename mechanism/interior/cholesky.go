package interior

import (
	"cmp"
	"runtime"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// block is the width of the columns that cholesky finishes together.
const block = 64

// cholesky overwrites the lower triangle of the row-major n x n matrix a with its
// Cholesky factor. It reports whether a was positive definite. It goes
// through the blocks of columns from the left: what the finished columns take
// off a block is one product of long contiguous rows, and all rows below the
// diagonal block can do that, and their own substitution, at once.
func cholesky(n int, a []float64) bool {
	part := func(i, j, rows, cols int) blas64.General {
		return blas64.General{Rows: rows, Cols: cols, Stride: n, Data: a[i*n+j : (i+rows-1)*n+j+cols]}
	}
	for j := 0; j < n; j += block {
		width := min(block, n-j)
		done := part(j, 0, width, max(j, 1))
		if j > 0 {
			blas64.Gemm(blas.NoTrans, blas.Trans, -1, done, done, 1, part(j, j, width, width))
		}
		square := part(j, j, width, width)
		lower, ok := lapack64.Potrf(blas64.Symmetric{Uplo: blas.Lower, N: width, Stride: n, Data: square.Data})
		if !ok {
			return false
		}
		below := (n - j - width + block - 1) / block
		Parallel(0, below, func(k int) {
			i := j + width + k*block
			rows := min(block, n-i)
			to := part(i, j, rows, width)
			if j > 0 {
				blas64.Gemm(blas.NoTrans, blas.Trans, -1, part(i, 0, rows, j), done, 1, to)
			}
			blas64.Trsm(blas.Right, blas.Trans, 1, lower, to)
		})
	}
	return true
}

// Parallel runs f(0) to f(n-1), which must not depend on each other, on so many goroutines; 0
// means one per processor.
func Parallel(workers, n int, f func(k int)) {
	workers = min(n, cmp.Or(workers, runtime.GOMAXPROCS(0)))
	if workers < 2 {
		for k := range n {
			f(k)
		}
		return
	}
	var next atomic.Int64
	work := func() {
		for k := int(next.Add(1)) - 1; k < n; k = int(next.Add(1)) - 1 {
			f(k)
		}
	}
	var wg sync.WaitGroup
	for range workers - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
}
