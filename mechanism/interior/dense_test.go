package interior

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestDense: products of whole rows give the matrix and the factor that those of cells
// give, whatever the number of letters.
func TestDense(t *testing.T) {
	if !vectors {
		t.Skip("the processor has no AVX2 and FMA")
	}
	for _, n := range []int{64, 65, 71, 72, 97, 130, 263} {
		r := rand.New(rand.NewPCG(1, uint64(n)))
		pr := random(dirichlet(n, r), n/2, r)
		it := newIterate(pr, true)
		var sets [2][]int32
		for j := range pr.Column {
			sets[j%2] = append(sets[j%2], int32(j))
		}
		x, y := it.p, it.s
		for k := range x {
			x[k], y[k] = r.Float64()/10, r.NormFloat64()
		}
		var one, other system
		one.init(n)
		other.init(n)
		cols, ok := one.dense(pr.Column, sets[:])
		if !ok {
			t.Fatalf("%d letters: cells are preferred", n)
		}
		diag := make([]float64, n)
		for i := range diag {
			diag[i] = float64(n) * (1 + r.Float64())
		}
		for range 2 { // the second time the room is used again
			one.sumDense(cols, pr.Column, it.off, x, y, sets[:])
			other.sumCells(pr.Column, it.off, x, y, sets[:])
			compare(t, "sum", n, one.stride, one.matrix, other.matrix)
			for i := range diag {
				one.matrix[i*one.stride+i] += diag[i]
			}
			copy(one.lower, one.matrix)
			copy(other.lower, one.matrix)
			if !one.choleskyDense() || !cholesky(n, other.stride, other.lower) {
				t.Fatalf("%d letters: no factor", n)
			}
			compare(t, "factor", n, one.stride, one.lower, other.lower)
		}
		one.lower[(n-1)*one.stride+n-1] = -1e9
		if one.choleskyDense() {
			t.Errorf("%d letters: a factor of a matrix that is not positive definite", n)
		}
	}
}

func compare(t *testing.T, what string, n, stride int, got, want []float64) {
	t.Helper()
	for i := range n {
		for j := range i + 1 {
			if a, b := got[i*stride+j], want[i*stride+j]; !(math.Abs(a-b) <= 1e-11*(1+math.Abs(b))) {
				t.Fatalf("%s of %d letters: place %d, %d is %v, not %v", what, n, i, j, a, b)
			}
		}
	}
}

// BenchmarkSystem times a step's matrix and its factor, 1,000 letters at half of all cells.
func BenchmarkSystem(b *testing.B) {
	const n = 1000
	r := rand.New(rand.NewPCG(1, n))
	for _, share := range []int{2, 3, 4} {
		pr := random(dirichlet(n, r), n/share, r)
		it := newIterate(pr, true)
		var all []int32
		for j := range pr.Column {
			all = append(all, int32(j))
		}
		for k := range it.p {
			it.p[k], it.s[k] = r.Float64()/10, r.NormFloat64()
		}
		var m system
		m.init(n)
		sets := [][]int32{all}
		b.Run("cells", func(b *testing.B) {
			for b.Loop() {
				m.sumCells(pr.Column, it.off, it.p, it.s, sets)
			}
		})
		b.Run("rows", func(b *testing.B) {
			for b.Loop() {
				m.sumDense(n, pr.Column, it.off, it.p, it.s, sets)
			}
		})
		for i := range n {
			m.matrix[i*m.stride+i] += n
		}
		b.Run("factor-gonum", func(b *testing.B) {
			for b.Loop() {
				copy(m.lower, m.matrix)
				cholesky(n, m.stride, m.lower)
			}
		})
		b.Run("factor", func(b *testing.B) {
			for b.Loop() {
				copy(m.lower, m.matrix)
				m.choleskyDense()
			}
		})
	}
}
