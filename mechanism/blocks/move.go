package blocks

import (
	"math"
	"slices"
)

// A partition is blocks between which items move.
type partition struct {
	*table
	block  []*block
	of     []int     // the block of each item
	toward []float64 // the sum of an item's pairs with a block
	bad    float64   // the worst pair of all
	least  float64   // a gain that is none but for rounding
}

func newPartition(t *table, block []*block) *partition {
	p := &partition{table: t, block: block, of: make([]int, t.n), toward: make([]float64, t.n*len(block))}
	for b, k := range block {
		for _, j := range k.items {
			p.of[j] = b
			for i := range t.n {
				if i != j {
					p.toward[i*len(block)+b] += t.pair[i*t.n+j]
				}
			}
		}
	}
	return p
}

// far is how bad an item and a block are, without an item of it.
func (p *partition) far(i, b, but int) float64 {
	bad := math.Inf(-1)
	for _, j := range p.block[b].items {
		if j != but {
			bad = max(bad, p.table.bad[i*p.n+j])
		}
	}
	return bad
}

// fits reports whether an item and a block, without an item of it, are no worse than the worst
// pair, or less than it.
func (p *partition) fits(i, b, but int, less bool) bool {
	for _, j := range p.block[b].items {
		bad := p.table.bad[i*p.n+j]
		if j != but && !(bad < p.bad || !less && bad == p.bad) {
			return false
		}
	}
	return true
}

func (p *partition) worst() float64 {
	bad := math.Inf(-1)
	for i := range p.n {
		bad = max(bad, p.far(i, p.of[i], -1))
	}
	return bad
}

func (p *partition) result() result {
	r := result{bad: p.worst()}
	for _, b := range p.block {
		r.sum += p.mean(b.sum, b.records())
	}
	return r
}

// improve moves items, and lets two change places, while the worst pair is one less, or
// none is worse and the sum falls.
func (p *partition) improve() {
	for range rounds {
		was := p.result()
		p.bad, p.least = was.bad, 1e-9*math.Abs(was.sum)
		moved := false
		for i := range p.n {
			moved = p.move(i) || moved
		}
		if p.n <= swaps {
			for i := range p.n {
				moved = p.swap(i) || moved
			}
		}
		if !moved {
			return
		}
	}
}

// sums are those of a block without one item and with another.
func (p *partition) sums(b, without, with int) float64 {
	sum, k := p.block[b].sum, len(p.block)
	if without >= 0 {
		sum -= 2*p.toward[without*k+b] + p.pair[without*p.n+without]
	}
	if with >= 0 {
		sum += 2*p.toward[with*k+b] + p.pair[with*p.n+with]
		if without >= 0 {
			sum -= 2 * p.pair[with*p.n+without]
		}
	}
	return sum
}

// gain is by how much the sum falls where i leaves block a for b, and j goes there instead.
func (p *partition) gain(i, a, j, b int) (gain float64, ok bool) {
	x, y := p.block[a], p.block[b]
	for k, least := range p.min {
		moves := p.held[i][k]
		if j >= 0 {
			moves -= p.held[j][k]
		}
		if x.held[k]-moves < least || y.held[k]+moves < least {
			return 0, false
		}
	}
	moves := p.held[i][0]
	if j >= 0 {
		moves -= p.held[j][0]
	}
	was := p.mean(x.sum, x.held[0]) + p.mean(y.sum, y.held[0])
	return was - p.mean(p.sums(a, i, j), x.held[0]-moves) - p.mean(p.sums(b, j, i), y.held[0]+moves), true
}

// move gives an item to the block that gains most by it.
func (p *partition) move(i int) bool {
	a, to, most := p.of[i], -1, p.least
	worst := p.far(i, a, i) >= p.bad
	if worst {
		most = math.Inf(-1)
	}
	for b := range p.block {
		if b == a {
			continue
		}
		gain, ok := p.gain(i, a, -1, b)
		if !ok || !(gain > most) {
			continue
		}
		if p.fits(i, b, -1, worst) {
			to, most = b, gain
		}
	}
	if to >= 0 {
		p.put(i, to)
	}
	return to >= 0
}

// swap lets an item change places with the first that helps.
func (p *partition) swap(i int) bool {
	a := p.of[i]
	worst := p.far(i, a, i) >= p.bad
	for j := range p.n {
		b := p.of[j]
		if b == a || !worst && j < i {
			continue
		}
		gain, ok := p.gain(i, a, j, b)
		if !ok || !worst && !(gain > p.least) {
			continue
		}
		if p.fits(i, b, j, worst) && p.fits(j, a, i, worst) {
			p.put(i, b)
			p.put(j, a)
			return true
		}
	}
	return false
}

// put gives an item to another block.
func (p *partition) put(i, to int) {
	from, k := p.of[i], len(p.block)
	a, b := p.block[from], p.block[to]
	a.sum, b.sum = p.sums(from, i, -1), p.sums(to, -1, i)
	for k, h := range p.held[i] {
		a.held[k] -= h
		b.held[k] += h
	}
	a.items = slices.DeleteFunc(a.items, func(j int) bool { return j == i })
	b.items = append(b.items, i)
	for j := range p.n {
		if j != i {
			p.toward[j*k+from] -= p.pair[j*p.n+i]
			p.toward[j*k+to] += p.pair[j*p.n+i]
		}
	}
	p.of[i] = to
}
