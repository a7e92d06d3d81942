package optimum

import (
	"context"
	"math"

	"github.com/tacet-privacy/tacet/mechanism/interior"
)

// An elastic is the linear program behind flat mechanisms,
//
//	min  price * sum_i s_i - sum_j gain_j q_j   s.t.  B q + s = 1,  q, s >= 0
//	max  sum_i y_i   s.t.  B'y + d = -gain,  y + z = price,  d, z >= 0
//
// with B a 0/1 matrix: q asks for B q = 1 and s is what it falls short by. It
// has interior points on both sides, so a primal-dual interior-point method
// [Mehrotra 1992] needs no first phase, and s keeps the normal equations
// B (q/d) B' + diag(s/z) definite whatever the rank of B. Everything here is
// floating point: a proposal, which exact arithmetic judges afterwards.
type elastic struct {
	column [][]int32 // rows of each column, ascending
	rows   int
	gain   []float64 // nil for none, else at most 0
	price  float64

	q, d    []float64 // per column
	s, z, y []float64 // per row
}

// An outcome of an elastic program.
type outcome int

const (
	stalled    outcome = iota // neither; q is the last iterate
	solved                    // B q = 1 up to rounding, and q optimal
	impossible                // y proves that B q = 1 has no solution
)

// solve needs at least one row and one column, and no empty column.
func (e *elastic) solve(ctx context.Context) outcome {
	e.start()
	n, m := e.rows, len(e.column)
	f := interior.NewEquations(n)
	dq, dd, bq, by := make([]float64, m), make([]float64, m), make([]float64, m), make([]float64, m)
	ds, dz, dy, bs := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	short, rhs := make([]float64, n), make([]float64, n)
	best := math.Inf(1)
	for since := 0; since < 15 && ctx.Err() == nil; since++ {
		mu, shortfall, bound := e.status(short)
		if e.gain == nil && bound > 1e-7 {
			return impossible
		}
		if shortfall <= 1e-10*float64(n) && mu <= 1e-13*e.price {
			return solved
		}
		if mu < .9*best {
			best, since = mu, 0
		}
		if !f.Build(e.column, func(j int) float64 { return e.q[j] / e.d[j] },
			func(i int) float64 { return e.s[i] / e.z[i] }) {
			break
		}
		// direction solves the Newton system for the complementarity targets
		// bq (of q d) and bs (of s z).
		direction := func() {
			copy(rhs, short)
			for i := range rhs {
				rhs[i] -= bs[i] / e.z[i]
			}
			for j, rows := range e.column {
				for _, i := range rows {
					rhs[i] -= bq[j] / e.d[j]
				}
			}
			f.Solve(rhs, dy)
			e.transpose(dy, by)
			for j := range dq {
				dd[j] = -by[j]
				dq[j] = (bq[j] + e.q[j]*by[j]) / e.d[j]
			}
			for i := range ds {
				dz[i] = -dy[i]
				ds[i] = (bs[i] + e.s[i]*dy[i]) / e.z[i]
			}
		}
		for j := range bq {
			bq[j] = -e.q[j] * e.d[j]
		}
		for i := range bs {
			bs[i] = -e.s[i] * e.z[i]
		}
		direction()
		ap, ad := min(interior.Reach(e.q, dq), interior.Reach(e.s, ds)),
			min(interior.Reach(e.d, dd), interior.Reach(e.z, dz))
		after := 0.0
		for j := range dq {
			after += (e.q[j] + ap*dq[j]) * (e.d[j] + ad*dd[j])
		}
		for i := range ds {
			after += (e.s[i] + ap*ds[i]) * (e.z[i] + ad*dz[i])
		}
		sigma := after / (mu * float64(n+m))
		target := mu * sigma * sigma * sigma
		for j := range bq {
			bq[j] += target - dq[j]*dd[j]
		}
		for i := range bs {
			bs[i] += target - ds[i]*dz[i]
		}
		direction()
		ap = min(1, .995*min(interior.Reach(e.q, dq), interior.Reach(e.s, ds)))
		ad = min(1, .995*min(interior.Reach(e.d, dd), interior.Reach(e.z, dz)))
		interior.Step(e.q, ap, dq)
		interior.Step(e.s, ap, ds)
		interior.Step(e.y, ad, dy)
		e.duals()
	}
	if _, shortfall, _ := e.status(short); shortfall <= 1e-8*float64(n) {
		return solved
	}
	return stalled
}

// start is strictly inside both programs.
func (e *elastic) start() {
	n, m := e.rows, len(e.column)
	size := make([]int, n)
	for _, rows := range e.column {
		for _, i := range rows {
			size[i]++
		}
	}
	largest := 1
	for _, k := range size {
		largest = max(largest, k)
	}
	e.q, e.d = make([]float64, m), make([]float64, m)
	e.s, e.z, e.y = make([]float64, n), make([]float64, n), make([]float64, n)
	for j := range e.q {
		e.q[j] = .5 / float64(largest)
	}
	for i := range e.s {
		e.s[i] = 1 - .5*float64(size[i])/float64(largest)
		e.y[i] = -1 / float64(largest)
	}
	e.duals()
}

// duals keeps d and z exactly consistent with y, and positive.
func (e *elastic) duals() {
	e.transpose(e.y, e.d)
	for j := range e.d {
		g := 0.0
		if e.gain != nil {
			g = e.gain[j]
		}
		e.d[j] = max(-g-e.d[j], 1e-30)
	}
	for i := range e.z {
		e.z[i] = max(e.price-e.y[i], 1e-30)
	}
}

// status returns the mean complementarity, the total shortfall and the dual
// bound sum y, and fills short with 1 - B q - s.
func (e *elastic) status(short []float64) (mu, shortfall, bound float64) {
	for i := range short {
		short[i] = 1 - e.s[i]
		shortfall += e.s[i]
		bound += e.y[i]
		mu += e.s[i] * e.z[i]
	}
	for j, rows := range e.column {
		mu += e.q[j] * e.d[j]
		for _, i := range rows {
			short[i] -= e.q[j]
		}
	}
	return mu / float64(e.rows+len(e.column)), shortfall, bound
}

// transpose fills to with B'y.
func (e *elastic) transpose(y, to []float64) {
	for j, rows := range e.column {
		sum := 0.0
		for _, i := range rows {
			sum += y[i]
		}
		to[j] = sum
	}
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
	f := interior.NewEquations(e.rows)
	square := func(j int) float64 { return q[j] * q[j] }
	if !f.Build(e.column, square, func(int) float64 { return 1e-16 }) {
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
		f.Solve(short, y)
		e.transpose(y, by)
		for j := range q {
			if v := q[j] + square(j)*by[j]; v > 0 {
				q[j] = v
			}
		}
	}
	return q
}
