package mechanism

import (
	"math/bits"

	"github.com/tacet-privacy/tacet/mechanism/interior"
)

// A pattern is a support restricted to the letters with records, by columns.
type pattern struct {
	prior  Prior
	s      *Support
	letter []int     // the letters with records, ascending
	count  []int64   // their counts
	column [][]int32 // S_y as places in letter, ascending; may be empty
	mass   []int64   // n P(S_y)
}

func newPattern(p Prior, s *Support) *pattern {
	if p.Letters() != s.Inputs() {
		panic("mechanism: prior and support differ in letters")
	}
	t := &pattern{prior: p, s: s, column: make([][]int32, s.Outputs()), mass: s.Mass(p)}
	var row []uint16
	for x := range p.Letters() {
		if p.Count(x) == 0 {
			continue
		}
		row = s.AppendRow(row[:0], x)
		for _, y := range row {
			t.column[y] = append(t.column[y], int32(len(t.letter)))
		}
		t.letter = append(t.letter, x)
		t.count = append(t.count, p.Count(x))
	}
	return t
}

// cells is the number of allowed cells.
func (t *pattern) cells() int {
	sum := 0
	for _, rows := range t.column {
		sum += len(rows)
	}
	return sum
}

// A reduction is a pattern with the same least factor and less to solve:
//
//   - an output whose S_y lies within that of another output is left out: its
//     weight can move to the other, and the factor of a sum of columns is at
//     most the larger one's;
//   - letters with the same B_x are one letter with their joint count: the
//     mean of their rows serves all of them, with the same output law.
type reduction struct {
	interior.Problem
	group  []int   // for every place in letter, the row of the problem
	output []int   // for every column of the problem, the output
	joint  []int64 // the count of every row
}

func (t *pattern) reduce() reduction {
	r := reduction{group: make([]int, len(t.letter))}
	for _, y := range t.maximal() {
		r.output = append(r.output, y)
	}
	// Rows are told apart by what they allow among the outputs kept.
	words := (len(r.output) + 63) / 64
	signature := make([]uint64, words*len(t.letter))
	for k, y := range r.output {
		for _, i := range t.column[y] {
			signature[int(i)*words+k/64] |= 1 << (k % 64)
		}
	}
	first := make(map[uint64][]int)
	var leader []int
	for i := range t.letter {
		sig := signature[i*words : (i+1)*words]
		h := uint64(14695981039346656037)
		for _, w := range sig {
			h = (h ^ w) * 1099511628211
			h ^= h >> 29
		}
		r.group[i] = -1
		for _, g := range first[h] {
			if equalWords(signature[leader[g]*words:(leader[g]+1)*words], sig) {
				r.group[i] = g
				break
			}
		}
		if r.group[i] < 0 {
			r.group[i] = len(leader)
			first[h] = append(first[h], len(leader))
			leader = append(leader, i)
			r.joint = append(r.joint, 0)
		}
		r.joint[r.group[i]] += t.count[i]
	}
	for _, c := range r.joint {
		r.Prob = append(r.Prob, float64(c)/float64(t.prior.Total()))
	}
	for _, y := range r.output {
		var rows []int32
		for _, i := range t.column[y] {
			if g := r.group[i]; leader[g] == int(i) {
				rows = append(rows, int32(g))
			}
		}
		r.Column = append(r.Column, rows)
	}
	return r
}

// maximal are the outputs whose S_y is not empty and within no other; of
// equal ones the first.
func (t *pattern) maximal() []int {
	n := len(t.letter)
	words := (n + 63) / 64
	set := make([]uint64, words*len(t.column))
	of := func(y int) []uint64 { return set[y*words : (y+1)*words] }
	for y, rows := range t.column {
		for _, i := range rows {
			of(y)[i/64] |= 1 << (i % 64)
		}
	}
	var keep []int
	for y, rows := range t.column {
		if len(rows) == 0 {
			continue
		}
		inside := false
		for z, other := range t.column {
			if z == y || len(other) < len(rows) || len(other) == len(rows) && z > y {
				continue
			}
			if within(of(y), of(z)) {
				inside = true
				break
			}
		}
		if !inside {
			keep = append(keep, y)
		}
	}
	return keep
}

func within(a, b []uint64) bool {
	for k, w := range a {
		if w&^b[k] != 0 {
			return false
		}
	}
	return true
}

func equalWords(a, b []uint64) bool {
	for k, w := range a {
		if w != b[k] {
			return false
		}
	}
	return true
}

// wide is an unsigned 128-bit integer.
type wide struct{ hi, lo uint64 }

func product(a, b int64) wide {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	return wide{hi, lo}
}

func (a wide) less(b wide) bool { return a.hi < b.hi || a.hi == b.hi && a.lo < b.lo }

// minus is a - b for a >= b.
func (a wide) minus(b wide) wide {
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	hi, _ := bits.Sub64(a.hi, b.hi, borrow)
	return wide{hi, lo}
}

// plus is a + b below 2^128.
func (a wide) plus(b wide) wide {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	hi, _ := bits.Add64(a.hi, b.hi, carry)
	return wide{hi, lo}
}

// float is a with a relative error below 2^-52.
func (a wide) float() float64 { return float64(a.hi)*0x1p64 + float64(a.lo) }
