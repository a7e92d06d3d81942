package optimum

import (
	"cmp"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/interior"
)

// A Pattern is a support restricted to the letters with records, by columns.
type Pattern struct {
	Prior   mechanism.Prior
	Support *mechanism.Support
	Letter  []int     // the letters with records, ascending
	Count   []int64   // their counts
	Column  [][]int32 // S_y as places in letter, ascending; may be empty
	Mass    []int64   // n P(S_y)
}

// NewPattern looks at s by columns. The prior must have as many letters as s.
func NewPattern(p mechanism.Prior, s *mechanism.Support) *Pattern {
	if p.Letters() != s.Inputs() {
		panic("mechanism: prior and support differ in letters")
	}
	t := &Pattern{Prior: p, Support: s, Column: make([][]int32, s.Outputs()), Mass: s.Mass(p)}
	var row []uint16
	for x := range p.Letters() {
		if p.Count(x) == 0 {
			continue
		}
		row = s.AppendRow(row[:0], x)
		for _, y := range row {
			t.Column[y] = append(t.Column[y], int32(len(t.Letter)))
		}
		t.Letter = append(t.Letter, x)
		t.Count = append(t.Count, p.Count(x))
	}
	return t
}

// Cells is the number of allowed cells.
func (t *Pattern) Cells() int {
	sum := 0
	for _, rows := range t.Column {
		sum += len(rows)
	}
	return sum
}

// A Reduction is a pattern with the same least factor and less to solve:
//
//   - an output whose S_y lies within that of another output is left out: its
//     weight can move to the other, and the factor of a sum of columns is at
//     most the larger one's;
//   - letters with the same B_x are one letter with their joint count: the
//     mean of their rows serves all of them, with the same output law.
type Reduction struct {
	interior.Problem
	Group  []int   // for every place in letter, the row of the problem
	Output []int   // for every column of the problem, the output
	Joint  []int64 // the count of every row
}

// Reduce leaves out what is contained and joins what is equal.
func (t *Pattern) Reduce() Reduction {
	r := Reduction{Group: make([]int, len(t.Letter)), Output: t.maximal()}
	// Rows are told apart by what they allow among the outputs kept.
	words := (len(r.Output) + 63) / 64
	signature := make([]uint64, words*len(t.Letter))
	for k, y := range r.Output {
		for _, i := range t.Column[y] {
			signature[int(i)*words+k/64] |= 1 << (k % 64)
		}
	}
	first := make(map[uint64][]int)
	var leader []int
	for i := range t.Letter {
		sig := signature[i*words : (i+1)*words]
		h := uint64(14695981039346656037)
		for _, w := range sig {
			h = (h ^ w) * 1099511628211
			h ^= h >> 29
		}
		r.Group[i] = -1
		for _, g := range first[h] {
			if slices.Equal(signature[leader[g]*words:(leader[g]+1)*words], sig) {
				r.Group[i] = g
				break
			}
		}
		if r.Group[i] < 0 {
			r.Group[i] = len(leader)
			first[h] = append(first[h], len(leader))
			leader = append(leader, i)
			r.Joint = append(r.Joint, 0)
		}
		r.Joint[r.Group[i]] += t.Count[i]
	}
	for _, c := range r.Joint {
		r.Prob = append(r.Prob, float64(c)/float64(t.Prior.Total()))
	}
	for _, y := range r.Output {
		var rows []int32
		for _, i := range t.Column[y] {
			if g := r.Group[i]; leader[g] == int(i) {
				rows = append(rows, int32(g))
			}
		}
		r.Column = append(r.Column, rows)
	}
	return r
}

// maximal are the outputs whose S_y is not empty and within no other; of
// equal ones the first.
func (t *Pattern) maximal() []int {
	n := len(t.Letter)
	words := (n + 63) / 64
	set := make([]uint64, words*len(t.Column))
	of := func(y int) []uint64 { return set[y*words : (y+1)*words] }
	for y, rows := range t.Column {
		for _, i := range rows {
			of(y)[i/64] |= 1 << (i % 64)
		}
	}
	var keep []int
	for y, rows := range t.Column {
		if len(rows) == 0 {
			continue
		}
		contains := func(z int) bool {
			larger := len(t.Column[z]) - len(rows)
			if z == y || larger < 0 || larger == 0 && z > y {
				return false
			}
			for k, w := range of(y) {
				if w&^of(z)[k] != 0 {
					return false
				}
			}
			return true
		}
		z := 0
		for z < len(t.Column) && !contains(z) {
			z++
		}
		if z == len(t.Column) {
			keep = append(keep, y)
		}
	}
	return keep
}

// EstimateBytes is about the memory that Least and Largest need for a
// support of this many cells: 25 floats per cell, four dense matrices.
func EstimateBytes(inputs, outputs, cells int) int64 {
	n, m, c := int64(inputs), int64(outputs), int64(cells)
	return 8*(25*c+2*n*m+2*n*n+40*(n+m)) + 16*c
}

// optimalBytes and FitCells, which is N M, bound what is given to the
// solver unasked.
const (
	FitCells     = 1 << 20
	optimalBytes = 2 << 30
)

// Fits reports whether an alphabet is small enough for Least and
// Largest to be tried unasked.
func Fits(inputs, outputs int) bool {
	cells := inputs * outputs
	return cells <= FitCells && EstimateBytes(inputs, outputs, cells) <= optimalBytes
}

// Affords reports whether the float solver stays within limit bytes, 0 meaning 4 GiB.
func (t *Pattern) Affords(limit int64) bool {
	return EstimateBytes(len(t.Letter), len(t.Column), t.Cells()) <= cmp.Or(limit, 4<<30)
}
