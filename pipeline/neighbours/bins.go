package neighbours

import (
	"bytes"
	"cmp"
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/estimate/judge"
	"github.com/tacet-privacy/tacet/mechanism"
)

const (
	// mostSmall is the share of rows in small strata above which numbers are
	// binned.
	mostSmall = .1
	// maxBins is how many quantiles numbers are cut into, minBin how many rows
	// a quantile has at the least.
	maxBins = 256
	minBin  = 100
	// binSteps bounds the work on quantiles, and with it their number where
	// there are hundreds of letters.
	binSteps = 64_000_000
	// unique is the share of different values from which on a column is an
	// identifier.
	unique = .9
)

// A division is the codes by which a column is judged: those of its cells, or of
// quantiles.
type division struct {
	code       []int32
	number     int // of codes, null among them
	distinct   int // cells, null not among them
	bins       int // 0 where there are no quantiles
	identifier bool
	order      float64 // rank correlation with the row's place
}

// mostBins is how many quantiles numbers are cut into at the most, where m
// redraws the letters.
func mostBins(m *mechanism.Mechanism) int {
	steps := 0 // of a quantile with all letters
	for x := range m.Inputs() {
		steps += len(m.Row(x).Output)
	}
	return min(maxBins, max(1, binSteps/max(1, steps)))
}

// divide numbers the cells of a column and cuts numbers into quantiles, of
// which there are most at the most, where they are too many.
func (c *column) divide(from *sample, room *room, most int) *division {
	texts := c.keptTexts() // which are forgotten as cells are numbered
	code, before := c.number(from, room)
	s := &division{code: code, number: len(before) - 1, distinct: len(before) - 2}
	rows, filled, small := len(code), before[len(before)-1], uint64(0)
	for k := 1; k <= s.distinct; k++ {
		if n := before[k+1] - before[k]; n < judge.Small {
			small += n
		}
	}
	s.identifier = filled > 1 && float64(s.distinct) >= unique*float64(filled)
	if !c.typ.Numeric() {
		if s.identifier {
			s.order = textOrder(texts)
		}
		return s
	}
	if s.identifier {
		s.order = order(code, before)
	}
	if float64(small) <= mostSmall*float64(rows) {
		return s
	}
	s.bins = min(most, max(1, int(filled/minBin)))
	s.number = s.bins + 1
	for i, k := range code {
		if k != null {
			code[i] = 1 + int32(before[k]*uint64(s.bins)/max(1, filled))
		}
	}
	return s
}

// keptTexts are those that are kept of the column, in the order of their rows.
func (c *column) keptTexts() (all [][]byte) {
	for _, u := range c.unit {
		for _, t := range u.text {
			all = append(all, u.arena[t.from:t.to])
		}
	}
	return all
}

// textOrder is the rank correlation of texts with their places, by their bytes or by
// the number that their digits make, whichever tells more.
func textOrder(text [][]byte) (most float64) {
	number := make([]uint64, len(text))
	for i, b := range text {
		for _, c := range b {
			if digit[c] {
				number[i] = number[i]*10 + uint64(c-'0') // of more than 18 the last ones, nearly
			}
		}
	}
	for _, less := range []func(a, b int32) int{
		func(a, b int32) int { return bytes.Compare(text[a], text[b]) },
		func(a, b int32) int { return cmp.Compare(number[a], number[b]) },
	} {
		by := make([]int32, len(text))
		for i := range by {
			by[i] = int32(i)
		}
		slices.SortStableFunc(by, less)
		code, before := make([]int32, len(text)), []uint64{0}
		for i, k := range by {
			if i == 0 || less(by[i-1], k) != 0 {
				before = append(before, uint64(i))
			}
			code[k] = int32(len(before) - 1)
		}
		if r := order(code, append(before, uint64(len(text)))); math.Abs(r) > math.Abs(most) {
			most = r
		}
	}
	return most
}

// order is the rank correlation of codes with the places of their rows
// [Spearman 1904]; ties have their mean rank. It is 0 where there is none.
func order(code []int32, before []uint64) float64 {
	n, x, y := 0.0, 0.0, 0.0
	rank := func(k int32) float64 { return float64(before[k]+before[k+1]) / 2 }
	for i, k := range code {
		if k != null {
			n, x, y = n+1, x+rank(k), y+float64(i)
		}
	}
	x, y = x/n, y/n
	xx, xy, yy := 0.0, 0.0, 0.0
	for i, k := range code {
		if k != null {
			a, b := rank(k)-x, float64(i)-y
			xx, xy, yy = xx+a*a, xy+a*b, yy+b*b
		}
	}
	if r := xy / math.Sqrt(xx*yy); n > 2 && !math.IsNaN(r) {
		return r
	}
	return 0
}
