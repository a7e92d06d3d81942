package utility

import (
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
)

// levels are the paths of an order by lowest common ancestors: every letter has its
// nodes from the root down, and every node a level that falls along a path.
type levels struct {
	in, out [][]int32
	level   []int32 // of each node
	self    []int32 // output that is the input letter itself, -1 if none
}

// newLevels gathers the paths of the cast.
func newLevels(c *cast, level []int32, path func(letter) []int32) *levels {
	o := &levels{level: level}
	output := make(map[letter]int32, len(c.outputs))
	for y, l := range c.outputs {
		output[l] = int32(y)
		o.out = append(o.out, path(l))
	}
	for _, l := range c.rows {
		o.in = append(o.in, path(l))
		y, ok := output[l]
		if !ok {
			y = -1
		}
		o.self = append(o.self, y)
	}
	return o
}

func (c *cast) levels(o *levels, basis string) *draft {
	near, top := count("the same value", "in the same group at most %v %s up", "level", "levels"), o.top()
	return &draft{order: mechanism.NewTree(o.in, o.out, o.level, o.self), outputs: c.outputs, namesNull: c.namesNull,
		extra: c.extra, unit: "levels", basis: basis, describe: func(v float64) string {
			if top > 0 && v <= -top {
				return "any value at all"
			}
			return near(v)
		}}
}

// top is the level of the lowest group that holds every letter: whatever stands for
// another is at most so many levels up.
func (o *levels) top() float64 {
	all := slices.Concat(o.in, o.out)
	if len(all) == 0 {
		return 0
	}
	depth := len(all[0])
	for _, path := range all {
		n := 0
		for n < min(depth, len(path)) && path[n] == all[0][n] {
			n++
		}
		depth = n
	}
	if depth == 0 {
		return 0
	}
	return float64(o.level[all[0][depth-1]])
}

// buildHierarchy reads hierarchy:FILE.csv, the form of ARX: no header, a line
// per letter from leaf to root. Separators are semicolons, or commas where the
// first line has no semicolon.
func buildHierarchy(b *builder, path string) *draft {
	return b.hierarchy(separated(b.read(path)))
}

// separated takes semicolons, or commas where the first line has no semicolon.
func separated(s *sheet) *sheet {
	single := false
	if err := stopped(func() { single = len(newSheet(s.name, s.text, ';').first()) == 1 }); err != nil || single {
		return newSheet(s.name, s.text, ',')
	}
	return newSheet(s.name, s.text, ';')
}

func (b *builder) hierarchy(s *sheet) *draft {
	h := &hierarchy{node: map[levelLabel]int32{}}
	var names list
	for cell := range s.records {
		h.add(s, cell)
		names.add(cell[0], s.place(1))
	}
	known := b.places(s, names)
	inner := map[string]bool{}
	for n := range h.node {
		inner[n.label] = inner[n.label] || n.level > 0
	}
	c := b.assign(known, inner)
	for _, l := range c.outputs {
		if _, leaf := known[l]; !leaf && !h.unique(l.label, s.width) {
			fail(errorf("rename one of them in the hierarchy",
				"hierarchy: the output label %s is the name of two groups of different levels", l))
		}
	}
	o := newLevels(c, h.level, func(l letter) []int32 {
		if i, leaf := known[l]; leaf {
			return h.path[i]
		}
		return h.pathOf(h.lowest(l.label, s.width))
	})
	return c.levels(o, "minus the level of the lowest common ancestor")
}

type levelLabel struct {
	level int
	label string
}

// A hierarchy is a forest of nodes that one line after the other adds to. A
// node above the leaves is its level and label; a leaf is its line.
type hierarchy struct {
	node         map[levelLabel]int32 // above the leaves
	level, above []int32              // of each node; the root's above is -1
	line         []int                // on which it was first
	path         [][]int32            // per line, from the root down
}

// add takes one line, from leaf to root.
func (h *hierarchy) add(s *sheet, cell []string) {
	if len(cell) < 2 {
		s.fail(1, "a line is leaf;group;...;*", "a hierarchy needs at least two columns")
	}
	above, path := int32(-1), make([]int32, 0, len(cell))
	for l := len(cell) - 1; l >= 0; l-- {
		key := levelLabel{l, cell[l]}
		n, old := h.node[key]
		switch {
		case !old || l == 0:
			n = int32(len(h.level))
			h.level, h.above, h.line = append(h.level, int32(l)), append(h.above, above), append(h.line, s.begin)
			if l > 0 {
				h.node[key] = n
			}
			if l == len(cell)-1 && n > 0 {
				s.fail(l+1, "end every line with the same root, such as *", "the root here is %s, but line %d has another root",
					quote(cell[l]), h.line[0])
			}
		case h.above[n] != above:
			s.fail(l+1, "give a group the same parent groups on every line",
				"%s has another parent group than in line %d", quote(cell[l]), h.line[n])
		}
		path = append(path, n)
		above = n
	}
	h.path = append(h.path, path)
}

// lowest is the node of the lowest group of that name.
func (h *hierarchy) lowest(label string, width int) int32 {
	for l := 1; l < width; l++ {
		if n, ok := h.node[levelLabel{l, label}]; ok {
			return n
		}
	}
	return -1
}

// unique reports whether all groups of that name lie above each other.
func (h *hierarchy) unique(label string, width int) bool {
	path := h.pathOf(h.lowest(label, width))
	for l := 1; l < width; l++ {
		if n, ok := h.node[levelLabel{l, label}]; ok && !slices.Contains(path, n) {
			return false
		}
	}
	return true
}

// pathOf is the path from the root down to n.
func (h *hierarchy) pathOf(n int32) []int32 {
	var path []int32
	for ; n >= 0; n = h.above[n] {
		path = append(path, n)
	}
	slices.Reverse(path)
	return path
}
