package mechanism

import (
	"math"
	"slices"
	"sort"
)

// A Tree is an order by lowest common ancestors: the utility of an output is minus
// the level of the lowest node that holds it and the input letter, and 0 where it is
// the input letter itself. A value floor parts its letters into groups, so that what
// a floor costs needs no table of letters by outputs.
type Tree struct {
	parent  []int32 // of each node, a lower number; -1 at the root, node 0
	level   []int32 // of each node, falling along a path
	in, out []int32 // the lowest node of each letter
	self    []int32 // output that is the input letter itself, -1 if none
	is      []int32 // the inverse
	home    [][]uint16
}

// NewTree takes the path of nodes of every letter from a common root down, the
// level of each node, and which output is input x itself, -1 for none. A node means
// its path: where one stands below two others, it is two nodes.
func NewTree(in, out [][]int32, level, self []int32) *Tree {
	type step struct{ from, node int32 }
	t := &Tree{self: self, is: slices.Repeat([]int32{-1}, len(out))}
	known := map[step]int32{}
	lowest := func(path []int32) int32 {
		at := int32(-1)
		for _, id := range path {
			n, ok := known[step{at, id}]
			if !ok {
				n = int32(len(t.parent))
				known[step{at, id}] = n
				t.parent, t.level = append(t.parent, at), append(t.level, level[id])
			}
			at = n
		}
		return at
	}
	for _, path := range in {
		t.in = append(t.in, lowest(path))
	}
	for _, path := range out {
		t.out = append(t.out, lowest(path))
	}
	for x, y := range self {
		if y >= 0 {
			t.is[y] = int32(x)
		}
	}
	t.home = make([][]uint16, len(t.parent))
	for y, n := range t.out {
		for ; n >= 0; n = t.parent[n] {
			t.home[n] = append(t.home[n], uint16(y))
		}
	}
	return t
}

// Apart is the tree with one more letter, which is one more output, too: it is itself at 0, and
// one level above the root with all others.
func (t *Tree) Apart() *Tree {
	n, m := int32(len(t.in)), int32(len(t.out))
	a := &Tree{parent: []int32{-1}, level: []int32{t.level[0] + 1}, self: append(slices.Clone(t.self), m),
		is: append(slices.Clone(t.is), n)}
	for i, p := range t.parent {
		a.parent, a.level = append(a.parent, p+1), append(a.level, t.level[i])
	}
	alone := int32(len(a.parent))
	a.parent, a.level = append(a.parent, 0), append(a.level, 0)
	for _, at := range t.in {
		a.in = append(a.in, at+1)
	}
	for _, at := range t.out {
		a.out = append(a.out, at+1)
	}
	a.in, a.out = append(a.in, alone), append(a.out, alone)
	a.home = append([][]uint16{append(slices.Clone(t.home[0]), uint16(m))}, t.home...)
	a.home = append(a.home, []uint16{uint16(m)})
	return a
}

// Reaches reports whether the root has this utility.
func (t *Tree) Reaches(utility float64) bool { return utility == 0-float64(t.level[0]) }

// Inputs implements Order.
func (t *Tree) Inputs() int { return len(t.in) }

// Outputs implements Order.
func (t *Tree) Outputs() int { return len(t.out) }

// Row implements Order.
func (t *Tree) Row(x int, rank []uint16, value []float64) {
	if value == nil {
		if rank == nil {
			return
		}
		value = make([]float64, len(t.out))
	}
	var below []uint16
	t.up(x, func(v float64, within []uint16) {
		i := 0
		for _, y := range within {
			if i < len(below) && below[i] == y { // it is nearer, and stands already
				i++
				continue
			}
			value[y] = v
		}
		below = within
	})
	if y := t.self[x]; y >= 0 {
		value[y] = 0
	}
	if rank != nil {
		Rank(value, rank)
	}
}

// up visits the nodes that hold letter x, the lowest first: their values, and the
// outputs that each holds.
func (t *Tree) up(x int, visit func(value float64, within []uint16)) {
	for n := t.in[x]; n >= 0; n = t.parent[n] {
		visit(0-float64(t.level[n]), t.home[n])
	}
}

// values visits the distinct utilities of the row of letter x, the best first, and
// the number of outputs that have at least that utility.
func (t *Tree) values(x int, visit func(value float64, outputs int)) {
	seen := 0
	if y := t.self[x]; y >= 0 && t.level[t.in[x]] != 0 {
		seen = 1
		visit(0, 1)
	}
	t.up(x, func(v float64, within []uint16) {
		if len(within) > seen {
			seen = len(within)
			visit(v, seen)
		}
	})
}

// A TreeSurvey is what a look at all rows of a tree finds.
type TreeSurvey struct {
	Tied    int       // rows in which at least two outputs have equal value
	BestLow float64   // the highest of the rows' lowest utilities
	Values  []float64 // the distinct utilities of all rows, the best first
	Best    float64   // the best utility that every row has, or betters
}

// Survey looks at every row.
func (t *Tree) Survey() TreeSurvey {
	s := TreeSurvey{BestLow: math.Inf(-1), Best: math.Inf(1)}
	found := map[float64]bool{}
	for x := range t.in {
		seen, tied, best, low := 0, false, math.Inf(-1), 0.0
		t.values(x, func(v float64, outputs int) {
			tied, best, low = tied || outputs > seen+1, max(best, v), v
			seen, found[v] = outputs, true
		})
		if tied {
			s.Tied++
		}
		s.BestLow, s.Best = max(s.BestLow, low), min(s.Best, best)
	}
	for v := range found {
		s.Values = append(s.Values, v)
	}
	slices.Sort(s.Values)
	slices.Reverse(s.Values)
	return s
}

// Best is the best utility of a row.
func (t *Tree) Best(x int) float64 {
	best := math.Inf(-1)
	t.values(x, func(v float64, _ int) { best = max(best, v) })
	return best
}

// A treeRow is what the nodes of a tree hold of one row of a mechanism.
type treeRow struct {
	tree   *Tree
	row    Row
	size   int64   // of the row: outputs
	weight []int64 // by node
	held   []int32 // outputs
	// The first output that each node holds, and the first that it holds elsewhere than
	// the first stands: below another node, or in itself.
	first, other []int32
	from         []int32 // the node below that holds the first, -1 where that is the node itself
	touched      []int32
}

func newTreeRow(t *Tree) *treeRow {
	n := len(t.parent)
	return &treeRow{tree: t, weight: make([]int64, n), held: make([]int32, n), first: make([]int32, n),
		other: make([]int32, n), from: make([]int32, n)}
}

// take holds another row.
func (r *treeRow) take(row Row) {
	for _, n := range r.touched {
		r.weight[n], r.held[n] = 0, 0
	}
	r.row, r.touched, r.size = row, r.touched[:0], int64(len(row.Output))
	for i, y := range row.Output { // ascending, so that the first is the least
		below := int32(-1)
		for n := r.tree.out[y]; n >= 0; n = r.tree.parent[n] {
			switch {
			case r.held[n] == 0:
				r.touched = append(r.touched, n)
				r.first[n], r.other[n], r.from[n] = int32(y), -1, below
			case r.other[n] < 0 && (r.from[n] != below || below < 0):
				r.other[n] = int32(y)
			}
			r.weight[n] += row.At(i)
			r.held[n]++
			below = n
		}
	}
}

// apart is the output that is letter x itself where it is worth more than others at
// its lowest node, else -1.
func (t *Tree) apart(x int) int32 {
	if t.level[t.in[x]] == 0 {
		return -1
	}
	return t.self[x]
}

// mean is the mean value in the row of letter x.
func (r *treeRow) mean(x int) float64 {
	row := r.row
	var sum Sum
	seen := int64(0)
	if y := r.tree.apart(x); y >= 0 {
		if i, ok := slices.BinarySearch(row.Output, uint16(y)); ok {
			seen = row.At(i)
		}
	}
	for n := r.tree.in[x]; n >= 0; n = r.tree.parent[n] {
		if w := r.weight[n]; w > seen {
			sum.Add((0 - float64(r.tree.level[n])) * (float64(w-seen) / float64(row.Total)))
			seen = w
		}
	}
	return sum.Value()
}

// worst is the least value and the least rank in the row of letter x.
func (r *treeRow) worst(x int) (rank int, value float64) {
	t, row := r.tree, r.row
	self := t.apart(x)
	if r.size == 1 && int32(row.Output[0]) == self {
		return len(t.out), 0
	}
	below, n := int32(-1), t.in[x]
	for int64(r.held[n]) < r.size {
		below, n = n, t.parent[n]
	}
	// The first of those that are worth as little as the node says.
	y := r.first[n]
	switch {
	case below >= 0 && r.from[n] == below:
		y = r.other[n]
	case below < 0 && y == self:
		y = int32(row.Output[1])
	}
	within, lower := t.home[n], []uint16(nil)
	rank = len(t.out) - len(within) + 1 + place(within, y)
	if below >= 0 {
		lower = t.home[below]
		rank -= place(lower, y)
	} else if self >= 0 && self < y {
		rank--
	}
	return rank, 0 - float64(t.level[n])
}

// place is how many members of an ascending list are below y.
func place(list []uint16, y int32) int {
	return sort.Search(len(list), func(i int) bool { return int32(list[i]) >= y })
}

// A Partition is what a value floor makes of a tree: B_x are the outputs of the part
// that letter x is in, S_y the letters of the part that output y is in.
type Partition struct {
	In  []int32    // the part of each letter, -1 where it has no output
	Out []int32    // the part of each output, -1 where no letter may give it
	Set [][]uint16 // the outputs of each part, ascending; no part is empty
}

// Cut parts the letters at a value floor.
func (t *Tree) Cut(floor float64) *Partition {
	top := make([]int32, len(t.parent)) // the highest node within the floor, -1 where there is none
	for n := range top {
		above := int32(-1)
		if p := t.parent[n]; p >= 0 {
			above = top[p]
		}
		switch {
		case above >= 0:
			top[n] = above
		case 0-float64(t.level[n]) >= floor:
			top[n] = int32(n)
		default:
			top[n] = -1
		}
	}
	p := &Partition{In: slices.Repeat([]int32{-1}, len(t.in)), Out: slices.Repeat([]int32{-1}, len(t.out))}
	part := map[int32]int32{}
	for x, n := range t.in {
		switch node := top[n]; {
		case node >= 0 && len(t.home[node]) > 0:
			c, ok := part[node]
			if !ok {
				c = p.add(t.home[node])
				part[node] = c
			}
			p.In[x] = c
		case node < 0 && t.self[x] >= 0 && floor <= 0:
			p.In[x] = p.add([]uint16{uint16(t.self[x])})
		}
	}
	return p
}

func (p *Partition) add(outputs []uint16) int32 {
	c := int32(len(p.Set))
	p.Set = append(p.Set, outputs)
	for _, y := range outputs {
		p.Out[y] = c
	}
	return c
}

// Row is B_x.
func (p *Partition) Row(x int) []uint16 {
	if c := p.In[x]; c >= 0 {
		return p.Set[c]
	}
	return nil
}

// Mass is the records of every part.
func (p *Partition) Mass(prior Prior) []int64 {
	mass := make([]int64, len(p.Set))
	for x, c := range p.In {
		if c >= 0 {
			mass[c] += prior.Count(x)
		}
	}
	return mass
}

// InProportion gives every letter the outputs of its part as often as the letters that
// they stand for have records; all alike where none has. stands is the letter of each
// output, -1 for none. Constant rows leak n / mass of the part, and no share of a
// value with an output in its own part is changed.
func (p *Partition) InProportion(prior Prior, stands []int) (*Mechanism, error) {
	law := make([]Row, len(p.Set))
	for c, set := range p.Set {
		law[c] = Proportional(set, prior, stands)
	}
	row := make([]Row, len(p.In))
	for x, c := range p.In {
		row[x] = law[c]
	}
	return New(len(p.Out), row)
}

// Proportional is a row over some outputs as often as the letters that they stand for
// have records; over all alike where none has.
func Proportional(output []uint16, prior Prior, stands []int) Row {
	var kept []uint16
	var weight []int64
	divisor := int64(0)
	for _, y := range output {
		if x := stands[y]; x >= 0 && prior.Count(x) > 0 {
			c := prior.Count(x)
			kept, weight = append(kept, y), append(weight, c)
			for ; c != 0; divisor, c = c, divisor%c {
			}
		}
	}
	if kept == nil {
		return UniformRow(slices.Clone(output))
	}
	same := true
	for i := range weight {
		weight[i] /= divisor
		same = same && weight[i] == 1
	}
	if same {
		return UniformRow(kept)
	}
	return WeightedRow(kept, weight)
}

// Rarest has a weight of 1 for one letter with records of a part that has the fewest:
// it proves the least factor of the parts. All weights are 0 where there are no records.
func (p *Partition) Rarest(prior Prior) []int64 {
	weight, mass := make([]int64, len(p.In)), p.Mass(prior)
	at := -1
	for x, c := range p.In {
		if c >= 0 && prior.Count(x) > 0 && (at < 0 || mass[c] < mass[p.In[at]]) {
			at = x
		}
	}
	if at >= 0 {
		weight[at] = 1
	}
	return weight
}
