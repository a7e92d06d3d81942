package neighbours

import (
	"fmt"
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/estimate/judge"
)

// Sizes are the rules by the order of values alone: value v is the v-th
// smallest and has rows[v] rows; the one at null, where that is not negative,
// has no place in the order.
func Sizes(rows []int32, null int) []judge.Rule {
	rules := []judge.Rule{own(len(rows)), {Name: "the values next to it in their order", Order: func() []int32 {
		order := make([]int32, 0, len(rows)+1)
		for v := range rows {
			if v != null {
				order = append(order, int32(v))
			}
		}
		if null >= 0 {
			order = append(order, -1, int32(null))
		}
		return order
	}}}
	if null >= 0 {
		rules = append(rules, Null(null))
	}
	total := uint64(0)
	for v, n := range rows {
		if v != null {
			total += uint64(n)
		}
	}
	for _, cuts := range []uint64{16, 64, 256, 1024} {
		if len(rows) <= int(cuts) {
			break
		}
		rules = append(rules, judge.Rule{Name: fmt.Sprintf("its size, in %d parts", cuts), Key: func(to []uint64) {
			before := uint64(0)
			for v, n := range rows {
				if to[v] = 0; v != null {
					to[v] = 1 + (2*before+uint64(n))*cuts/(2*max(1, total))
					before += uint64(n)
				}
			}
		}})
	}
	return rules
}

// Integers are the rules for whole numbers, by value; unknown is true for those
// that have none.
func Integers(n []int64, unknown []bool) []judge.Rule {
	least, most := int64(math.MaxInt64), int64(math.MinInt64)
	for v, n := range n {
		if !unknown[v] {
			least, most = min(least, n), max(most, n)
		}
	}
	if least > most {
		return nil
	}
	return append(ruled(n, unknown, wholeTable(least, uint64(most)-uint64(least))), epochs(n, unknown)...)
}

// wholeTable are the rules of whole numbers that spread so wide above the least. Keys are
// at least 1.
func wholeTable(least int64, wide uint64) (table []rule[int64]) {
	add := func(from uint64, name string, key func(int64) uint64) {
		if wide >= from {
			table = append(table, rule[int64]{name, key})
		}
	}
	for m := int64(2); m <= 1000; m++ {
		if m <= 64 || slices.Contains(residues, m) {
			add(uint64(m), fmt.Sprintf("its remainder by %d", m), func(n int64) uint64 { return 1 + modulo(n, m) })
		}
	}
	for _, d := range []int64{10, 100, 1000, 10_000, 1_000_000} {
		add(uint64(d), fmt.Sprintf("its whole multiples of %d", d),
			func(n int64) uint64 { return 1 + uint64(floorDiv(n, d)-floorDiv(least, d)) })
	}
	for _, shift := range []int{4, 8, 16} {
		add(1<<shift, fmt.Sprintf("its bits %d to %d", shift, shift+7),
			func(n int64) uint64 { return 1 + uint64(n)>>shift&0xff })
	}
	sum := func(n int64) (sum uint64) {
		for ; n != 0; n /= 10 {
			sum += uint64(max(n%10, -(n % 10)))
		}
		return sum
	}
	add(10, "the sum of its digits", sum)
	add(100, "the last digit of the sum of its digits", func(n int64) uint64 { return 1 + sum(n)%10 })
	add(0, "the number of its digits", func(n int64) uint64 {
		k := uint64(1)
		for ; n != 0; n /= 10 {
			k++
		}
		return k
	})
	return table
}

// residues beside 2 to 64.
var residues = []int64{97, 100, 128, 256, 365, 1000}

// modulo is the remainder by m, from 0 on.
func modulo(n, m int64) uint64 {
	if n %= m; n < 0 {
		n += m
	}
	return uint64(n)
}

func floorDiv(n, d int64) int64 {
	q := n / d
	if n%d < 0 {
		q--
	}
	return q
}

// epochs are the parts of dates, where nearly all numbers would be plausible
// seconds, milliseconds or days since 1970.
func epochs(n []int64, unknown []bool) []judge.Rule {
	for _, u := range []struct {
		from, to int64
		second   func(int64) int64
	}{
		{300_000_000, 4_000_000_000, func(n int64) int64 { return n }},
		{300_000_000_000, 4_000_000_000_000, func(n int64) int64 { return floorDiv(n, 1000) }},
		{1000, 40_000, func(n int64) int64 { return n * 86400 }},
	} {
		good, all := 0, 0
		for v := 0; v < len(n); v += max(1, len(n)/probes) {
			if !unknown[v] {
				if all++; n[v] >= u.from && n[v] <= u.to {
					good++
				}
			}
		}
		if good > 0 && 10*good >= 9*all {
			second := make([]int64, len(n))
			for v, n := range n {
				second[v] = u.second(n)
			}
			return Moments(second, unknown)
		}
	}
	return nil
}

// Floats are the rules for floating-point numbers, by value.
func Floats(f []float64, unknown []bool) []judge.Rule {
	whole, round := true, true
	for v, x := range f {
		if !unknown[v] {
			whole = whole && x == math.Floor(x)
			round = round && math.Abs(x) < 1<<53
		}
	}
	if !whole || !round {
		return ruled(f, unknown, floatTable)
	}
	n := make([]int64, len(f))
	for v, x := range f {
		if !unknown[v] {
			n[v] = int64(x)
		}
	}
	return append(ruled(f, unknown, floatTable[:magnitudes]), Integers(n, unknown)...)
}

// floatTable are the rules of floating-point numbers; whole ones have the first alone,
// their magnitudes, and those of whole numbers.
var floatTable = []rule[float64]{
	finite("its order of magnitude", func(x float64) uint64 { return magnitude(x, math.Log10) }),
	finite("its binary order of magnitude", func(x float64) uint64 { return magnitude(x, math.Log2) }),
	finite("its whole part", func(x float64) uint64 { return math.Float64bits(math.Floor(x)) >> 1 }),
	finite("its fraction to 1 places", fraction(10)),
	finite("its fraction to 2 places", fraction(100)),
	finite("its fraction to 3 places", fraction(1000)),
	finite("its digit 2 behind the point", behind(2)),
	finite("its digit 3 behind the point", behind(3)),
	finite("its digit 4 behind the point", behind(4)),
	finite("its digit 5 behind the point", behind(5)),
	finite("its digit 6 behind the point", behind(6)),
}

const magnitudes = 2

// finite is a rule for which what is infinite or no number is one value.
func finite(name string, key func(float64) uint64) rule[float64] {
	return rule[float64]{name, func(x float64) uint64 {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return 1
		}
		return 2 + key(x)
	}}
}

func fraction(ten float64) func(float64) uint64 {
	return func(x float64) uint64 { return uint64(math.Floor((x-math.Floor(x))*ten + 1e-6)) }
}

func behind(place int) func(float64) uint64 {
	ten := math.Pow10(place)
	return func(x float64) uint64 {
		if x = math.Abs(x)*ten + 1e-4; x < 1<<63 {
			return uint64(x) % 10
		}
		return 0 // floats so large have no such digit
	}
}

func magnitude(x float64, log func(float64) float64) uint64 {
	if x == 0 {
		return 0
	}
	return uint64(int64(math.Floor(log(math.Abs(x))))+2000)<<1 | uint64(math.Float64bits(x)>>63)
}

// Two are the rules for two columns, by row: which values or quantiles they have, and the
// sum and the difference of numbers, or of times; of those which remainders letters may
// follow.
func Two(codes [][2][]int32, a, b *numbers, of [2][]int32, follows func(n []int64) []int64) (rules []judge.Rule) {
	for k, c := range codes {
		name := "both values"
		if k > 0 {
			name = "the sizes of both"
		}
		rules = append(rules, judge.Rule{Name: name, Key: func(to []uint64) {
			for v, x := range c[0] {
				to[v] = uint64(x)<<32 | uint64(c[1][v])
			}
		}})
	}
	if a.size == nil || b.size == nil {
		return rules
	}
	exact := a.whole != nil && b.whole != nil && !a.time && !b.time
	sum, difference := make([]int64, len(of[0])), make([]int64, len(of[0]))
	for k, v := range of[0] {
		w := of[1][k]
		if exact {
			sum[k], difference[k] = a.whole[v]+b.whole[w], a.whole[v]-b.whole[w]
		} else {
			sum[k], difference[k] = rounded(a.size[v]+b.size[w]), rounded(a.size[v]-b.size[w])
		}
	}
	rules = append(rules, counts("their difference", difference, follows)...)
	if !a.time || !b.time {
		rules = append(rules, counts("their sum", sum, follows)...)
	}
	return rules
}

// rounded is a number in millionths, or as a whole one where it is large.
func rounded(x float64) int64 {
	switch {
	case math.Abs(x) < 9e12:
		return int64(math.Round(x * 1e6))
	case math.Abs(x) < 9e18:
		return int64(x)
	}
	return 0 // infinite, or none
}

// counts are the rules of numbers that were computed, by row: themselves, their sizes, and
// the remainders that letters may follow.
func counts(name string, of []int64, follows func(n []int64) []int64) []judge.Rule {
	rules := []judge.Rule{{Name: name, Key: func(to []uint64) {
		for v, n := range of {
			to[v] = uint64(n)
		}
	}}, ranked(name, of)}
	for _, m := range follows(of) {
		rules = append(rules, remainder(name+", its", of, nil, m))
	}
	return rules
}

// remainder is the rule of a remainder by m.
func remainder(of string, n []int64, unknown []bool, m int64) judge.Rule {
	return judge.Rule{Name: fmt.Sprintf("%s remainder by %d", of, m), Key: func(to []uint64) {
		for v, n := range n {
			if to[v] = 0; unknown == nil || !unknown[v] {
				to[v] = 1 + modulo(n, m)
			}
		}
	}}
}

// ranked cuts numbers into 64 parts, of equally many among some of them.
func ranked(name string, of []int64) judge.Rule {
	return judge.Rule{Name: name + ", its size, in 64 parts", Key: func(to []uint64) {
		sorted := make([]int64, 0, 256)
		for v := 0; v < len(of); v += max(1, len(of)/128) {
			sorted = append(sorted, of[v])
		}
		slices.Sort(sorted)
		var cuts [63]int64
		for k := range cuts {
			cuts[k] = sorted[(k+1)*len(sorted)/64]
		}
		for v, n := range of {
			at := 0
			for step := 32; step > 0; step /= 2 {
				if cuts[at+step-1] <= n {
					at += step
				}
			}
			to[v] = uint64(at)
		}
	}}
}

// Places are the rules by the place of a row in a file of so many: value v is
// the row row[v], and row[v+1] follows it where it is the next one.
func Places(row []int64, of int64) []judge.Rule {
	rules := []judge.Rule{{Name: "the rows next to it", Order: func() []int32 {
		var order []int32
		for v := range row {
			if v > 0 && row[v] != row[v-1]+1 {
				order = append(order, -1)
			}
			order = append(order, int32(v))
		}
		return order
	}}}
	for parts := int64(16); parts <= 1024; parts *= 4 {
		if long := of / parts; long >= 4 {
			rules = append(rules, judge.Rule{Name: fmt.Sprintf("its place, in %d parts", parts), Key: func(to []uint64) {
				for v, r := range row {
					to[v] = uint64(r / long)
				}
			}})
		}
	}
	for m := int64(2); m <= 100; m++ {
		if m > 32 && m != 48 && m != 50 && m != 60 && m != 64 && m != 96 && m != 100 {
			continue
		}
		rules = append(rules, judge.Rule{Name: fmt.Sprintf("its place, the remainder by %d", m), Key: func(to []uint64) {
			for v, r := range row {
				to[v] = uint64(r % m)
			}
		}})
	}
	return rules
}
