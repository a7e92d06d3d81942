package interior

import (
	"math"
	"slices"
	"sync"
)

// A scaled is a method for supports that are too large for Newton's: many letters,
// few cells each. At a fixed t it looks for the point of the program nearest to given
// weights g_ij in relative entropy, by exact ascent on the dual in turn over rows and
// over columns [Dykstra's method with Bregman projections]. Rows are scaled by e^{a_i},
// so that they sum to 1. A column is then projected onto {v : v_i <= t P.v}, which has a
// closed form: with z_i = g_ij e^{a_i} it is v_i = up min(z_i, cut), where
//
//	sum P_i min(z_i, cut) = cut/t,  log up = t sum P_i log(z_i/cut) over z_i > cut,
//
// or up = 1 where no v_i exceeds the limit by itself,
// and cut is found by Newton's method, from above. Nothing but a is kept from pass to
// pass. Where t is below the least factor the dual has no end, and its direction proves
// that.
type scaled struct {
	Problem
	t      float64
	mass   []float64
	gain   [][]float32 // log g_ij by column; nil for g = 1
	a      []float64   // logarithms, the largest 0
	z      []float64   // e^a
	cut    []float64   // by column
	up     []float64   // by column; 0 where the column cannot be used
	sum    []float64   // of the rows
	half   [2][]float64
	column [2]columnOf
}

// lowest bounds how far apart logarithms of row scales may be.
const lowest = -600

func newScaled(pr Problem) *scaled {
	n, m := len(pr.Prob), len(pr.Column)
	s := &scaled{Problem: pr, mass: pr.masses(), a: make([]float64, n), z: make([]float64, n),
		cut: make([]float64, m), up: make([]float64, m), sum: make([]float64, n)}
	longest := 0
	for _, rows := range pr.Column {
		longest = max(longest, len(rows))
	}
	for h := range s.half {
		s.half[h], s.column[h] = make([]float64, n), newColumnOf(longest)
	}
	return s
}

// pass projects every column and sums the rows, in two halves that are added in one
// order.
func (s *scaled) pass() {
	for i, v := range s.a {
		s.z[i] = math.Exp(v)
	}
	s.inHalves(func(h, from, to int) {
		clear(s.half[h])
		for j := from; j < to; j++ {
			s.project(j, h)
		}
	})
	for i := range s.sum {
		s.sum[i] = s.half[0][i] + s.half[1][i]
	}
}

// inHalves is f for the columns from and below to, at once.
func (s *scaled) inHalves(f func(h, from, to int)) {
	var wait sync.WaitGroup
	middle := len(s.Column) / 2
	wait.Go(func() { f(0, 0, middle) })
	f(1, middle, len(s.Column))
	wait.Wait()
}

// project finds cut and up of column j, and adds its cells to half h of the sums.
func (s *scaled) project(j, h int) {
	rows := s.Column[j]
	if s.t*s.mass[j] < 1-flatness {
		s.up[j] = 0
		return
	}
	b := &s.column[h]
	most := b.take(s, j)
	cut, up := most, 1.0
	switch {
	case s.t*s.mass[j] <= 1+flatness: // one height, the geometric mean
		cut = slices.Min(b.z)
		up = math.Exp(min((b.pll-b.mass*math.Log(cut))/b.mass, -lowest/2))
	case most > s.t*b.all:
		near := s.cut[j]
		if !(near > 0 && near < most) {
			near = most
		}
		var log float64
		cut, log = b.level(1/s.t, near, most)
		up = math.Exp(min(s.t*log, -lowest/2))
	}
	s.cut[j], s.up[j] = cut, up
	sum := s.half[h]
	for k, i := range rows {
		sum[i] += up * min(b.z[k], cut)
	}
}

// A columnOf is what is looked at of one column: z, P, P z and P log z of its cells.
type columnOf struct {
	z, p, pz, pl   []float64
	mass, all, pll float64 // sums of p, pz and pl
}

func newColumnOf(cells int) columnOf {
	return columnOf{z: make([]float64, cells), p: make([]float64, cells), pz: make([]float64, cells),
		pl: make([]float64, cells)}
}

// take fills in column j, and says the largest z.
func (b *columnOf) take(s *scaled, j int) (most float64) {
	rows := s.Column[j]
	b.z, b.p, b.pz, b.pl = b.z[:len(rows)], b.p[:len(rows)], b.pz[:len(rows)], b.pl[:len(rows)]
	b.mass, b.all, b.pll = 0, 0, 0
	for k, i := range rows {
		z, log, p := s.z[i], s.a[i], s.Prob[i]
		if s.gain != nil {
			g := float64(s.gain[j][k])
			z, log = z*math.Exp(g), log+g
		}
		pz, pl := p*z, p*log
		b.z[k], b.p[k], b.pz[k], b.pl[k] = z, p, pz, pl
		most = max(most, z)
		b.mass += p
		b.all += pz
		b.pll += pl
	}
	return most
}

// level is the positive root of sum P min(z, r) = share r, which is concave in r, and
// sum P log(z/r) over z > r. The mass of the column is above share, and the root below
// most, the largest z. near is a guess.
func (b *columnOf) level(share, near, most float64) (root, log float64) {
	r := near
	for step := range 60 {
		bits := int64(math.Float64bits(r))
		p, pz, pl := 0.0, 0.0, 0.0 // of what is below r
		for k, v := range b.z {
			// Without a branch, which would often be guessed wrong: positive floats are
			// in the order of their bits.
			mask := uint64((int64(math.Float64bits(v)) - bits) >> 63)
			p += math.Float64frombits(math.Float64bits(b.p[k]) & mask)
			pz += math.Float64frombits(math.Float64bits(b.pz[k]) & mask)
			pl += math.Float64frombits(math.Float64bits(b.pl[k]) & mask)
		}
		above := b.mass - p
		if above >= share && r < most {
			r = most
			continue
		}
		root, log = r, b.pll-pl-above*math.Log(r)
		next := min(pz/(share-above), most)
		if !(next > 0) || step > 0 && !(next < r*(1-1e-12)) {
			break
		}
		r = next
	}
	return root, max(log, 0)
}

// cell is p_ij before its row is divided by its sum, for the k-th row of column j.
func (s *scaled) cell(j, k int) float64 {
	v := s.z[s.Column[j][k]]
	if s.gain != nil {
		v *= math.Exp(float64(s.gain[j][k]))
	}
	return s.up[j] * min(v, s.cut[j])
}

// faint is the output probability below which a column is left out: it is a trace of
// what the method has not finished to remove.
const faint = 1e-13

// reached is the factor once rows are divided by their sums; infinite where one has no
// cell that can be used.
func (s *scaled) reached() float64 {
	for _, v := range s.sum {
		if !(v > 0) {
			return math.Inf(1)
		}
	}
	var most [2]float64
	s.inHalves(func(h, from, to int) {
		for j := from; j < to; j++ {
			if s.up[j] == 0 {
				continue
			}
			q, peak := 0.0, 0.0
			for k, i := range s.Column[j] {
				v := s.cell(j, k) / s.sum[i]
				q += s.Prob[i] * v
				peak = max(peak, v)
			}
			if !(q <= faint) {
				most[h] = max(most[h], peak/q)
			}
		}
	})
	return max(most[0], most[1])
}

// move takes other row scales.
func (s *scaled) move(a []float64) {
	top := math.Inf(-1)
	for _, v := range a {
		top = max(top, v)
	}
	for i, v := range a {
		s.a[i] = max(v-top, lowest)
	}
}

// table is the columns of the mechanism; nil for one that is not used.
func (s *scaled) table() [][]float64 {
	p := make([][]float64, len(s.Column))
	for j, rows := range s.Column {
		if s.up[j] == 0 {
			continue
		}
		q := 0.0
		cell := make([]float64, len(rows))
		for k, i := range rows {
			cell[k] = s.cell(j, k) / s.sum[i]
			q += s.Prob[i] * cell[k]
		}
		if !(q <= faint) {
			p[j] = cell
		}
	}
	return p
}
