package several

import "math"

// An ldl factorises a small symmetric matrix as L D L' without pivoting, which
// serves where it is positive definite first and negative definite then. Its
// lower triangle is in at.
type ldl struct {
	at [][]float64
	d  []float64
}

func newLDL(n int) *ldl {
	k := &ldl{at: make([][]float64, n), d: make([]float64, n)}
	for i := range k.at {
		k.at[i] = make([]float64, i+1)
	}
	return k
}

// factor reports whether no pivot was 0.
func (k *ldl) factor() bool {
	for j := range k.d {
		d := k.at[j][j]
		for l := range j {
			d -= k.at[j][l] * k.at[j][l] * k.d[l]
		}
		if k.d[j] = d; d == 0 || math.IsNaN(d) || math.IsInf(d, 0) {
			return false
		}
		for i := j + 1; i < len(k.d); i++ {
			v := k.at[i][j]
			for l := range j {
				v -= k.at[i][l] * k.at[j][l] * k.d[l]
			}
			k.at[i][j] = v / d
		}
	}
	return true
}

// forward overwrites v with L^-1 v.
func (k *ldl) forward(v []float64) {
	for i := range v {
		for l := range i {
			v[i] -= k.at[i][l] * v[l]
		}
	}
}

// solve overwrites v with the solution.
func (k *ldl) solve(v []float64) {
	k.forward(v)
	for i := range v {
		v[i] /= k.d[i]
	}
	for i := len(v) - 1; i >= 0; i-- {
		for l := i + 1; l < len(v); l++ {
			v[i] -= k.at[l][i] * v[l]
		}
	}
}
