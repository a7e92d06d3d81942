package interior

import "sync"

// flatness is how close t P(S_j) is to 1 for a column treated as flat.
const flatness = 1e-9

// An iterate holds the point, the direction and the scratch of one run. Cell
// arrays run over all columns, live or not; column j begins at off[j].
type iterate struct {
	Problem
	n       int
	off     []int
	mass    []float64
	t       float64
	surplus bool // e is a variable (Least)
	quota   *quota

	live, flat []int32 // columns in use, ascending
	half       int     // live[:half] and live[half:] have about equally many cells

	cost, p, s, d, z []float64 // per cell
	u, nu            []float64 // per column; a flat column has u and the reduced cost nu
	y, e             []float64 // per row

	ip, is, h, g []float64 // per cell: 1/p, 1/s and the scaling
	r, xd, sz    []float64 // per cell: right side, complementarity targets
	ux           []float64 // per column: target of u D (flat)
	ey           []float64 // per row: target of e y
	a, b, c, det []float64 // per column
	k1, k2       []float64
	way          direction

	rp, rhs, res []float64    // per row
	part         [2][]float64 // per row, one per half
	sys          system
}

// A direction is a step in every variable.
type direction struct {
	p, s, d, z []float64
	u, nu      []float64
	y, e       []float64
	theta      float64 // of a quota
}

func newIterate(pr Problem, surplus bool) *iterate {
	it := &iterate{Problem: pr, n: len(pr.Prob), surplus: surplus, mass: pr.masses()}
	cells := 0
	it.off = make([]int, len(pr.Column)+1)
	for j, rows := range pr.Column {
		it.off[j] = cells
		cells += len(rows)
	}
	it.off[len(pr.Column)] = cells
	for _, v := range []*[]float64{&it.cost, &it.p, &it.s, &it.d, &it.z, &it.ip, &it.is, &it.h, &it.g, &it.r, &it.xd,
		&it.sz, &it.way.p, &it.way.s, &it.way.d, &it.way.z} {
		*v = make([]float64, cells)
	}
	for _, v := range []*[]float64{&it.u, &it.nu, &it.ux, &it.a, &it.b, &it.c, &it.det, &it.k1, &it.k2,
		&it.way.u, &it.way.nu} {
		*v = make([]float64, len(pr.Column))
	}
	for _, v := range []*[]float64{&it.y, &it.e, &it.ey, &it.rp, &it.rhs, &it.res, &it.part[0], &it.part[1],
		&it.way.y, &it.way.e} {
		*v = make([]float64, it.n)
	}
	it.sys.init(it.n)
	return it
}

// use sets the columns in use.
func (it *iterate) use(live, flat []int32) {
	it.live, it.flat = live, flat
	total := 0
	for _, j := range live {
		total += len(it.Column[j])
	}
	seen := 0
	for it.half = 0; it.half < len(live) && 2*seen < total; it.half++ {
		seen += len(it.Column[live[it.half]])
	}
}

// sets are the columns in use, live and flat.
func (it *iterate) sets() [2][]int32 { return [2][]int32{it.live, it.flat} }

// halves runs f on both halves of the live columns, each with its own row
// array, cleared, and returns when both are done.
func (it *iterate) halves(f func(part int, cols []int32, row []float64)) {
	clear(it.part[0])
	clear(it.part[1])
	if it.off[len(it.Column)] < 4096 {
		f(0, it.live[:it.half], it.part[0])
		f(1, it.live[it.half:], it.part[1])
		return
	}
	var wg sync.WaitGroup
	wg.Go(func() { f(1, it.live[it.half:], it.part[1]) })
	f(0, it.live[:it.half], it.part[0])
	wg.Wait()
}

// sums fills row with sum_j p_ij over the columns in use.
func (it *iterate) sums(row []float64) {
	it.halves(func(_ int, cols []int32, sum []float64) {
		for _, j := range cols {
			for k, i := range it.Column[j] {
				sum[i] += it.p[it.off[j]+k]
			}
		}
	})
	for i := range row {
		row[i] = it.part[0][i] + it.part[1][i]
	}
	for _, j := range it.flat {
		for _, i := range it.Column[j] {
			row[i] += it.u[j]
		}
	}
}

// measure returns mu and the largest row residual |1 + e - sum p|, which it leaves in rp.
func (it *iterate) measure() (mu, rowResidual float64) {
	it.sums(it.rp)
	for i, sum := range it.rp {
		it.rp[i] = 1 + it.e[i] - sum
		rowResidual = max(rowResidual, it.rp[i], -it.rp[i])
	}
	return it.mean(0, 0), rowResidual
}
