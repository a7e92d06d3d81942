package series

import (
	"math"

	"github.com/tacet-privacy/tacet/mechanism"
)

// A program is sum over a of old(a|x) W(b|a) = next(b|x) for every letter x and
// output b, and sum over b of W(b|a) = 1, in the cells (a,b) that may be used:
// those where every letter that gives a allows b.
type program struct {
	outputs  int      // of old
	variable [][2]int // (a, b), ascending
	entry    [][]term // by variable
	rhs      []float64
}

type term struct {
	row   int
	value float64
}

// lay writes the program down; nil where an output of old can become nothing.
func lay(old, next *mechanism.Mechanism) *program {
	p := &program{outputs: old.Outputs()}
	from := make([][]term, old.Outputs()) // letters that give a, and how often
	for x := range old.Inputs() {
		r := old.Row(x)
		for i, a := range r.Output {
			from[a] = append(from[a], term{x, float64(r.At(i)) / float64(r.Total)})
		}
	}
	row := make(map[[2]int]int)
	for x := range next.Inputs() {
		r := next.Row(x)
		for i, b := range r.Output {
			row[[2]int{x, int(b)}] = len(p.rhs)
			p.rhs = append(p.rhs, float64(r.At(i))/float64(r.Total))
		}
	}
	for a, givers := range from {
		whole := len(p.rhs)
		p.rhs = append(p.rhs, 1)
		room := false
		for b := range next.Outputs() {
			entry := []term{{whole, 1}}
			for _, g := range givers {
				at, ok := row[[2]int{g.row, b}]
				if !ok {
					entry = nil
					break
				}
				entry = append(entry, term{at, g.value})
			}
			if entry != nil {
				p.variable, p.entry, room = append(p.variable, [2]int{a, b}), append(p.entry, entry), true
			}
		}
		if !room {
			return nil
		}
	}
	return p
}

// solve minimises the sum of what is missing of the right-hand sides: the
// first phase of the simplex method on a dense tableau, whose first basis is
// the shortfalls. Its result is a proposal.
func (p *program) solve() []float64 {
	rows, n := len(p.rhs), len(p.variable)
	t := make([][]float64, rows+1) // the last row is the reduced costs
	for i := range t {
		t[i] = make([]float64, n+1)
	}
	for j, entry := range p.entry {
		for _, e := range entry {
			t[e.row][j] = e.value
			t[rows][j] -= e.value
		}
	}
	basis := make([]int, rows)
	for i, v := range p.rhs {
		t[i][n], basis[i] = v, -1
		t[rows][n] -= v
	}
	const tiny = 1e-11
	for step := range 20 * (rows + n) {
		in := p.enter(t[rows][:n], step > 4*(rows+n), tiny)
		if in < 0 || t[rows][n] > -1e-13 {
			break
		}
		out, least := -1, math.Inf(1)
		for i := range rows {
			if t[i][in] <= 1e-9 {
				continue
			}
			// Among ties the largest pivot, for accuracy.
			if q := max(t[i][n], 0) / t[i][in]; q < least-tiny || q <= least+tiny && t[i][in] > t[out][in] {
				out, least = i, min(q, least)
			}
		}
		if out < 0 {
			break
		}
		pivot(t, out, in)
		basis[out] = in
	}
	w := make([]float64, n)
	for i, j := range basis {
		if j >= 0 {
			w[j] = max(t[i][n], 0)
		}
	}
	return w
}

// enter is the variable of the least reduced cost, or the first below 0 once
// the steps are many [Bland 1977]; -1 where none is.
func (p *program) enter(cost []float64, first bool, tiny float64) int {
	in := -1
	for j, v := range cost {
		if v < -tiny && (in < 0 || v < cost[in]) {
			if in = j; first {
				break
			}
		}
	}
	return in
}

func pivot(t [][]float64, out, in int) {
	row := t[out]
	scale := 1 / row[in]
	for k := range row {
		row[k] *= scale
	}
	for i := range t {
		f := t[i][in]
		if i == out || f == 0 {
			continue
		}
		for k, v := range row {
			t[i][k] -= f * v
		}
		t[i][in] = 0
	}
}
