package kept

import (
	"slices"

	"github.com/tacet-privacy/tacet/estimate/audit"
)

const (
	// mostSmall is the share of rows in small strata above which numbers are
	// binned.
	mostSmall = .1
	// maxBins is how many quantiles numbers are cut into, minBin how many rows
	// a quantile has at the least.
	maxBins = 256
	minBin  = 100
	// unique is the share of different values from which on a column is an
	// identifier.
	unique = .9
)

// strata are the codes by which a column is judged.
func (c *codes) strata() (code []int32, bins int, identifier bool) {
	rows, small := int64(len(c.code)), int64(0)
	for k, n := range c.count {
		if n > 0 && n < audit.Small && k != null {
			small += n
		}
	}
	filled := rows - c.count[null]
	identifier = filled > 1 && float64(c.distinct()) >= unique*float64(filled)
	if !c.typ.Numeric() || float64(small) <= mostSmall*float64(rows) {
		return c.code, 0, identifier
	}
	bins = int(min(maxBins, max(1, filled/minBin)))
	order := make([]int32, 0, c.distinct())
	for k := 1; k < len(c.count); k++ {
		order = append(order, int32(k))
	}
	slices.SortFunc(order, func(a, b int32) int {
		switch {
		case c.size[a] < c.size[b]:
			return -1
		case c.size[a] > c.size[b]:
			return 1
		}
		return int(a - b)
	})
	bin := make([]int32, len(c.count)) // 0 for null
	before := int64(0)
	for _, k := range order {
		bin[k] = 1 + int32(before*int64(bins)/max(1, filled))
		before += c.count[k]
	}
	code = make([]int32, len(c.code))
	for i, k := range c.code {
		code[i] = bin[k]
	}
	return code, bins, identifier
}

// most is how many codes strata returned at the most.
func (c *codes) most(bins int) int {
	if bins > 0 {
		return bins + 1
	}
	return len(c.count)
}
