package estimate

import (
	"math/bits"
	"slices"
)

// digitBits is the width of the digits by which keys are sorted.
const digitBits = 11

// SortKeys sorts keys by their bits from the given one on, and leaves the order
// of those that are equal there [Knuth 1998, 5.2.5]. It uses room, which has
// their length at the least, and returns the one of the two that holds them
// in the end.
func SortKeys(keys, room []uint64, from int) []uint64 {
	low := func(a, b uint64) int {
		switch {
		case a>>from < b>>from:
			return -1
		case a>>from > b>>from:
			return 1
		}
		return 0
	}
	if slices.IsSortedFunc(keys, low) {
		return keys
	}
	seen := uint64(0)
	for _, k := range keys {
		seen |= k
	}
	room = room[:len(keys)]
	for shift := from; shift < bits.Len64(seen); shift += digitBits {
		var at [1 << digitBits]int
		for _, k := range keys {
			at[k>>shift&(1<<digitBits-1)]++
		}
		if at[keys[0]>>shift&(1<<digitBits-1)] == len(keys) {
			continue
		}
		before := 0
		for d, n := range at {
			at[d], before = before, before+n
		}
		for _, k := range keys {
			d := k >> shift & (1<<digitBits - 1)
			room[at[d]] = k
			at[d]++
		}
		keys, room = room, keys
	}
	return keys
}
