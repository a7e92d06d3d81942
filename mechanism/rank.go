package mechanism

import (
	"math"
	"slices"
)

// Rank fills rank with the places 1..M of the values in ascending order. Ties
// go by column: the lower column ranks lower. NaN is a caller's bug.
func Rank(value []float64, rank []uint16) {
	if rankIntegers(value, rank) {
		return
	}
	var by []uint16
	if len(value) < 200 {
		by = sorted(value)
	} else {
		by = radixSorted(value)
	}
	for i, y := range by {
		rank[y] = uint16(i + 1)
	}
}

// rankIntegers is Rank for integers of a narrow range, as distances in place
// and levels of a tree are: one count and one pass. It reports whether the
// values are such.
func rankIntegers(value []float64, rank []uint16) bool {
	if len(value) == 0 {
		return true
	}
	least, most := int(value[0]), int(value[0])
	for _, v := range value {
		i := int(v)
		if float64(i) != v {
			return false
		}
		least, most = min(least, i), max(most, i)
	}
	if most-least < 0 || most-least >= 4096+2*len(value) {
		return false // too wide, perhaps for an integer
	}
	before := make([]uint16, most-least+2)
	for _, v := range value {
		before[int(v)-least+1]++
	}
	for k := range before[1:] {
		before[k+1] += before[k]
	}
	for y, v := range value {
		at := &before[int(v)-least]
		*at++
		rank[y] = *at
	}
	return true
}

func sorted(value []float64) []uint16 {
	by := make([]uint16, len(value))
	for y := range by {
		by[y] = uint16(y)
	}
	slices.SortFunc(by, func(a, b uint16) int {
		switch va, vb := value[a], value[b]; {
		case va < vb:
			return -1
		case va > vb:
			return 1
		default:
			return int(a) - int(b)
		}
	})
	return by
}

// radixSorted is sorted for long rows, ten times as fast at 10,000: a stable
// radix sort on the bits of the floats, eleven at a time, flipped so that
// they order as integers. Digits that are equal throughout cost one count.
func radixSorted(value []float64) []uint16 {
	type item struct {
		key uint64
		y   uint16
	}
	const width = 11
	from, to := make([]item, len(value)), make([]item, len(value))
	for y, v := range value {
		b := math.Float64bits(v + 0) // -0 becomes +0
		if b>>63 == 1 {
			b = ^b
		} else {
			b |= 1 << 63
		}
		from[y] = item{b, uint16(y)}
	}
	for shift := 0; shift < 64; shift += width {
		var start [1 << width]int
		for _, k := range from {
			start[k.key>>shift&(1<<width-1)]++
		}
		if start[from[0].key>>shift&(1<<width-1)] == len(from) {
			continue
		}
		at := 0
		for d, c := range start {
			start[d] = at
			at += c
		}
		for _, k := range from {
			d := k.key >> shift & (1<<width - 1)
			to[start[d]] = k
			start[d]++
		}
		from, to = to, from
	}
	by := make([]uint16, len(value))
	for i, k := range from {
		by[i] = k.y
	}
	return by
}
