package utility

import "slices"

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
	return c.levels(&h.forest, func(l letter) int32 {
		if i, leaf := known[l]; leaf {
			return h.leaf[i]
		}
		return h.lowest(l.label, s.width)
	}, "minus the level of the lowest common ancestor")
}

type levelLabel struct {
	level int
	label string
}

// A hierarchy is a forest of nodes that one line after the other adds to. A
// node above the leaves is its level and label; a leaf is its line.
type hierarchy struct {
	forest
	node map[levelLabel]int32 // above the leaves
	line []int                // on which each node was first
	leaf []int32              // per line
}

// add takes one line, from leaf to root.
func (h *hierarchy) add(s *sheet, cell []string) {
	if len(cell) < 2 {
		s.fail(1, "a line is leaf;group;...;*", "a hierarchy needs at least two columns")
	}
	above := int32(-1)
	for l := len(cell) - 1; l >= 0; l-- {
		key := levelLabel{l, cell[l]}
		n, old := h.node[key]
		switch {
		case !old || l == 0:
			n = h.grow(above, int32(l))
			if h.line = append(h.line, s.begin); l > 0 {
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
		above = n
	}
	h.leaf = append(h.leaf, above)
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
	path := h.path(h.lowest(label, width))
	for l := 1; l < width; l++ {
		if n, ok := h.node[levelLabel{l, label}]; ok && !slices.Contains(path, n) {
			return false
		}
	}
	return true
}
