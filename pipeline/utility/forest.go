package utility

import (
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
)

// A forest is nodes with levels that fall along every path from a root down.
type forest struct {
	above []int32 // of each node; -1 of a root
	level []int32
}

// grow adds a node below another.
func (f *forest) grow(above, level int32) int32 {
	f.above, f.level = append(f.above, above), append(f.level, level)
	return int32(len(f.above) - 1)
}

// path leads from the root down to a node.
func (f *forest) path(node int32) []int32 {
	path := []int32{}
	for n := node; n >= 0; n = f.above[n] {
		path = append(path, n)
	}
	slices.Reverse(path)
	return path
}

// levels is the order by lowest common ancestors of the letters, each of which is a node.
func (c *cast) levels(f *forest, node func(letter) int32, basis string) *draft {
	in, out, self := make([][]int32, len(c.rows)), make([][]int32, len(c.outputs)), make([]int32, len(c.rows))
	output := make(map[letter]int32, len(c.outputs))
	for y, l := range c.outputs {
		output[l], out[y] = int32(y), f.path(node(l))
	}
	for x, l := range c.rows {
		y, ok := output[l]
		if self[x], in[x] = y, f.path(node(l)); !ok {
			self[x] = -1
		}
	}
	return &draft{cast: c, order: mechanism.NewTree(in, out, f.level, self), unit: "levels", basis: basis,
		top: f.top(slices.Concat(in, out))}
}

// top is the level of the lowest node that all paths share, 0 for none: whatever stands for
// another is at most so many levels up.
func (f *forest) top(paths [][]int32) float64 {
	if len(paths) == 0 {
		return 0
	}
	common := paths[0]
	for _, path := range paths {
		n := 0
		for n < min(len(common), len(path)) && path[n] == common[n] {
			n++
		}
		common = common[:n]
	}
	if len(common) == 0 {
		return 0
	}
	return float64(f.level[common[len(common)-1]])
}

// buildAny orders values that have no order: one group holds all of them.
func buildAny(b *builder, _ string) *draft {
	c, f := &cast{rows: b.rows(false), outputs: b.outputs(false)}, &forest{}
	all := f.grow(-1, 1)
	return c.levels(f, func(letter) int32 { return all }, "0 for the value itself, -1 for any other")
}
