// Package several finds the best mechanisms of a support that keep a factor
// under several priors at once: p_xy <= t q^k_y for every prior k and every
// letter x that is possible under it, q^k being the output law under k. A
// declared prior and the file's own histogram are two; the strata of a shared
// mechanism are many.
//
// Least and Largest do what those of package optimum do under one prior. Both begin
// with package optimum: the least factor under one of the priors is a lower bound
// under all, and a mechanism that is best under one and within the factor under the
// others is best. Only where no mechanism is both does a program of this package
// decide. The program proposes in floats; every mechanism is measured, and every bound
// proven, in integers.
package several

import (
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
)

// A task is a support with the priors under which factors are counted.
type task struct {
	support *mechanism.Support
	prior   []mechanism.Prior
	letter  []int       // those with records under some prior, ascending
	chance  [][]float64 // by prior and place in letter: P^k_x
	count   [][]int64   // the same as counts
	column  [][]int32   // S_y as places in letter, ascending
	class   []int32     // by place in letter: which priors it is possible under
	under   [][]int     // by class: these priors, ascending
}

func newTask(p mechanism.Prior, also []mechanism.Prior, s *mechanism.Support) *task {
	t := &task{support: s, column: make([][]int32, s.Outputs())}
	for _, q := range append([]mechanism.Prior{p}, also...) {
		if q.Letters() != s.Inputs() {
			panic("mechanism: prior and support differ in letters")
		}
		if q.Total() > 0 {
			t.prior = append(t.prior, q)
		}
	}
	t.chance, t.count = make([][]float64, len(t.prior)), make([][]int64, len(t.prior))
	known := make(map[string]int32)
	mask := make([]byte, len(t.prior))
	var row []uint16
	for x := range s.Inputs() {
		var under []int
		for k, q := range t.prior {
			if mask[k] = 0; q.Count(x) > 0 {
				mask[k] = 1
				under = append(under, k)
			}
		}
		if under == nil {
			continue
		}
		row = s.AppendRow(row[:0], x)
		for _, y := range row {
			t.column[y] = append(t.column[y], int32(len(t.letter)))
		}
		c, ok := known[string(mask)]
		if !ok {
			c = int32(len(t.under))
			known[string(mask)] = c
			t.under = append(t.under, under)
		}
		t.letter, t.class = append(t.letter, x), append(t.class, c)
		for k, q := range t.prior {
			t.count[k] = append(t.count[k], q.Count(x))
			t.chance[k] = append(t.chance[k], float64(q.Count(x))/float64(q.Total()))
		}
	}
	return t
}

// A stage takes letters out of a column: under a prior that has them all
// their mass is too little for the factor, so that none of them can use it.
type stage struct {
	prior int
	row   []int32
}

// live are the letters that may give output y within factor t, and what is
// taken out before. level is the prior under which just their whole mass will
// do, so that they all give y alike, -1 where there is none; it is set only
// where that binds all of them.
func (t *task) live(y int, f *big.Rat) (rows []int32, out []stage, level int) {
	rows, level = t.column[y], -1
again:
	for k, q := range t.prior {
		mass := int64(0)
		for _, i := range rows {
			mass += t.count[k][i]
		}
		if mass == 0 {
			continue
		}
		left := new(big.Int).Mul(f.Num(), big.NewInt(mass))
		switch left.Cmp(new(big.Int).Mul(f.Denom(), big.NewInt(q.Total()))) {
		case 0:
			if !slices.ContainsFunc(rows, func(i int32) bool { return t.count[k][i] == 0 }) {
				level = k
			}
		case -1:
			s := stage{prior: k}
			var rest []int32
			for _, i := range rows {
				if t.count[k][i] > 0 {
					s.row = append(s.row, i)
				} else {
					rest = append(rest, i)
				}
			}
			rows, out, level = rest, append(out, s), -1
			goto again
		}
	}
	return rows, out, level
}

// A pair is a class of letters with one of its priors.
type pair struct{ class, prior int }

// A column is what a program knows of one output.
type column struct {
	output int
	row    []int32   // places in letter
	group  []int32   // of each row: its place in classes
	number int       // of classes
	pair   []pair    // class is the place in classes
	class  []int32   // the classes that occur
	cost   []float64 // of each row
	level  bool

	p, s, d, z   []float64 // by row; s is what p is short of r, z its price
	r            []float64 // by class: the least of t q^k
	w, v         []float64 // by pair; w is what r is short of t q^k, v its price
	u, du        float64   // where level: all p, and its reduced cost
	g, h         []float64
	rc, rd       []float64
	rm, rg       []float64
	a            [][]float64 // by row: how it moves with prices and caps
	k            *ldl
	base, theta  []float64
	x            [][]float64 // by price and cap, and row: L^-1 of how the row moves with them
	scaled       []float64
	dp, ds       []float64
	dd, dz       []float64
	dr, dw, dv   []float64
	xd, sz, wv   []float64
	rest         []float64
	base1, ux    float64
	stepu, stepd float64
}

// A program is one linear program: the least cost sum_j sum_i c_ij p_ij over
// p >= 0 with p_ij <= r_j(class of i), r_j(class) <= t sum_i P^k_i p_ij for the
// priors k of the class, and rows that sum to 1, or where surplus to 1 and more.
type program struct {
	*task
	t       float64
	surplus bool
	col     []*column

	y, e  []float64 // by letter: price and surplus
	ry    []float64
	dy    []float64
	de    []float64
	ey    []float64
	total int     // of complementary pairs
	unit  float64 // of the costs
}

// newProgram takes the columns that are live at f; cost fills in what a cell
// costs. It is nil where a letter has no output left.
func (t *task) newProgram(at float64, f *big.Rat, surplus bool, cost func(i int32, y int) float64) *program {
	b := &program{task: t, t: at, surplus: surplus}
	served := make([]bool, len(t.letter))
	for y := range t.column {
		rows, _, level := t.live(y, f)
		if len(rows) == 0 {
			continue
		}
		c := &column{output: y, row: rows, level: level >= 0}
		place := make(map[int32]int32)
		for _, i := range rows {
			served[i] = true
			g, ok := place[t.class[i]]
			if !ok {
				g = int32(len(c.class))
				place[t.class[i]] = g
				c.class = append(c.class, t.class[i])
				for _, k := range t.under[t.class[i]] {
					c.pair = append(c.pair, pair{int(g), k})
				}
			}
			c.group = append(c.group, g)
			c.cost = append(c.cost, cost(i, y))
		}
		c.number = len(c.class)
		b.col = append(b.col, c)
	}
	if slices.Contains(served, false) {
		return nil
	}
	scale, cells := 0.0, 0.0
	for _, c := range b.col {
		for _, v := range c.cost {
			scale += math.Abs(v)
			cells++
		}
	}
	if scale /= cells; scale > 0 {
		for _, c := range b.col {
			for k := range c.cost {
				c.cost[k] /= scale
			}
		}
	} else {
		scale = 1
	}
	b.unit = scale
	return b
}
