package estimate

import (
	"math/bits"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
)

// field is the prime 2^61 - 1. Ranks are computed over the integers modulo it:
// a rank there is never above the true one, and is below it only where the
// prime divides a minor, one chance in about 10^18.
const field = 1<<61 - 1

// A Span is what the law of the output tells about the shares P of letters, q = p^T
// P: a sum of c_x P_x can be estimated where c lies in the column space of p [Lehmann
// and Casella 1998, section 3.4].
type Span struct {
	total []uint64   // of every row, in the field
	basis [][]uint64 // of that space, with c_x times total x for c_x, in reduced row echelon form
	pivot []int      // letters, by row of basis
}

// SpanOf takes up to N^2 M steps and 8 N M bytes.
func SpanOf(m *mechanism.Mechanism) *Span {
	n := m.Inputs()
	s := &Span{total: make([]uint64, n)}
	for x := range n {
		s.total[x] = uint64(m.Row(x).Total) % field
	}
	a := transposed(m)
	s.pivot = reduce(a, n)
	s.basis = a[:len(s.pivot)]
	return s
}

// Rank is that of the mechanism.
func (s *Span) Rank() int { return len(s.pivot) }

// Letters are as many as the rank, and their rows are linearly independent.
func (s *Span) Letters() []int { return s.pivot }

// Holds reports whether the sum of the shares of some letters can be estimated. A row
// total that the prime divides says nothing, and then it does not.
func (s *Span) Holds(letters []int) bool {
	rest := make([]uint64, len(s.total))
	for _, x := range letters {
		if rest[x] = s.total[x]; rest[x] == 0 {
			return false
		}
	}
	for i, x := range s.pivot {
		subtract(rest, s.basis[i], x)
	}
	return !slices.ContainsFunc(rest, func(v uint64) bool { return v != 0 })
}

// Alone reports for every letter whether its own share can be estimated.
func (s *Span) Alone() []bool {
	alone := make([]bool, len(s.total))
	for i, x := range s.pivot {
		alone[x] = !slices.ContainsFunc(s.basis[i][x+1:], func(v uint64) bool { return v != 0 })
	}
	return alone
}

// transposed is the matrix of weights, one row an output. A row total scales a
// column and changes neither the rank nor which letters stand alone.
func transposed(m *mechanism.Mechanism) [][]uint64 {
	n := m.Inputs()
	cells := make([]uint64, n*m.Outputs())
	a := make([][]uint64, m.Outputs())
	for y := range a {
		a[y] = cells[y*n : (y+1)*n]
	}
	for x := range n {
		r := m.Row(x)
		for i, y := range r.Output {
			a[y][x] = uint64(r.At(i)) % field
		}
	}
	return a
}

// reduce brings a to its reduced row echelon form and returns the columns that
// hold pivots; row i of the result is that of pivot i. Downwards first: where every
// column holds a pivot, the form is the identity, and half of the steps are saved.
func reduce(a [][]uint64, columns int) []int {
	var pivot []int
	for x := range columns {
		top := len(pivot)
		i := top
		for i < len(a) && a[i][x] == 0 {
			i++
		}
		if i == len(a) {
			continue
		}
		a[top], a[i] = a[i], a[top]
		scale := inverse(a[top][x])
		for k := x; k < columns; k++ {
			a[top][k] = times(a[top][k], scale)
		}
		for _, row := range a[top+1:] {
			subtract(row, a[top], x)
		}
		pivot = append(pivot, x)
	}
	for i := len(pivot) - 1; i >= 0; i-- {
		for _, row := range a[:i] {
			if len(pivot) == columns {
				row[pivot[i]] = 0
				continue
			}
			subtract(row, a[i], pivot[i])
		}
	}
	return pivot
}

// subtract takes the multiple of a row of pivot x from another that makes this 0 at x.
func subtract(row, of []uint64, x int) {
	if row[x] == 0 {
		return
	}
	minus := field - row[x]
	for k := x; k < len(row); k++ {
		if v := of[k]; v != 0 {
			row[k] = plus(row[k], times(v, minus))
		}
	}
}

func plus(a, b uint64) uint64 {
	if s := a + b; s < field {
		return s
	}
	return a + b - field
}

// times is a b modulo 2^61 - 1, for a and b below it: hi 2^64 + lo is
// (8 hi + lo / 2^61) 2^61 + lo mod 2^61, and 2^61 is 1.
func times(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return plus(lo&field, hi<<3|lo>>61)
}

// inverse is a^(field-2) [Fermat].
func inverse(a uint64) uint64 {
	out := uint64(1)
	for e := uint64(field - 2); e > 0; e >>= 1 {
		if e&1 == 1 {
			out = times(out, a)
		}
		a = times(a, a)
	}
	return out
}
