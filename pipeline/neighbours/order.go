package neighbours

import (
	"bytes"
	"cmp"
	"math"
	"slices"
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

// restores reports whether the cells of a column would give the rows their order back
// after a shuffle: nearly every row has a value of its own, and these rise or fall with
// the places of the rows.
func (c *column) restores(s *sample) bool {
	if math.Abs(c.order(s)) < keepsOrder {
		return false
	}
	key := s.known(c, 1)
	rows := len(key)
	slices.Sort(key)
	n := len(slices.Compact(key))
	return n >= 2 && float64(n) >= unique*float64(rows)
}

// order is the rank correlation of some cells, spread over all, with their places.
func (c *column) order(s *sample) float64 {
	if !c.typ.Numeric() {
		return textOrder(c.keptTexts())
	}
	return keyOrder(s.known(c, max(1, s.cells()/glanced)))
}

// known are the keys of every step-th cell, without nulls.
func (s *sample) known(c *column, step int) (all []uint64) {
	var cell []int32
	for i := 0; i < s.cells(); i += step {
		cell = append(cell, int32(i))
	}
	s.keys(c, cell, func(_ int, key uint64, ok bool) {
		if ok {
			all = append(all, key)
		}
	})
	return all
}

// keyOrder is the rank correlation of keys with their places.
func keyOrder(key []uint64) float64 {
	return rankOrder(len(key), func(a, b int32) int { return cmp.Compare(key[a], key[b]) })
}

// keptTexts are some of those that are kept of the column, spread over them in the order of their rows.
func (c *column) keptTexts() (some [][]byte) {
	n := 0
	for i := range c.unit {
		n += len(c.unit[i].text)
	}
	at, step := 0, max(1, n/glanced)
	for i := range c.unit {
		u := &c.unit[i]
		for ; at < len(u.text); at += step {
			some = append(some, u.arena[u.text[at].from:u.text[at].to])
		}
		at -= len(u.text)
	}
	return some
}

// textOrder is the rank correlation of texts with their places, by their bytes or by
// the number that their digits make, whichever tells more.
func textOrder(text [][]byte) float64 {
	number := make([]uint64, len(text))
	for i, b := range text {
		for _, c := range b {
			if digit[c] {
				number[i] = number[i]*10 + uint64(c-'0') // of more than 18 the last ones, nearly
			}
		}
	}
	bytewise := rankOrder(len(text), func(a, b int32) int { return bytes.Compare(text[a], text[b]) })
	if r := keyOrder(number); math.Abs(r) > math.Abs(bytewise) {
		return r
	}
	return bytewise
}

// rankOrder is the rank correlation of n cells with their places [Spearman 1904]; ties have
// their mean rank. It is 0 where there is none.
func rankOrder(n int, compare func(a, b int32) int) float64 {
	by := make([]int32, n)
	for i := range by {
		by[i] = int32(i)
	}
	slices.SortFunc(by, compare)
	middle := float64(n-1) / 2 // of the ranks, and of the places
	xx, xy, yy := 0.0, 0.0, 0.0
	for from := 0; from < n; {
		to := from + 1
		for to < n && compare(by[from], by[to]) == 0 {
			to++
		}
		rank := float64(from+to-1)/2 - middle
		for _, i := range by[from:to] {
			place := float64(i) - middle
			xx, xy, yy = xx+rank*rank, xy+rank*place, yy+place*place
		}
		from = to
	}
	if r := xy / math.Sqrt(xx*yy); n > 2 && !math.IsNaN(r) {
		return r
	}
	return 0
}
