package baseline

import (
	"math"

	"github.com/tacet-privacy/tacet/mechanism/normal"
)

// solve proposes an optimal packing a of the rows and an optimal cover z
// by the outputs, by the primal-dual interior-point method [Mehrotra 1992] on
//
//	min  sum_j z_j   s.t.  B z - s = 1,   z, s >= 0
//	max  sum_i a_i   s.t.  B'a + d = 1,   a, d >= 0
//
// Large covers and small packings are strictly inside, so that it starts and
// stays feasible: s and d are always recomputed from z and a.
func (v *covering) solve() (a, z []float64) {
	n, m, column := len(v.row), len(v.output), v.column
	tallest := 0
	for _, rows := range column {
		tallest = max(tallest, len(rows))
	}
	a, z = make([]float64, n), make([]float64, m)
	s, d := make([]float64, n), make([]float64, m)
	for i := range a {
		a[i] = .5 / float64(tallest)
	}
	for j := range z {
		z[j] = 2
	}
	// slack sets s and d from z and a.
	slack := func() {
		for i := range s {
			s[i] = -1
		}
		for j, rows := range column {
			d[j] = 1
			for _, i := range rows {
				s[i] += z[j]
				d[j] -= a[i]
			}
			d[j] = math.Max(d[j], 1e-30)
		}
		for i := range s {
			s[i] = math.Max(s[i], 1e-30)
		}
	}
	da, ds, ba, rhs := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	dz, dd, bz := make([]float64, m), make([]float64, m), make([]float64, m)
	f := normal.New(n)
	// direction solves for the targets bz of z d and ba of a s.
	direction := func() {
		for i := range rhs {
			rhs[i] = ba[i] / a[i]
		}
		for j, rows := range column {
			for _, i := range rows {
				rhs[i] -= bz[j] / d[j]
			}
		}
		f.Solve(rhs, da)
		clear(ds)
		for j, rows := range column {
			sum := 0.0
			for _, i := range rows {
				sum += da[i]
			}
			dd[j] = -sum
			dz[j] = (bz[j] + z[j]*sum) / d[j]
			for _, i := range rows {
				ds[i] += dz[j]
			}
		}
	}
	slack()
	for range 60 {
		gap, size := 0.0, 0.0
		for j := range z {
			gap += z[j] * d[j]
			size += z[j]
		}
		for i := range a {
			gap += a[i] * s[i]
		}
		if !(gap > 1e-12*size) {
			break
		}
		if !f.Build(column, func(j int) float64 { return z[j] / d[j] }, func(i int) float64 { return s[i] / a[i] }) {
			break
		}
		for j := range bz {
			bz[j] = -z[j] * d[j]
		}
		for i := range ba {
			ba[i] = -a[i] * s[i]
		}
		direction()
		ap, ad := min(1, normal.Reach(z, dz), normal.Reach(s, ds)), min(1, normal.Reach(d, dd), normal.Reach(a, da))
		after := 0.0
		for j := range z {
			after += (z[j] + ap*dz[j]) * (d[j] + ad*dd[j])
		}
		for i := range a {
			after += (a[i] + ad*da[i]) * (s[i] + ap*ds[i])
		}
		sigma := after / gap
		target := gap / float64(n+m) * sigma * sigma * sigma
		for j := range bz {
			bz[j] += target - dz[j]*dd[j]
		}
		for i := range ba {
			ba[i] += target - da[i]*ds[i]
		}
		direction()
		normal.Step(z, min(1, .99*min(normal.Reach(z, dz), normal.Reach(s, ds))), dz)
		normal.Step(a, min(1, .99*min(normal.Reach(a, da), normal.Reach(d, dd))), da)
		slack()
	}
	return a, z
}
