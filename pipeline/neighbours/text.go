package neighbours

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tacet-privacy/tacet/estimate/judge"
)

// Limits of what is looked at in a text.
const (
	ends    = 8  // bytes at either end
	places  = 16 // single characters
	windows = 12 // places of two and three characters
	heads   = 6  // tokens from the left
	tails   = 3  // and from the right
	probes  = 200
)

// textRules are the rules for a column of texts, by value; the one at null, where
// that is not negative, is none. Labels are those of the private letters.
func textRules(text [][]byte, null int, labels []string) []judge.Rule {
	unknown := make([]bool, len(text))
	if null >= 0 {
		unknown[null] = true
	}
	return ruled(text, unknown, textTable(text, unknown, probed(text, null), labels))
}

// legible are the numbers or times that nearly all texts are, and their rules.
func legible(text [][]byte, null int) (n numbers, rules []judge.Rule) {
	some := probed(text, null)
	if len(some) == 0 {
		return n, nil
	}
	whole := func(read func([]byte) (int64, bool)) (n numbers) {
		n.whole, n.unknown = readable(text, some, null, read)
		for _, x := range n.whole {
			n.size = append(n.size, float64(x))
		}
		return n
	}
	if layout := spelling(some); layout != "" {
		n = whole(func(b []byte) (int64, bool) {
			at, err := time.Parse(layout, string(b))
			return at.Unix(), err == nil
		})
		if n.time = n.whole != nil; n.time {
			rules = momentRules(n.whole, n.unknown)
		}
	}
	digits := whole(wholeClue)
	switch {
	case digits.whole != nil:
		rules = append(rules, wholeRules(digits.whole, digits.unknown)...)
		if !n.time {
			n = digits
		}
	case n.time:
		rules = append(rules, wholeRules(n.whole, n.unknown)...)
	default:
		if n.size, n.unknown = readable(text, some, null, plainNumber); n.size != nil {
			rules, n.whole = realRules(n.size, n.unknown)
		}
	}
	return n, rules
}

// readable reads all texts, where nearly all of some can be read; unknown are those that cannot.
func readable[T any](text, some [][]byte, null int, read func([]byte) (T, bool)) (of []T, unknown []bool) {
	if !nearly(some, func(b []byte) bool { _, ok := read(b); return ok }) {
		return nil, nil
	}
	of, unknown = make([]T, len(text)), make([]bool, len(text))
	for v, b := range text {
		var ok bool
		of[v], ok = read(b)
		unknown[v] = v == null || !ok
	}
	return of, unknown
}

// nearly reports whether nine of ten are good.
func nearly[T any](some []T, good func(T) bool) bool {
	bad := 0
	for _, v := range some {
		if !good(v) {
			if bad++; 10*bad > len(some) {
				return false
			}
		}
	}
	return true
}

// plainNumber reads a number as programs write it.
func plainNumber(b []byte) (float64, bool) {
	if len(b) == 0 || b[0] > '9' || len(b) > 32 {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(b), 64)
	return f, err == nil
}

// probed are up to probes of the texts, spread over all of them.
func probed(text [][]byte, null int) (some [][]byte) {
	for v := 0; v < len(text); v += max(1, len(text)/probes) {
		if v != null {
			some = append(some, text[v])
		}
	}
	return some
}

// textTable are the rules of texts, those that such texts can be told apart by; some are
// a few of them.
func textTable(text [][]byte, unknown []bool, some [][]byte, labels []string) (table []rule[[]byte]) {
	longest, shortest, words, digits := 0, 1<<30, 0, false
	for v, b := range text {
		if !unknown[v] {
			longest, shortest = max(longest, len(b)), min(shortest, len(b))
		}
	}
	for _, b := range some {
		words, digits = max(words, runs(b, &wordly)), digits || bytes.ContainsAny(b, "0123456789")
	}
	add := func(name string, key func([]byte) uint64) { table = append(table, rule[[]byte]{name, key}) }
	for n := 1; n <= min(ends, longest-1); n++ {
		add(fmt.Sprintf("its first %d characters", n), func(b []byte) uint64 { return Hash(b[:min(n, len(b))]) })
		add(fmt.Sprintf("its last %d characters", n), func(b []byte) uint64 { return Hash(b[max(0, len(b)-n):]) })
	}
	for at := 1; at < min(places, longest); at++ {
		add(fmt.Sprintf("its character %d", at+1), windowAt(at, 1))
	}
	for _, wide := range []int{2, 3} {
		for at := 1; at < windows && at+wide < longest; at++ {
			add(fmt.Sprintf("its characters %d to %d", at+1, at+wide), windowAt(at, wide))
		}
	}
	if longest > shortest {
		add("its length", func(b []byte) uint64 { return uint64(len(b)) + 1 })
	}
	if words >= 2 {
		for k := range min(heads, words) {
			add(fmt.Sprintf("its word %d", k+1), func(b []byte) uint64 { return folded(run(b, &wordly, k)) })
		}
		for k := range min(tails, words) {
			add(fmt.Sprintf("its word %d from the end", k+1),
				func(b []byte) uint64 { return folded(run(b, &wordly, runs(b, &wordly)-1-k)) })
		}
		add("the number of its words", func(b []byte) uint64 { return uint64(runs(b, &wordly)) + 1 })
	}
	if digits {
		for k := range 3 {
			add(fmt.Sprintf("its number %d", k+1), func(b []byte) uint64 { return Hash(run(b, &digit, k)) })
		}
		add("its last number", func(b []byte) uint64 { return Hash(run(b, &digit, runs(b, &digit)-1)) })
		for k := 2; k <= 4; k++ {
			add(fmt.Sprintf("its first %d digits", k), func(b []byte) uint64 { return firstDigits(b, k) })
		}
		add("the sum of its digits", digitSum)
		add("the last digit of the sum of its digits", func(b []byte) uint64 { return 1 + digitSum(b)%10 })
		add("what is not a digit", func(b []byte) uint64 {
			return mapped(b, func(c byte) (byte, bool) { return c, !digit[c] })
		})
	}
	add("its shape", func(b []byte) uint64 {
		return mapped(b, func(c byte) (byte, bool) {
			switch {
			case digit[c]:
				return '0', true
			case wordly[c]:
				return 'a', true
			}
			return c, true
		})
	})
	find, hold := contained(labels), 0
	for _, b := range some {
		if find(b) > 0 {
			hold++
		}
	}
	if 10*hold >= len(some) && hold > 0 {
		add("a private value in it", func(b []byte) uint64 { return find(b) + 1 })
	}
	return table
}

// windowAt is the key of wide characters from place at on, that of none where the text is
// shorter.
func windowAt(at, wide int) func([]byte) uint64 {
	return func(b []byte) uint64 {
		if len(b) < at+wide {
			return Hash(nil)
		}
		return Hash(b[at : at+wide])
	}
}

// sorted are the texts but null in the order of their bytes.
func sorted(text [][]byte, null int) []int32 {
	type place struct {
		head uint64
		at   int32
	}
	all := make([]place, 0, len(text))
	for v, b := range text {
		if v != null {
			var head [8]byte
			copy(head[:], b)
			all = append(all, place{binary.BigEndian.Uint64(head[:]), int32(v)})
		}
	}
	slices.SortFunc(all, func(a, b place) int {
		if a.head != b.head {
			return cmp.Compare(a.head, b.head)
		}
		return bytes.Compare(text[a.at], text[b.at])
	})
	order := make([]int32, len(all), len(text)+2)
	for k, p := range all {
		order[k] = p.at
	}
	return order
}

// contained finds the longest label of a private letter that a text holds: one more than
// its place, 0 for none.
func contained(labels []string) func(b []byte) uint64 {
	number, lengths := map[string]uint64{}, []int{}
	for x, l := range labels {
		if l = strings.ToLower(l); len(l) >= 2 && number[l] == 0 {
			number[l] = uint64(x) + 1
			if !slices.Contains(lengths, len(l)) {
				lengths = append(lengths, len(l))
			}
		}
	}
	slices.SortFunc(lengths, func(a, b int) int { return b - a })
	return func(b []byte) uint64 {
		b = bytes.ToLower(b)
		for _, n := range lengths {
			for at := 0; at+n <= len(b); at++ {
				if x := number[string(b[at:at+n])]; x > 0 {
					return x
				}
			}
		}
		return 0
	}
}

// wholeClue reads a text of digits; of more than 18 the last ones.
func wholeClue(b []byte) (n int64, ok bool) {
	for _, c := range b {
		if !digit[c] {
			return 0, false
		}
	}
	for _, c := range b[max(0, len(b)-18):] {
		n = 10*n + int64(c-'0')
	}
	return n, len(b) > 0
}

// A class is a set of bytes.
type class [256]bool

func classOf(in func(byte) bool) (c class) {
	for b := range c {
		c[b] = in(byte(b))
	}
	return c
}

var (
	digit = classOf(func(c byte) bool { return c >= '0' && c <= '9' })
	// wordly are those that belong to a word; bytes beyond ASCII do.
	wordly = classOf(func(c byte) bool { return digit[c] || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80 })
)

// runs counts those of bytes of a class in a text.
func runs(b []byte, in *class) (n int) {
	before := false
	for _, c := range b {
		if in[c] && !before {
			n++
		}
		before = in[c]
	}
	return n
}

// run is the k-th run of bytes of a class, nil where there is none.
func run(b []byte, in *class, k int) []byte {
	for at := 0; at < len(b); k-- {
		for at < len(b) && !in[b[at]] {
			at++
		}
		from := at
		for at < len(b) && in[b[at]] {
			at++
		}
		if k == 0 {
			return b[from:at]
		}
	}
	return nil
}

// digitSum is the sum of the digits of a text.
func digitSum(b []byte) (sum uint64) {
	for _, c := range b {
		if digit[c] {
			sum += uint64(c - '0')
		}
	}
	return sum
}

// firstDigits are the first k digits of a text.
func firstDigits(b []byte, k int) uint64 {
	key, n := uint64(1), 0
	for _, c := range b {
		if digit[c] && n < k {
			key, n = key*10+uint64(c-'0'), n+1
		}
	}
	return key
}

// mapped is the hash of what f makes of the bytes of a text, without those that it leaves
// out.
func mapped(b []byte, f func(byte) (to byte, keep bool)) uint64 {
	var room [64]byte
	out := room[:0]
	for _, c := range b {
		if c, keep := f(c); keep {
			out = append(out, c)
		}
	}
	return Hash(out)
}

// folded is the hash of a token whatever its case.
func folded(b []byte) uint64 {
	return mapped(b, func(c byte) (byte, bool) {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		return c, true
	})
}

// Hash multiplies words of 8 bytes and folds the products, as wyhash does
// [Wang 2019]; it is the same in every run.
func Hash(b []byte) uint64 {
	const first, second = 0xa0761d6478bd642f, 0xe7037ed1a0b428db
	h := uint64(len(b)) ^ first
	for ; len(b) >= 8; b = b[8:] {
		h = fold(h^binary.LittleEndian.Uint64(b), second)
	}
	rest := uint64(0)
	for k, c := range b {
		rest |= uint64(c) << (8 * k)
	}
	return fold(fold(h^rest, first), second)
}

func fold(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high ^ low
}
