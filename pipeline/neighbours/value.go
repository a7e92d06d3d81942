package neighbours

import (
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/estimate/judge"
	"github.com/tacet-privacy/tacet/io/table"
)

// values are what a column holds in the rows of a stage.
type values struct {
	of    []int32 // by row of the stage
	key   []uint64
	null  int     // the value that stands for nulls, -1 where there is none
	rows  []int32 // by value, those of rare letters apart
	many  int     // values that have any
	rules []judge.Rule
	text  [][]byte // by value, of texts
	numbers
}

// numbers are what values are as numbers, by value.
type numbers struct {
	size    []float64 // numbers, or seconds of times; nil where they are none
	whole   []int64   // whole numbers, decimals without the point and ticks of times; nil where they are none
	unknown []bool    // it is none
	time    bool
	scaled  bool // a whole number is not of the size
}

// values numbers some cells, of which the first are sampled and the others of rare letters alone: numbers and
// times by size, texts as they come.
func (c *column) values(cell []int32, sampled int, labels []string) *values {
	v := &values{null: -1}
	var index *judge.Index
	index, v.of = c.numbered(cell)
	v.key = index.Key
	place := firstRows(len(v.key))
	ordered := c.typ.Numeric() || c.typ.Form == table.BooleanCells
	if ordered {
		v.key = slices.Clone(index.Key)
		slices.Sort(v.key)
		for k, key := range v.key {
			place[index.Find(key)] = int32(k)
		}
	}
	for k, e := range v.of {
		if e < 0 {
			v.null, v.of[k] = len(place), int32(len(place))
		} else {
			v.of[k] = place[e]
		}
	}
	if v.null >= 0 {
		v.key = append(v.key, 0)
	}
	v.rows = make([]int32, len(v.key))
	for _, e := range v.of[:sampled] {
		if v.rows[e]++; v.rows[e] == 1 {
			v.many++
		}
	}
	order := func() []int32 { return without(firstRows(len(v.key)), v.null) }
	if !ordered {
		v.text = c.texts(index, len(v.key))
		order = func() []int32 { return sorted(v.text, v.null) }
	}
	v.rules = []judge.Rule{own(), next("the values next to it in their order", v.null, order)}
	if v.null >= 0 {
		v.rules = append(v.rules, isNull(v.null))
	}
	if ordered {
		v.rules = append(v.rules, sizeRules(v.rows, v.null)...)
		v.typed(c.typ)
		return v
	}
	v.rules = append(v.rules, textRules(v.text, v.null, labels)...)
	var more []judge.Rule
	v.numbers, more = legible(v.text, v.null)
	v.rules = append(v.rules, more...)
	return v
}

// without are values but one.
func without(of []int32, one int) []int32 {
	return slices.DeleteFunc(of, func(v int32) bool { return int(v) == one })
}

// numbered numbers the keys of some cells by their first appearance; nulls are -1.
func (c *column) numbered(cell []int32) (index *judge.Index, of []int32) {
	index, of = &judge.Index{}, make([]int32, len(cell))
	index.Reset(len(cell))
	for k, i := range cell {
		if of[k] = -1; !c.null[i] {
			of[k] = index.Add(c.key[i])
		}
	}
	return index, of
}

// texts are those of all values, by their numbers in an index.
func (c *column) texts(of *judge.Index, all int) [][]byte {
	text := make([][]byte, all)
	for _, t := range c.text {
		if k := of.Find(t.key); k >= 0 {
			text[k] = c.arena[t.from:t.to]
		}
	}
	return text
}

// typed reads the keys of numbers and times, and adds their rules.
func (v *values) typed(t table.CellType) {
	v.size, v.unknown = make([]float64, len(v.key)), make([]bool, len(v.key))
	if v.null >= 0 {
		v.unknown[v.null] = true
	}
	per := math.Pow10(t.Scale)
	switch t.Form {
	case table.FloatCells:
		for k, key := range v.key {
			v.size[k] = floatOf(key)
		}
		var rules []judge.Rule
		rules, v.whole = realRules(v.size, v.unknown)
		v.rules = append(v.rules, rules...)
		return
	case table.DateCells:
		per = 1. / 86400
	case table.TimeCells, table.TimestampCells:
		per = float64(t.Ticks)
	}
	v.whole, v.scaled = make([]int64, len(v.key)), per != 1
	v.time = t.Form == table.DateCells || t.Form == table.TimestampCells
	for k, key := range v.key {
		if v.unknown[k] {
			continue
		}
		if v.whole[k] = int64(key ^ 1<<63); t.Form == table.UnsignedCells {
			v.whole[k] = int64(key)
		}
		v.size[k] = float64(v.whole[k]) / per
	}
	switch {
	case v.time || t.Form == table.TimeCells:
		second := make([]int64, len(v.key))
		for k, s := range v.size {
			second[k] = int64(math.Floor(s))
		}
		v.rules = append(v.rules, momentRules(second, v.unknown)...)
	case t.Scale > 0:
		v.rules = append(v.rules, ruled(v.size, v.unknown, floatTable[magnitudes:])...)
	}
	v.rules = append(v.rules, wholeRules(v.whole, v.unknown)...)
}

// floatOf reads the key of a float.
func floatOf(key uint64) float64 {
	switch {
	case key == math.MaxUint64:
		return math.NaN()
	case key>>63 == 0:
		return math.Float64frombits(^key)
	}
	return math.Float64frombits(key &^ (1 << 63))
}

// steps are the differences of a column of numbers to the row before, where that is at hand,
// by row of the first stage; nil elsewhere.
func (j *jury) steps(c *column, v *values) []int64 {
	if v.size == nil {
		return nil
	}
	st := j.stage[0]
	step := make([]int64, st.own)
	var row, cell []int32
	for k, p := range j.parts(st.row[:st.own]) {
		if at := st.cell[k]; int(at) > p.cell && j.cell[at-1] == j.cell[at]-1 && int(v.of[k]) != v.null {
			row, cell = append(row, int32(k)), append(cell, at-1)
		}
	}
	before := c.values(cell, len(cell), nil)
	for k, x := range before.of {
		own := v.of[row[k]]
		switch {
		case before.size == nil || before.unknown[x]:
		case v.whole != nil && before.whole != nil:
			step[row[k]] = v.whole[own] - before.whole[x]
		default:
			step[row[k]] = rounded(v.size[own] - before.size[x])
		}
	}
	return step
}
