package neighbours

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

const (
	// unique is the share of different values from which on a column is an
	// identifier.
	unique = .9
	// keepsOrder is the rank correlation from which on it gives the rows' order back.
	keepsOrder = .9
	// glanced is about how many cells this is found from.
	glanced = 1000
)

// restores reports whether a column, which has these values at the first stage, would give
// the rows their order back after a shuffle: nearly every row has a value of its own, and
// these rise or fall with the places of the rows, texts by their bytes or by the number that
// their digits make.
func (v *values) restores(rows int) bool {
	known, of := 0, []int32{}
	for k, x := range v.of[:rows] {
		if int(x) == v.null {
			continue
		}
		if known++; k%max(1, rows/glanced) == 0 {
			of = append(of, x)
		}
	}
	if float64(v.many) < unique*float64(known) {
		return false
	}
	if math.Abs(rankOrder(spreadOut(v.ranks(), of))) >= keepsOrder {
		return true
	}
	number := make([]uint64, len(of))
	for i, x := range of {
		for k := 0; v.text != nil && k < len(v.text[x]); k++ {
			if c := v.text[x][k]; digit[c] {
				number[i] = number[i]*10 + uint64(c-'0') // of more than 18 the last ones, nearly
			}
		}
	}
	return math.Abs(rankOrder(number)) >= keepsOrder
}

// rankOrder is the rank correlation of keys with their places [Spearman 1904]; ties have
// their mean rank. It is 0 where there is none.
func rankOrder[T cmp.Ordered](key []T) float64 {
	n := len(key)
	by := firstRows(n)
	slices.SortFunc(by, func(a, b int32) int { return cmp.Compare(key[a], key[b]) })
	rank, place := make([]float64, n), make([]float64, n)
	for from := 0; from < n; {
		to := from + 1
		for to < n && key[by[from]] == key[by[to]] {
			to++
		}
		for _, i := range by[from:to] {
			rank[i], place[i] = float64(from+to), float64(i)
		}
		from = to
	}
	if r := stat.Correlation(place, rank, nil); n > 2 && !math.IsNaN(r) {
		return r
	}
	return 0
}
