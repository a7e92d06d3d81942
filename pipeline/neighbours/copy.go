package neighbours

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tacet-privacy/tacet/estimate/judge"
	"github.com/tacet-privacy/tacet/io/table"
)

// A form is a way to write a value; a cell copies the private value where both are the
// same in some form. Nothing has to be learnt to see that, so that few rows show it.
type form struct {
	name  string
	cell  func(string) string
	label func(string) string
}

// forms are the ways in which a cell may copy the private value. "" is none.
var forms = []form{
	{"the private value as text", asIs, asIs},
	{"the private value without case, spaces and punctuation", plainly, plainly},
	{"the private value reversed", func(s string) string { return reversed(plainly(s)) }, plainly},
	{"the number that the private value is", number, number},
	{"the digits of the private value", digits, digits},
}

func asIs(s string) string { return s }

// plainly is a text without case, spaces and punctuation.
func plainly(s string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if r < 0x80 && !wordly[byte(r)] {
			return -1
		}
		return r
	}, s))
}

func reversed(s string) string {
	r := []rune(s)
	slices.Reverse(r)
	return string(r)
}

// number is the one spelling of a number.
func number(s string) string {
	if s == "" || s[0] > '9' {
		return ""
	}
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || f != f {
		return ""
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// digits are those of a text, without zeros before them.
func digits(s string) string {
	d := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
	if rest := strings.TrimLeft(d, "0"); rest != "" || d == "" {
		return rest
	}
	return "0"
}

// A mirror finds the private value in cells that copy it.
type mirror struct {
	form   []map[string]int32 // by form: letters
	plain  []string           // labels in the second form
	holds  func([]byte) uint64
	common []int32   // letters, the commonest first
	order  [][]int32 // places of the letters, in each of the orders that they have
}

// mostParts bounds the search for cells that are parts of labels, in bytes.
const mostParts = 1 << 24

func newMirror(labels []string, prior []float64) *mirror {
	m := &mirror{}
	labels = append(slices.Clone(labels), make([]string, max(0, len(prior)-len(labels)))...) // null has none
	for x := range labels {
		m.common = append(m.common, int32(x))
	}
	slices.SortStableFunc(m.common, func(a, b int32) int { return cmp.Compare(prior[b], prior[a]) })
	for _, f := range forms {
		of := map[string]int32{}
		for _, x := range m.common {
			key := f.label(labels[x])
			if _, known := of[key]; !known && key != "" {
				of[key] = x
			}
		}
		m.form = append(m.form, of)
	}
	for _, l := range labels {
		m.plain = append(m.plain, plainly(l))
	}
	m.holds = contained(m.plain)
	m.order = orders(labels)
	return m
}

// orders are those of letters as they stand, and where all are numbers and stand otherwise,
// by these; each forwards and backwards.
func orders(labels []string) (all [][]int32) {
	by := make([]int32, len(labels))
	number := make([]float64, len(labels))
	numeric, rising := true, true
	for x, l := range labels {
		by[x] = int32(x)
		f, err := strconv.ParseFloat(l, 64) // null has no order of its own
		number[x], numeric = f, numeric && err == nil && f == f
		rising = rising && (x == 0 || number[x-1] <= f)
	}
	add := func() {
		place, back := make([]int32, len(by)), make([]int32, len(by))
		for at, x := range by {
			place[x], back[x] = int32(at), int32(len(by)-1-at)
		}
		all = append(all, place, back)
	}
	add()
	if numeric && !rising {
		slices.SortStableFunc(by, func(a, b int32) int { return cmp.Compare(number[a], number[b]) })
		add()
	}
	return all
}

// copies are guesses of letters by value, for texts that seem to copy them.
func (m *mirror) copies(text [][]byte, null int) (all []judge.Copy) {
	add := func(name string, guess func(string) int32) {
		hit, looked := 0, 0
		for v := 0; v < len(text); v += max(1, len(text)/probes) {
			if v != null {
				if looked++; guess(string(text[v])) >= 0 {
					hit++
				}
			}
		}
		if 20*hit < looked || hit == 0 {
			return
		}
		g := judge.Copy{Name: name, Of: make([]int32, len(text))}
		for v, s := range text {
			if g.Of[v] = -1; v != null {
				g.Of[v] = guess(string(s))
			}
		}
		all = append(all, g)
	}
	for i, f := range forms {
		add(f.name, func(s string) int32 {
			if x, ok := m.form[i][f.cell(s)]; ok {
				return x
			}
			return -1
		})
	}
	add("a private value in it", func(s string) int32 { return int32(m.holds([]byte(plainly(s)))) - 1 })
	size := 0
	for _, l := range m.plain {
		size += len(l)
	}
	if size > 0 && size <= mostParts/(1+len(text)) {
		add("a part of a private value", func(s string) int32 {
			if s = plainly(s); len(s) < 2 {
				return -1
			}
			for _, x := range m.common {
				if strings.Contains(m.plain[x], s) {
					return x
				}
			}
			return -1
		})
	}
	return all
}

// written are the values of a column of numbers or times as texts; nil where they have none.
func (v *values) written(t table.CellType) (text [][]byte) {
	cells := table.Values{Type: t, Code: firstRows(len(v.key)), Whole: v.whole}
	if t.Form == table.FloatCells {
		cells.Whole = nil
		for _, x := range v.size {
			cells.Whole = append(cells.Whole, int64(math.Float64bits(x)))
		}
	}
	for k := 0; k < len(v.key) && cells.Whole != nil; k++ {
		if text = append(text, nil); k != v.null {
			text[k] = cells.AppendText(nil, k)
		}
	}
	return text
}

// ranks are the places of values in their order, those of texts by their bytes; -1 for null.
func (v *values) ranks() []int32 {
	rank, by := make([]int32, len(v.key)), without(firstRows(len(v.key)), v.null)
	if v.text != nil {
		by = sorted(v.text, v.null)
	}
	if v.null >= 0 {
		rank[v.null] = -1
	}
	for at, k := range by {
		rank[k] = int32(at)
	}
	return rank
}
