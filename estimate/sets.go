package estimate

import (
	"math"
	"math/bits"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
)

// setCells is the size of an order up to which equal sets are counted once.
const setCells = 4 << 20

// DistinctSets counts the different sets S_y of letters that the floors of an
// order give its outputs: those of one floor, or, with nil, of every rank
// floor or every value floor. A floor that was chosen from the data is one of
// all. Sets that are equal for two outputs or floors count once, but in an
// order of more than 4 M cells, where the count is an upper bound.
func DistinctSets(o mechanism.Order, byValue bool, floor *mechanism.Floor) int {
	n, m := o.Inputs(), o.Outputs()
	if n == 0 || m == 0 {
		return 0
	}
	if n*m > setCells {
		if floor != nil {
			return m
		}
		return n * m
	}
	var key [][2]uint64
	if floor != nil {
		s := mechanism.SupportOf(o, *floor)
		for y := range m {
			var k [2]uint64
			for x := range n {
				if s.Allowed(x, y) {
					k = with(k, x)
				}
			}
			key = append(key, k)
		}
	} else {
		key = allSets(o, byValue)
	}
	slices.SortFunc(key, func(a, b [2]uint64) int {
		for i := range a {
			if a[i] != b[i] {
				if a[i] < b[i] {
					return -1
				}
				return 1
			}
		}
		return 0
	})
	key = slices.Compact(key)
	if len(key) > 0 && key[0] == ([2]uint64{}) { // no letter at all
		return len(key) - 1
	}
	return len(key)
}

// allSets has a key for every set of every output: its letters join in the
// order of how good the output is for them, equally good ones together.
func allSets(o mechanism.Order, byValue bool) (key [][2]uint64) {
	n, m := o.Inputs(), o.Outputs()
	level := make([]float64, n*m)
	rank, value := make([]uint16, m), make([]float64, m)
	for x := range n {
		o.Row(x, rank, value)
		for y := range m {
			switch at := &level[y*n+x]; {
			case math.IsInf(value[y], -1):
				*at = math.Inf(-1)
			case byValue:
				*at = value[y]
			default:
				*at = float64(rank[y])
			}
		}
	}
	letter := make([]int, n)
	for y := range m {
		l := level[y*n : (y+1)*n]
		for x := range letter {
			letter[x] = x
		}
		slices.SortFunc(letter, func(a, b int) int {
			switch {
			case l[a] > l[b]:
				return -1
			case l[a] < l[b]:
				return 1
			}
			return 0
		})
		var k [2]uint64
		for i, x := range letter {
			if math.IsInf(l[x], -1) {
				break
			}
			k = with(k, x)
			if i+1 == n || l[letter[i+1]] != l[x] {
				key = append(key, k)
			}
		}
	}
	return key
}

// with is the key of a set with one more letter: 128 bits that two different
// sets of one order share with a chance of about 2^-80.
func with(key [2]uint64, letter int) [2]uint64 {
	for i := range key {
		// The finaliser of SplitMix64 [Steele, Lea and Flood 2014].
		z := (uint64(letter)*2 + uint64(i) + 1) * 0x9e3779b97f4a7c15
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		key[i] += bits.RotateLeft64(z^z>>31, i)
	}
	return key
}
