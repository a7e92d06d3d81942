package several

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// A system is that of the rows of a program. Its memory serves all steps.
type system struct {
	sym   blas64.Symmetric  // upper triangle; overwritten by its factor
	kept  []float64         // the triangle before
	tri   blas64.Triangular // U with U'U = sym
	right []float64
	sum   []float64
}

func newSystem(n int) *system {
	s := &system{kept: make([]float64, n*n), right: make([]float64, n), sum: make([]float64, n)}
	s.sym = blas64.Symmetric{N: n, Stride: n, Data: make([]float64, n*n), Uplo: blas.Upper}
	return s
}

// solve overwrites v with the solution.
func (s *system) solve(v []float64) {
	n, u := s.tri.N, s.tri.Data
	for i := range v {
		row := u[i*n : (i+1)*n]
		v[i] /= row[i]
		at := v[i]
		rest := v[i+1:]
		for j, a := range row[i+1:] {
			rest[j] -= at * a
		}
	}
	for i := n - 1; i >= 0; i-- {
		row := u[i*n : (i+1)*n]
		sum := 0.0
		rest := v[i+1:]
		for j, a := range row[i+1:] {
			sum += a * rest[j]
		}
		v[i] = (v[i] - sum) / row[i]
	}
}

// factor forms and factorises the system of the rows: what is left of the
// Newton equations once every column is solved for its own unknowns.
func (b *program) factor(s *system) bool {
	n := len(b.letter)
	raw := s.sym
	clear(raw.Data)
	for _, c := range b.col {
		if c.level {
			q := c.u / c.du
			for f, i := range c.row {
				row := raw.Data[int(i)*raw.Stride:]
				for _, j := range c.row[f:] {
					row[j] += q
				}
			}
			continue
		}
		if !c.eliminate() {
			return false
		}
		// S = diag h - U K^-1 U', U_i = h_i a_i.
		for f, i := range c.row {
			row := raw.Data[int(i)*raw.Stride:]
			row[i] += c.h[f]
			sum := s.sum[:len(c.row)-f]
			clear(sum)
			for l, x := range c.x {
				by := x[f] / c.k.d[l]
				for e, v := range x[f:] {
					sum[e] += by * v
				}
			}
			for e, j := range c.row[f:] {
				row[j] -= sum[e]
			}
		}
	}
	for i := range n {
		at := &raw.Data[i*raw.Stride+i]
		if b.surplus {
			*at += b.e[i] / b.y[i]
		}
		if math.IsNaN(*at) || math.IsInf(*at, 0) {
			return false
		}
	}
	copy(s.kept, raw.Data)
	for shift := 1e-15; shift < 1e-6; shift *= 100 {
		for i := range n {
			s.kept[i*n+i] *= 1 + shift
		}
		copy(raw.Data, s.kept)
		var ok bool
		if s.tri, ok = lapack64.Potrf(raw); ok {
			return true
		}
	}
	return false
}

// eliminate factorises what the prices and caps of a column have among
// themselves, and fills in how the rows move with them.
func (c *column) eliminate() bool {
	pairs, k := len(c.pair), c.k
	for _, row := range k.at {
		clear(row)
	}
	for m := range c.pair {
		k.at[m][m] = c.w[m] / c.v[m]
		k.at[pairs+c.pair[m].class][m] = -1
	}
	for f := range c.row {
		c.g[f] = c.z[f] / c.s[f]
		dp := c.d[f] / c.p[f]
		c.h[f] = 1 / (dp + c.g[f])
		at := pairs + int(c.group[f])
		c.a[f][at] = c.g[f]
		for m := range pairs {
			v := c.h[f] * c.a[f][m]
			for l := range m + 1 {
				k.at[m][l] += v * c.a[f][l]
			}
			k.at[at][m] += v * c.g[f]
		}
		k.at[at][at] -= c.h[f] * c.g[f] * dp
	}
	if !k.factor() {
		return false
	}
	for f := range c.row {
		for l, v := range c.a[f] {
			c.scaled[l] = c.h[f] * v
		}
		k.forward(c.scaled)
		for l, v := range c.scaled {
			c.x[l][f] = v
		}
	}
	return true
}
