package estimate

import (
	"math/bits"

	"github.com/tacet-privacy/tacet/mechanism"
)

// field is the prime 2^61 - 1. Ranks are computed over the integers modulo it:
// a rank there is never above the true one, and is below it only where the
// prime divides a minor, one chance in about 10^18.
const field = 1<<61 - 1

// Identifiable says what the law of the output tells about the shares P of the
// letters, q = p^T P: the rank of the mechanism, and for every letter whether
// its own share can be estimated. That is so where its unit vector lies in the
// column space of p [Lehmann and Casella 1998, section 3.4]; for the other
// letters only certain sums with others can.
//
// It takes N^2 M steps and 8 N M bytes.
func Identifiable(m *mechanism.Mechanism) (rank int, alone []bool) {
	n := m.Inputs()
	a := transposed(m)
	pivot := reduce(a, n)
	rank = len(pivot)
	alone = make([]bool, n)
	bound := make([]bool, n) // columns of the reduced form that hold a pivot
	for _, x := range pivot {
		bound[x] = true
	}
	for i, x := range pivot {
		alone[x] = true
		for f := range n {
			if !bound[f] && a[i][f] != 0 {
				alone[x] = false
				break
			}
		}
	}
	return rank, alone
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
// hold pivots; row i of the result is that of pivot i.
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
		for j := range a {
			if j == top || a[j][x] == 0 {
				continue
			}
			minus := field - a[j][x]
			for k := x; k < columns; k++ {
				if v := a[top][k]; v != 0 {
					a[j][k] = plus(a[j][k], times(v, minus))
				}
			}
		}
		pivot = append(pivot, x)
	}
	return pivot
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
