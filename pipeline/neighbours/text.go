package neighbours

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"strings"

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

// Texts are the rules for a column of texts, by value; the one at null, where
// that is not negative, is none. Labels are those of the private letters.
func Texts(text [][]byte, null int, labels []string) []judge.Rule {
	longest, shortest := 0, 1<<30
	for v, b := range text {
		if v != null {
			longest, shortest = max(longest, len(b)), min(shortest, len(b))
		}
	}
	t := &textClue{text, null}
	rules := []judge.Rule{own(len(text)), t.sorted()}
	for n := 1; n <= min(ends, longest-1); n++ {
		rules = append(rules, t.cut(fmt.Sprintf("its first %d characters", n),
			func(b []byte) []byte { return b[:min(n, len(b))] }),
			t.cut(fmt.Sprintf("its last %d characters", n), func(b []byte) []byte { return b[max(0, len(b)-n):] }))
	}
	for at := 1; at < min(places, longest); at++ {
		rules = append(rules, t.cut(fmt.Sprintf("its character %d", at+1), windowAt(at, 1)))
	}
	for _, wide := range []int{2, 3} {
		for at := 1; at < windows && at+wide < longest; at++ {
			rules = append(rules, t.cut(fmt.Sprintf("its characters %d to %d", at+1, at+wide), windowAt(at, wide)))
		}
	}
	if longest > shortest {
		rules = append(rules, t.key("its length", func(b []byte) uint64 { return uint64(len(b)) + 1 }))
	}
	rules = append(rules, t.tokens()...)
	rules = append(rules, t.digits()...)
	rules = append(rules, t.key("its shape", shape))
	if r, ok := t.contained(labels); ok {
		rules = append(rules, r)
	}
	rules = append(rules, t.dates()...)
	return append(rules, t.numbers()...)
}

type textClue struct {
	text [][]byte
	null int
}

// own is the value itself.
func own(values int) judge.Rule {
	return judge.Rule{Name: "its value", Key: func(to []uint64) {
		for v := range values {
			to[v] = uint64(v)
		}
	}}
}

// key is a rule by a function of a text.
func (t *textClue) key(name string, f func([]byte) uint64) judge.Rule {
	return judge.Rule{Name: name, Key: func(to []uint64) {
		for v, b := range t.text {
			if to[v] = 0; v != t.null {
				to[v] = f(b)
			}
		}
	}}
}

// by is a plain rule by a function of values; unknown ones have the key 0.
func by[T any](name string, value []T, unknown []bool, f func(T) uint64) judge.Rule {
	return judge.Rule{Name: name, Plain: true, Key: func(to []uint64) {
		for v, x := range value {
			if to[v] = 0; !unknown[v] {
				to[v] = f(x)
			}
		}
	}}
}

// cut is a rule by a part of a text.
func (t *textClue) cut(name string, part func([]byte) []byte) judge.Rule {
	return t.key(name, func(b []byte) uint64 { return Hash(part(b)) })
}

// window is wide characters from place at on, none where the text is shorter.
func windowAt(at, wide int) func([]byte) []byte {
	return func(b []byte) []byte {
		if len(b) < at+wide {
			return nil
		}
		return b[at : at+wide]
	}
}

// sorted orders the texts by their bytes.
func (t *textClue) sorted() judge.Rule {
	return judge.Rule{Name: "the texts next to it in their order", Order: func() []int32 {
		type place struct {
			head uint64
			at   int32
		}
		all := make([]place, 0, len(t.text))
		for v, b := range t.text {
			if v != t.null {
				var head [8]byte
				copy(head[:], b)
				all = append(all, place{binary.BigEndian.Uint64(head[:]), int32(v)})
			}
		}
		slices.SortFunc(all, func(a, b place) int {
			if a.head != b.head {
				return cmp.Compare(a.head, b.head)
			}
			return bytes.Compare(t.text[a.at], t.text[b.at])
		})
		order := make([]int32, 0, len(t.text)+2)
		for _, p := range all {
			order = append(order, p.at)
		}
		if t.null >= 0 {
			order = append(order, -1, int32(t.null))
		}
		return order
	}}
}

// tokens are words and numbers, parted by anything else.
func (t *textClue) tokens() (rules []judge.Rule) {
	many := 0
	for _, b := range t.some() {
		many = max(many, tallied(b))
	}
	if many < 2 {
		return nil
	}
	for k := range min(heads, many) {
		rules = append(rules, t.key(fmt.Sprintf("its word %d", k+1),
			func(b []byte) uint64 { return folded(run(b, &wordly, k)) }))
	}
	for k := range min(tails, many) {
		rules = append(rules, t.key(fmt.Sprintf("its word %d from the end", k+1),
			func(b []byte) uint64 { return folded(runBack(b, &wordly, k)) }))
	}
	return append(rules, t.key("the number of its words", func(b []byte) uint64 { return uint64(tallied(b)) + 1 }))
}

// digits are the runs of digits in a text, its digits alone, and what is left
// without them.
func (t *textClue) digits() (rules []judge.Rule) {
	some := false
	for _, b := range t.some() {
		some = some || bytes.ContainsAny(b, "0123456789")
	}
	if !some {
		return nil
	}
	for k := range 3 {
		rules = append(rules, t.key(fmt.Sprintf("its number %d", k+1),
			func(b []byte) uint64 { return Hash(run(b, &digit, k)) }))
	}
	rules = append(rules, t.key("its last number", func(b []byte) uint64 { return Hash(runBack(b, &digit, 0)) }))
	for k := 2; k <= 4; k++ {
		rules = append(rules, t.key(fmt.Sprintf("its first %d digits", k), func(b []byte) uint64 {
			key, n := uint64(1), 0
			for _, c := range b {
				if digit[c] && n < k {
					key, n = key*10+uint64(c-'0'), n+1
				}
			}
			return key
		}))
	}
	return append(rules, t.key("what is not a digit", func(b []byte) uint64 {
		var room [64]byte
		rest := room[:0]
		for _, c := range b {
			if !digit[c] {
				rest = append(rest, c)
			}
		}
		return Hash(rest)
	}))
}

// contained is the longest label of a private letter that a text holds.
func (t *textClue) contained(labels []string) (r judge.Rule, ok bool) {
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
	find := func(b []byte) uint64 {
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
	hold, some := 0, t.some()
	for _, b := range some {
		if find(b) > 0 {
			hold++
		}
	}
	return t.key("a private value in it", func(b []byte) uint64 { return find(b) + 1 }), 10*hold >= len(some) && hold > 0
}

// numbers are the rules of numbers, where nearly all texts are digits alone.
func (t *textClue) numbers() []judge.Rule {
	good := 0
	for _, b := range t.some() {
		if _, ok := wholeClue(b); ok {
			good++
		}
	}
	if good == 0 || 10*good < 9*len(t.some()) {
		return nil
	}
	n := make([]int64, len(t.text))
	other := make([]bool, len(t.text))
	for v, b := range t.text {
		n[v], other[v] = wholeClue(b)
		other[v] = !other[v] || v == t.null
	}
	return Integers(n, other)
}

// some are up to probes of the texts, spread over all of them.
func (t *textClue) some() (some [][]byte) {
	step := max(1, len(t.text)/probes)
	for v := 0; v < len(t.text); v += step {
		if v != t.null {
			some = append(some, t.text[v])
		}
	}
	return some
}

// whole reads a text of digits; of more than 18 the last ones.
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

// tallied counts the words of a text.
func tallied(b []byte) (n int) {
	in := false
	for _, c := range b {
		if wordly[c] && !in {
			n++
		}
		in = wordly[c]
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

// runBack is the k-th from the right.
func runBack(b []byte, in *class, k int) []byte {
	for at := len(b); at > 0; k-- {
		for at > 0 && !in[b[at-1]] {
			at--
		}
		to := at
		for at > 0 && in[b[at-1]] {
			at--
		}
		if k == 0 {
			return b[at:to]
		}
	}
	return nil
}

// shape has a digit, a letter or what else it is for every character.
func shape(b []byte) uint64 {
	var room [64]byte
	out := room[:0]
	for _, c := range b {
		switch {
		case digit[c]:
			c = '0'
		case wordly[c]:
			c = 'a'
		}
		out = append(out, c)
	}
	return Hash(out)
}

// folded is the hash of a token whatever its case.
func folded(b []byte) uint64 {
	var room [32]byte
	out := room[:0]
	for _, c := range b {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		out = append(out, c)
	}
	return Hash(out)
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
