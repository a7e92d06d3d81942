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
	level := t.heights(s)
	known := b.places(s, code)
	c := b.assign(known, nil)
	o := newLevels(c, level, func(l letter) []int32 {
		path := []int32{}
		for n := int32(known[l]); n >= 0; n = t.above[n] {
			path = append(path, n)
		}
		path = append(path, int32(len(t.code))) // the root of no name
		slices.Reverse(path)
		return path
	})
	return c.levels(o, "minus the height of the lowest common ancestor")
}

// A tree is a node per code, in file order, with its parent by name and place.
type tree struct {
	index  map[string]int
	code   []string
	parent []string
	above  []int32 // -1 at a root
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
	t.above = make([]int32, len(t.code))
	for i, p := range t.parent {
		n, ok := t.index[p]
		if !ok && p != "" {
			s.failAt(place{t.line[i], t.column}, "add a line for it, with an empty parent if it is a root",
				"the parent %s has no line of its own", quote(p))
		}
		if t.above[i] = int32(n); p == "" {
			t.above[i] = -1
		}
	}
}

// heights are the levels of all nodes and, last, of the root of no name. A
// node on a cycle is never reached from the leaves upward.
func (t *tree) heights(s *sheet) []int32 {
	level, open := make([]int32, len(t.code)+1), make([]int, len(t.code))
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
		p := t.above[n]
		if p < 0 {
			level[len(t.code)] = max(level[len(t.code)], level[n]+1)
			continue
		}
		level[p] = max(level[p], level[n]+1)
		if open[p]--; open[p] == 0 {
			ready = append(ready, p)
		}
	}
	if done < len(t.code) {
		t.cycle(s, int32(slices.IndexFunc(open, func(n int) bool { return n > 0 })))
	}
	return level
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
