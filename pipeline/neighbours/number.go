package neighbours

import (
	"fmt"
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/estimate/judge"
)

// sizeRules are the rules by the size of values: value v is the v-th smallest and has
// rows[v] rows; null is behind them, or -1.
func sizeRules(rows []int32, null int) (rules []judge.Rule) {
	known := len(rows)
	if null >= 0 {
		known = null
	}
	for _, cuts := range []int{16, 64, 256, 1024} {
		if len(rows) <= cuts {
			break
		}
		part := quantiles(rows[:known], cuts)
		rules = append(rules, by(fmt.Sprintf("its size, in %d parts", cuts), func(v int) uint64 {
			if v == null {
				return 0
			}
			return 1 + uint64(part[v])
		}))
	}
	return rules
}

// quantiles cuts values, in their order, into parts of about equally many rows.
func quantiles(rows []int32, cuts int) []int32 {
	part, total, before := make([]int32, len(rows)), 0, 0
	for _, n := range rows {
		total += int(n)
	}
	for v, n := range rows {
		part[v] = int32((2*before + int(n)) * cuts / (2 * max(1, total)))
		before += int(n)
	}
	return part
}

// wholeRules are the rules for whole numbers, by value; unknown is true for those
// that have none.
func wholeRules(n []int64, unknown []bool) []judge.Rule {
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
	var some []int64
	for v := 0; v < len(n); v += max(1, len(n)/probes) {
		if !unknown[v] {
			some = append(some, n[v])
		}
	}
	for _, u := range []struct {
		from, to int64
		second   func(int64) int64
	}{
		{300_000_000, 4_000_000_000, func(n int64) int64 { return n }},
		{300_000_000_000, 4_000_000_000_000, func(n int64) int64 { return floorDiv(n, 1000) }},
		{1000, 40_000, func(n int64) int64 { return n * 86400 }},
	} {
		if some != nil && nearly(some, func(n int64) bool { return n >= u.from && n <= u.to }) {
			second := make([]int64, len(n))
			for v, n := range n {
				second[v] = u.second(n)
			}
			return momentRules(second, unknown)
		}
	}
	return nil
}

// realRules are the rules for floating-point numbers, by value, and the whole numbers that
// all of them are, nil where they are none.
func realRules(f []float64, unknown []bool) (rules []judge.Rule, whole []int64) {
	whole = make([]int64, len(f))
	for v, x := range f {
		switch {
		case unknown[v]:
		case x == math.Floor(x) && math.Abs(x) < 1<<53:
			whole[v] = int64(x)
		default:
			return ruled(f, unknown, floatTable), nil
		}
	}
	return append(ruled(f, unknown, floatTable[:magnitudes]), wholeRules(whole, unknown)...), whole
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

// pairRules are the rules for two columns, by row: which values or quantiles they have, and the
// sum and the difference of numbers, or of times; of those which remainders letters may
// follow.
func pairRules(a, b *side, follows func(n []int64) []int64) (rules []judge.Rule) {
	for k, name := range []string{"both values", "the sizes of both"} {
		x, y := a.code[k], b.code[k]
		if x != nil && y != nil {
			rules = append(rules, by(name, func(v int) uint64 { return uint64(x[v])<<32 | uint64(y[v]) }))
		}
	}
	if a.size == nil || b.size == nil {
		return rules
	}
	exact := a.whole != nil && b.whole != nil && !a.scaled && !b.scaled
	sum, difference := make([]int64, len(a.row)), make([]int64, len(a.row))
	for k, v := range a.row {
		w := b.row[k]
		if exact {
			sum[k], difference[k] = a.whole[v]+b.whole[w], a.whole[v]-b.whole[w]
		} else {
			sum[k], difference[k] = rounded(a.size[v]+b.size[w]), rounded(a.size[v]-b.size[w])
		}
	}
	rules = append(rules, countRules("their difference", difference, follows)...)
	if !a.time || !b.time {
		rules = append(rules, countRules("their sum", sum, follows)...)
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

// countRules are the rules of numbers that were computed, by row: themselves, their sizes in parts of
// equally many among some of them, and the remainders that letters may follow.
func countRules(name string, of []int64, follows func(n []int64) []int64) []judge.Rule {
	var cuts []int64
	rules := []judge.Rule{
		by(name, func(v int) uint64 { return uint64(of[v]) }),
		by(name+", its size, in 64 parts", func(v int) uint64 {
			if cuts == nil {
				cuts = cutsOf(of)
			}
			at, _ := slices.BinarySearch(cuts, of[v]+1)
			return uint64(at)
		}),
	}
	for _, m := range follows(of) {
		rules = append(rules, remainder(name+", its", of, nil, m))
	}
	return rules
}

// remainder is the rule of a remainder by m.
func remainder(of string, n []int64, unknown []bool, m int64) judge.Rule {
	return by(fmt.Sprintf("%s remainder by %d", of, m), func(v int) uint64 {
		if unknown != nil && unknown[v] {
			return 0
		}
		return 1 + modulo(n[v], m)
	})
}

// cutsOf part numbers into 64 of equally many among some of them.
func cutsOf(of []int64) []int64 {
	some := make([]int64, 0, 256)
	for v := 0; v < len(of); v += max(1, len(of)/128) {
		some = append(some, of[v])
	}
	slices.Sort(some)
	cuts := make([]int64, 63)
	for k := range cuts {
		cuts[k] = some[(k+1)*len(some)/64]
	}
	return cuts
}

// placeRules are the rules by the place of a row in a file of so many: value v is
// the row row[v], and row[v+1] follows it where it is the next one.
func placeRules(row []int64, of int64) []judge.Rule {
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
			rules = append(rules, by(fmt.Sprintf("its place, in %d parts", parts),
				func(v int) uint64 { return uint64(row[v] / long) }))
		}
	}
	for m := int64(2); m <= 100; m++ {
		if m <= 32 || slices.Contains([]int64{48, 50, 60, 64, 96, 100}, m) {
			rules = append(rules, by(fmt.Sprintf("its place, the remainder by %d", m),
				func(v int) uint64 { return uint64(row[v] % m) }))
		}
	}
	return rules
}
