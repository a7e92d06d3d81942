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

// restores reports whether the cells of column i, which has these values at the first stage,
// would give the rows their order back after a shuffle: nearly every row has a value of its
// own, and these rise or fall with the places of the rows.
func (j *jury) restores(i int, v *values) bool {
	if rows := j.stage[0].own; float64(v.many) < unique*float64(rows-v.nulls(rows)) || !v.rise(rows) {
		return false
	}
	var key []uint64
	for k, null := range j.column[i].null {
		if !null {
			key = append(key, j.column[i].key[k])
		}
	}
	rows := len(key)
	slices.Sort(key)
	n := len(slices.Compact(key))
	return n >= 2 && float64(n) >= unique*float64(rows)
}

// nulls counts those among the first rows.
func (v *values) nulls(rows int) (n int) {
	for _, x := range v.of[:rows] {
		if int(x) == v.null {
			n++
		}
	}
	return n
}

// rise reports whether the values of the first rows rise or fall with these: texts by their bytes, or by
// the number that their digits make.
func (v *values) rise(rows int) bool {
	rank, of := v.ranks(), []int32{}
	for k := 0; k < rows; k += max(1, rows/glanced) {
		if x := v.of[k]; int(x) != v.null {
			of = append(of, x)
		}
	}
	if math.Abs(rankOrder(spreadOut(rank, of))) >= keepsOrder {
		return true
	}
	if v.text == nil {
		return false
	}
	number := make([]uint64, len(of))
	for i, x := range of {
		for _, c := range []byte(v.text[x]) {
			if digit[c] {
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
