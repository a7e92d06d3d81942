package utility

import (
	"slices"
	"strings"
)

// buildTree reads tree:FILE.csv, a table of codes and their parents. The level
// of a node is its height, the steps down to its deepest leaf. Where several
// codes have no parent, a root of no name stands above them.
func buildTree(b *builder, path string) *draft {
	s := b.read(path)
	t, code := readTree(s)
	t.link(s)
	t.rise(s)
	known := b.places(s, code)
	return b.assign(known, nil).levels(&t.forest, func(l letter) int32 { return int32(known[l]) },
		"minus the height of the lowest common ancestor")
}

// A tree is a node per code, in file order, with its parent by name, and a root of no name
// above the codes that have none.
type tree struct {
	forest
	index  map[string]int
	code   []string
	parent []string
	line   []int
	column int // of the parent, from 1
}

func readTree(s *sheet) (t *tree, code list) {
	const hint = "the header is code,parent or code,parent,label; an empty parent is the root"
	column := s.columns(s.header(2, hint), hint, "code", "parent")
	t = &tree{index: map[string]int{}, column: column[1] + 1}
	for cell := range s.records {
		c, p := cell[column[0]], cell[column[1]]
		i, again := t.index[c]
		switch {
		case c == "":
			s.fail(column[0]+1, "write a code, or remove the line", "an empty code")
		case again && t.parent[i] != p:
			s.fail(t.column, "keep one parent: the one that decides which values are close",
				"%s has several parents: %s, and %s in line %d", quote(c), parentName(p), parentName(t.parent[i]), t.line[i])
		case again:
			s.fail(column[0]+1, "leave one of them", "%s appears twice, first in line %d", quote(c), t.line[i])
		}
		t.index[c] = len(t.code)
		t.code, t.parent, t.line = append(t.code, c), append(t.parent, p), append(t.line, s.begin)
		code.add(c, s.place(column[0]+1))
	}
	return t, code
}

func parentName(p string) string {
	if p == "" {
		return "none"
	}
	return quote(p)
}

// link finds the parents by name.
func (t *tree) link(s *sheet) {
	root := int32(len(t.code))
	for i, p := range t.parent {
		n, ok := t.index[p]
		switch {
		case p == "":
			t.grow(root, 0)
		case !ok:
			s.failAt(place{t.line[i], t.column}, "add a line for it, with an empty parent if it is a root",
				"the parent %s has no line of its own", quote(p))
		default:
			t.grow(int32(n), 0)
		}
	}
	t.grow(-1, 0)
}

// rise sets all levels. A node on a cycle is never reached from the leaves upward.
func (t *tree) rise(s *sheet) {
	open := make([]int, len(t.above)) // nodes below that were not reached yet
	for _, p := range t.above {
		if p >= 0 {
			open[p]++
		}
	}
	var ready []int32
	for i, n := range open {
		if n == 0 {
			ready = append(ready, int32(i))
		}
	}
	done := 0
	for ; done < len(ready); done++ {
		n := ready[done]
		if p := t.above[n]; p >= 0 {
			t.level[p] = max(t.level[p], t.level[n]+1)
			if open[p]--; open[p] == 0 {
				ready = append(ready, p)
			}
		}
	}
	if done < len(t.above) {
		t.cycle(s, int32(slices.IndexFunc(open, func(n int) bool { return n > 0 })))
	}
}

// cycle names the codes of the cycle that node n is on or below.
func (t *tree) cycle(s *sheet, n int32) {
	seen := map[int32]bool{}
	for ; !seen[n]; n = t.above[n] {
		seen[n] = true
	}
	names, start := []string{quote(t.code[n])}, n
	for n = t.above[n]; n != start && len(names) < maxNamed; n = t.above[n] {
		names = append(names, quote(t.code[n]))
	}
	s.failAt(place{t.line[start], t.column}, "give one of them another parent, or none",
		"the parents form a circle: %s", strings.Join(append(names, quote(t.code[start])), " under "))
}
