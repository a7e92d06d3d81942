package optimum

import (
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
)

// A linear program in fractions: the most of gain.v over v >= 0 with at most of
// the rows, those of equal met with equality. It shares nothing with the product.
type exactProgram struct {
	row   [][]*big.Rat
	most  []*big.Rat // not negative
	equal []bool
	gain  []*big.Rat
}

func zeros(n int) []*big.Rat {
	v := make([]*big.Rat, n)
	for i := range v {
		v[i] = new(big.Rat)
	}
	return v
}

func (p *exactProgram) add(row []*big.Rat, most *big.Rat, equal bool) {
	p.row, p.most, p.equal = append(p.row, row), append(p.most, most), append(p.equal, equal)
}

// solve is the simplex method with the rule of Bland, in two phases; nil where
// nothing is feasible.
func (p *exactProgram) solve() *big.Rat {
	n, m := len(p.gain), len(p.row)
	wide := n + 2*m // slack and artificial variables
	tab := make([][]*big.Rat, m)
	basis := make([]int, m)
	barred := make([]bool, wide)
	first := zeros(wide + 1)
	for i := range tab {
		tab[i] = zeros(wide + 1)
		for k, v := range p.row[i] {
			tab[i][k].Set(v)
		}
		tab[i][wide].Set(p.most[i])
		if !p.equal[i] {
			tab[i][n+i].SetInt64(1)
			basis[i] = n + i
			barred[n+m+i] = true
			continue
		}
		barred[n+i] = true
		tab[i][n+m+i].SetInt64(1)
		basis[i] = n + m + i
		for k := range n {
			first[k].Sub(first[k], tab[i][k])
		}
		first[wide].Sub(first[wide], tab[i][wide])
	}
	pivot(tab, basis, first, barred)
	if first[wide].Sign() != 0 {
		return nil
	}
	for i := range m {
		barred[n+m+i] = true
	}
	// Artificial variables that stayed in the basis are 0; they leave where they can.
	for i, b := range basis {
		if b < n+m {
			continue
		}
		for k := range n + m {
			if !barred[k] && tab[i][k].Sign() != 0 {
				exchange(tab, basis, first, i, k)
				break
			}
		}
	}
	cost := zeros(wide + 1)
	for k, v := range p.gain {
		cost[k].Neg(v)
	}
	for i, b := range basis {
		if b < n && cost[b].Sign() != 0 {
			by := new(big.Rat).Set(cost[b])
			for k := range cost {
				cost[k].Sub(cost[k], new(big.Rat).Mul(by, tab[i][k]))
			}
		}
	}
	pivot(tab, basis, cost, barred)
	return cost[wide]
}

func pivot(tab [][]*big.Rat, basis []int, cost []*big.Rat, barred []bool) {
	last := len(cost) - 1
	for {
		in := -1
		for k := range last {
			if !barred[k] && cost[k].Sign() < 0 {
				in = k
				break
			}
		}
		if in < 0 {
			return
		}
		out, least := -1, new(big.Rat)
		for i, row := range tab {
			if row[in].Sign() <= 0 {
				continue
			}
			v := new(big.Rat).Quo(row[last], row[in])
			if c := v.Cmp(least); out < 0 || c < 0 || c == 0 && basis[i] < basis[out] {
				out, least = i, v
			}
		}
		if out < 0 {
			panic("unbounded")
		}
		exchange(tab, basis, cost, out, in)
	}
}

func exchange(tab [][]*big.Rat, basis []int, cost []*big.Rat, out, in int) {
	by := new(big.Rat).Set(tab[out][in])
	for _, v := range tab[out] {
		v.Quo(v, by)
	}
	for _, row := range append(append([][]*big.Rat(nil), tab...), cost) {
		if &row[0] == &tab[out][0] || row[in].Sign() == 0 {
			continue
		}
		by := new(big.Rat).Set(row[in])
		for k, v := range tab[out] {
			if v.Sign() != 0 {
				row[k].Sub(row[k], new(big.Rat).Mul(by, v))
			}
		}
	}
	basis[out] = in
}

// exact is the least shift, or with weights the largest expected weight within the
// limit, nil for none, from the definitions; nil where there is no mechanism. The factor
// holds under further priors, too.
func exact(g Problem, t, limit *big.Rat, w mechanism.Weights, also ...mechanism.Prior) *big.Rat {
	var cell [][2]int
	occurs := func(x int) bool {
		return slices.ContainsFunc(append(also, g.Prior), func(q mechanism.Prior) bool { return q.Count(x) > 0 })
	}
	for x := range g.Support.Inputs() {
		if occurs(x) {
			for _, y := range g.Support.AppendRow(nil, x) {
				cell = append(cell, [2]int{x, int(y)})
			}
		}
	}
	m := g.Support.Outputs()
	p := &exactProgram{gain: zeros(len(cell) + m)}
	law := make([][]*big.Rat, m)
	for y := range law {
		law[y] = zeros(len(cell) + m)
		for k, c := range cell {
			if c[1] == y {
				law[y][k].Set(g.Prior.Probability(c[0]))
			}
		}
	}
	value := make([]float64, m)
	for x := range g.Support.Inputs() {
		row := zeros(len(cell) + m)
		for k, c := range cell {
			if c[0] != x {
				continue
			}
			row[k].SetInt64(1)
			if w != nil {
				w(x, value)
				p.gain[k].SetFloat64(value[c[1]])
				p.gain[k].Mul(p.gain[k], g.Prior.Probability(x))
			}
		}
		if occurs(x) {
			p.add(row, one, true)
		}
	}
	for _, q := range append([]mechanism.Prior{g.Prior}, also...) {
		for k, c := range cell {
			if q.Count(c[0]) == 0 {
				continue
			}
			row := zeros(len(cell) + m)
			for j, z := range cell {
				if z[1] == c[1] {
					row[j].Mul(q.Probability(z[0]), t)
					row[j].Neg(row[j])
				}
			}
			p.add(row, new(big.Rat), false)
			row[k].Add(row[k], one)
		}
	}
	all := zeros(len(cell) + m)
	for y := range m {
		row := law[y]
		row[len(cell)+y].SetInt64(-1)
		share := new(big.Rat)
		if x := g.Stands[y]; x >= 0 {
			share = g.Prior.Probability(x)
		}
		p.add(row, share, false)
		all[len(cell)+y].SetInt64(1)
		if w == nil {
			p.gain[len(cell)+y].SetInt64(-1)
		}
	}
	if w != nil && limit != nil {
		p.add(all, limit, false)
	}
	v := p.solve()
	if v != nil && w == nil {
		v.Neg(v)
	}
	return v
}

// random draws a small problem of one of several kinds: equal letters, rare ones,
// equal rows, letters without records, outputs that stand for nothing, letters
// that nothing stands for.
func random(r *rand.Rand) (Problem, *big.Rat, mechanism.Weights) {
	n, m := 1+r.IntN(4), 1+r.IntN(4)
	count := make([]int64, n)
	kind := r.IntN(4)
	for x := range count {
		switch kind {
		case 0:
			count[x] = 1
		case 1:
			count[x] = 1 + r.Int64N(20)
		case 2:
			count[x] = 1 + r.Int64N(2)*r.Int64N(1_000_000)
		case 3:
			count[x] = r.Int64N(4)
		}
	}
	count[r.IntN(n)]++
	s := mechanism.NewSupport(n, m)
	density := .2 + .7*r.Float64()
	for x := range n {
		if x > 0 && r.IntN(5) == 0 {
			for _, y := range s.AppendRow(nil, r.IntN(x)) {
				s.Allow(x, int(y))
			}
			continue
		}
		for y := range m {
			if r.Float64() < density {
				s.Allow(x, y)
			}
		}
		s.Allow(x, r.IntN(m))
	}
	stands := make([]int, m)
	letter := r.Perm(n)
	for y := range stands {
		if stands[y] = -1; y < n && r.IntN(6) > 0 {
			stands[y] = letter[y]
		}
	}
	p, err := mechanism.NewPrior(count)
	if err != nil {
		panic(err)
	}
	value := make([][]float64, n)
	for x := range value {
		for range m {
			value[x] = append(value[x], float64(r.IntN(21))/3)
		}
	}
	o, err := mechanism.NewMatrix(value)
	if err != nil {
		panic(err)
	}
	t := []*big.Rat{big.NewRat(1, 1), big.NewRat(3, 2), big.NewRat(2, 1), big.NewRat(7, 3), big.NewRat(4, 1),
		big.NewRat(p.Total(), 1), big.NewRat(1+r.Int64N(1000), 1000), big.NewRat(1000+r.Int64N(5000), 1000)}[r.IntN(8)]
	if t.Cmp(one) < 0 {
		t = one
	}
	return Problem{Prior: p, Support: s, Stands: stands}, t, mechanism.ValueWeights(o)
}
