package blocks

import (
	"cmp"
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
)

// tries is how often neighbouring blocks are cut again.
const tries = 8

// A cell is some letters of a plane, or of space.
type cell struct {
	letters []int
	middle  []float64
	low     []float64
	high    []float64
}

// plane cuts the letters in two across their longest extent, and the parts likewise, where
// each can have as many blocks as its records allow; then the letters of two blocks that
// are near are cut again while that makes the larger smaller, or brings letters together.
func (s *search) plane(o mechanism.Placed) [][]int {
	f := &field{search: s, order: o}
	if !s.enough(f.records(s.item)) {
		return nil
	}
	f.cut(slices.Clone(s.item))
	for range tries {
		if !f.again() {
			break
		}
	}
	var parts [][]int
	for _, c := range f.cells {
		slices.Sort(c.letters)
		parts = append(parts, c.letters)
	}
	return parts
}

// A field is what is cut.
type field struct {
	*search
	order mechanism.Placed
	cells []*cell
}

func (f *field) records(letters []int) []int64 {
	sum := make([]int64, len(f.prior))
	for _, x := range letters {
		for k, p := range f.prior {
			sum[k] += p.Count(x)
		}
	}
	return sum
}

// measured is a cell of letters.
func (f *field) measured(letters []int) *cell {
	c := &cell{letters: letters}
	held := 0.0
	for _, x := range letters {
		at, w := f.order.Coordinates(x), float64(f.Prior.Count(x))
		if c.low == nil {
			c.low, c.high, c.middle = slices.Clone(at), slices.Clone(at), make([]float64, len(at))
		}
		held += w
		for d, v := range at {
			c.low[d], c.high[d], c.middle[d] = min(c.low[d], v), max(c.high[d], v), c.middle[d]+w*v
		}
	}
	for d := range c.middle {
		c.middle[d] /= max(held, 1)
	}
	return c
}

// wide is the square of the distance of two places, of a box that of its diagonal.
func wide(low, high []float64) float64 {
	sum := 0.0
	for d := range low {
		sum += (high[d] - low[d]) * (high[d] - low[d])
	}
	return sum
}

// cut makes one cell of letters, or two that are cut further.
func (f *field) cut(letters []int) {
	held, c := f.records(letters), f.measured(letters)
	blocks := int64(math.MaxInt64)
	for k, h := range held {
		blocks = min(blocks, h/f.need[k])
	}
	if blocks >= 2 {
		axis := 0
		for d := range c.low {
			if c.high[d]-c.low[d] > c.high[axis]-c.low[axis] {
				axis = d
			}
		}
		f.along(letters, func(at []float64) float64 { return at[axis] })
		share := float64(held[0]) * float64(blocks/2) / float64(blocks)
		at, off := 0, math.Inf(1)
		f.ends(letters, func(i int, before int64) {
			if d := math.Abs(float64(before) - share); d < off {
				at, off = i, d
			}
		})
		if at > 0 {
			f.cut(letters[:at:at])
			f.cut(letters[at:])
			return
		}
	}
	f.cells = append(f.cells, c)
}

// along sorts letters by a function of where they are.
func (f *field) along(letters []int, of func(at []float64) float64) {
	type placed struct {
		at float64
		x  int
	}
	by := make([]placed, len(letters))
	for i, x := range letters {
		by[i] = placed{of(f.order.Coordinates(x)), x}
	}
	slices.SortFunc(by, func(a, b placed) int { return cmp.Or(cmp.Compare(a.at, b.at), a.x-b.x) })
	for i, p := range by {
		letters[i] = p.x
	}
}

// ends visits the places at which letters can be cut in two blocks, and the records before.
func (f *field) ends(letters []int, visit func(i int, before int64)) {
	held, sum := f.records(letters), make([]int64, len(f.prior))
	for i, x := range letters {
		ok := i > 0
		for k, p := range f.prior {
			ok = ok && sum[k] >= f.need[k] && held[k]-sum[k] >= f.need[k]
			sum[k] += p.Count(x)
		}
		if ok {
			visit(i, sum[0]-f.prior[0].Count(x))
		}
	}
}

// again cuts the letters of every cell and each of its nearest once more, across the line
// between them, and reports whether that helped.
func (f *field) again() (helped bool) {
	const beside = 6
	widest := 0.0
	for _, c := range f.cells {
		widest = max(widest, wide(c.low, c.high))
	}
	for a := range f.cells {
		near := make([]int, 0, len(f.cells))
		for b := range f.cells {
			if b != a {
				near = append(near, b)
			}
		}
		apart := func(b int) float64 { return wide(f.cells[a].middle, f.cells[b].middle) }
		slices.SortFunc(near, func(b, c int) int { return cmp.Or(cmp.Compare(apart(b), apart(c)), b-c) })
		for _, b := range near[:min(len(near), beside)] {
			helped = f.recut(a, b, widest) || helped
		}
	}
	return helped
}

// recut cuts two cells across the line between their middles: where the wider of them is
// the least wide if that is the widest of all, else where letters are nearest to their
// middles and neither is wider than that.
func (f *field) recut(a, b int, widest float64) bool {
	x, y := f.cells[a], f.cells[b]
	both := slices.Concat(x.letters, y.letters)
	f.along(both, func(at []float64) float64 {
		sum := 0.0
		for d := range at {
			sum += at[d] * (y.middle[d] - x.middle[d])
		}
		return sum
	})
	left, right := f.growth(both), f.growth(reversed(both))
	slices.Reverse(right)
	was := result{bad: max(wide(x.low, x.high), wide(y.low, y.high)), sum: f.spread(x) + f.spread(y)}
	if was.bad < widest {
		was.bad = widest * (1 - 1e-9) // what is less wide is as good
	}
	at, best := -1, was
	f.ends(both, func(i int, _ int64) {
		r := result{bad: max(left[i-1].bad, right[i].bad), sum: left[i-1].sum + right[i].sum}
		if r.bad <= was.bad && was.bad < widest {
			r.bad = was.bad
		}
		if r.bad < best.bad*(1-1e-9) || r.bad <= best.bad && r.sum < best.sum*(1-1e-6) {
			at, best = i, r
		}
	})
	if at < 0 {
		return false
	}
	f.cells[a], f.cells[b] = f.measured(both[:at:at]), f.measured(both[at:])
	return true
}

// spread is the sum of squares of the distances of letters from the middle.
func (f *field) spread(c *cell) float64 {
	g := f.growth(c.letters)
	return g[len(g)-1].sum
}

// growth is, for each beginning of letters, how wide it is and how spread.
func (f *field) growth(letters []int) []result {
	out := make([]result, len(letters))
	var low, high, first []float64
	held, square := 0.0, 0.0
	for i, x := range letters {
		at, w := f.order.Coordinates(x), float64(f.Prior.Count(x))
		if i == 0 {
			low, high, first = slices.Clone(at), slices.Clone(at), make([]float64, len(at))
		}
		held += w
		middle := 0.0
		for d, v := range at {
			low[d], high[d] = min(low[d], v), max(high[d], v)
			first[d] += w * v
			square += w * v * v
			middle += first[d] * first[d]
		}
		out[i] = result{bad: wide(low, high), sum: square - middle/max(held, 1)}
	}
	return out
}

func reversed(letters []int) []int {
	r := slices.Clone(letters)
	slices.Reverse(r)
	return r
}
