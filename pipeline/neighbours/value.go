package neighbours

import (
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/estimate/judge"
	"github.com/tacet-privacy/tacet/io/table"
)

// mostPaired is how many different values a column may have to be paired by
// them, and fewPaired how many quantiles numbers of more are paired by.
const (
	mostPaired = 4096
	fewPaired  = 16
)

// values are what a column holds in the rows of a stage.
type values struct {
	of    []int32 // by row of the stage, then by row of rare letters
	key   []uint64
	null  int     // the value that stands for nulls, -1 where there is none
	rows  []int32 // by value, those of rare letters apart
	many  int     // values that have any
	rules []judge.Rule
	text  []string // by value, of texts
	numbers
}

// numbers are what values are as numbers, by value.
type numbers struct {
	whole []int64   // whole numbers, decimals without the point and ticks of times; nil where they are none
	size  []float64 // numbers, or seconds of times; nil where they are none
	time  bool
	read  func([]byte) (float64, bool) // reads one of texts
}

// values numbers some cells, and more of rows of rare letters: numbers and times by
// size, texts as they come.
func (s *sample) values(c *column, some, rare []int32, labels []string) *values {
	v := &values{of: make([]int32, len(some)+len(rare)), null: -1}
	var index judge.Index
	index.Reset(len(v.of))
	nulls := false
	take := func(to []int32) func(int, uint64, bool) {
		return func(k int, key uint64, ok bool) {
			if to[k] = -1; ok {
				to[k] = index.Add(key)
			}
			nulls = nulls || !ok
		}
	}
	s.keys(c, some, take(v.of))
	s.keys(c, rare, take(v.of[len(some):]))
	v.key = index.Key
	n := len(v.key)
	ordered := c.typ.Numeric() || c.typ.Form == table.BooleanCells
	if ordered {
		sorted := slices.Clone(v.key)
		slices.Sort(sorted)
		place := make([]int32, n)
		for k, key := range sorted {
			place[index.Find(key)] = int32(k)
		}
		for k, e := range v.of {
			if e >= 0 {
				v.of[k] = place[e]
			}
		}
		v.key = sorted
	}
	if nulls {
		v.null = n
		v.key = append(v.key, 0)
		for k, e := range v.of {
			if e < 0 {
				v.of[k] = int32(n)
			}
		}
	}
	v.rows = make([]int32, len(v.key))
	for _, e := range v.of[:len(some)] {
		if v.rows[e]++; v.rows[e] == 1 {
			v.many++
		}
	}
	if !ordered {
		text := c.texts(&index, len(v.key))
		v.rules = Texts(text, v.null, labels)
		if v.null >= 0 {
			v.rules = append(v.rules, Null(v.null))
		}
		var more []judge.Rule
		v.numbers, more = legible(text, v.null)
		v.rules = append(v.rules, more...)
		v.text = make([]string, len(text))
		for k, b := range text {
			v.text[k] = string(b)
		}
		return v
	}
	v.numeric(c.typ)
	return v
}

// texts are those of all values, by their numbers in an index.
func (c *column) texts(of *judge.Index, all int) [][]byte {
	text := make([][]byte, all)
	for i := range c.unit {
		u := &c.unit[i]
		for _, t := range u.text {
			if k := of.Find(t.key); k >= 0 {
				text[k] = u.arena[t.from:t.to]
			}
		}
	}
	return text
}

// numeric adds the rules for numbers and times.
func (v *values) numeric(t table.CellType) {
	v.rules = Sizes(v.rows, v.null)
	unknown := make([]bool, len(v.key))
	if v.null >= 0 {
		unknown[v.null] = true
	}
	v.size = make([]float64, len(v.key))
	if t.Form == table.FloatCells {
		for k, key := range v.key {
			v.size[k] = floatOf(key)
		}
		v.rules = append(v.rules, Floats(v.size, unknown)...)
		return
	}
	per := math.Pow10(t.Scale)
	switch t.Form {
	case table.DateCells:
		per = 1. / 86400
	case table.TimeCells, table.TimestampCells:
		per = float64(t.Ticks)
	}
	v.whole, v.time = make([]int64, len(v.key)), t.Form == table.DateCells || t.Form == table.TimestampCells
	for k, key := range v.key {
		if unknown[k] {
			continue
		}
		v.whole[k] = int64(key ^ 1<<63)
		switch t.Form {
		case table.UnsignedCells:
			v.whole[k] = int64(key)
		case table.WideDecimalCells:
			n, ok := wideOf(key)
			if !ok {
				v.whole, v.size = nil, nil
				return
			}
			v.whole[k] = n
		}
		v.size[k] = float64(v.whole[k]) / per
	}
	switch t.Form {
	case table.DateCells, table.TimeCells, table.TimestampCells:
		second := make([]int64, len(v.key))
		for k, s := range v.size {
			second[k] = int64(math.Floor(s))
		}
		v.rules = append(v.rules, Moments(second, unknown)...)
	case table.DecimalCells, table.WideDecimalCells:
		if t.Scale > 0 {
			v.rules = append(v.rules, ruled(v.size, unknown, floatTable[magnitudes:])...)
		}
	}
	v.rules = append(v.rules, Integers(v.whole, unknown)...)
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

// paired are codes of the values by which the column is judged with another:
// each its own, where they are few enough, and quantiles of numbers.
func (v *values) paired(ordered bool) (own, coarse []int32) {
	if v.many <= mostPaired {
		own = make([]int32, len(v.rows))
		for k := range own {
			own[k] = int32(k)
		}
	}
	if !ordered || v.many <= 4*fewPaired {
		return own, own
	}
	total, before := 0, 0
	for _, n := range v.rows {
		total += int(n)
	}
	coarse = make([]int32, len(v.rows))
	for k, n := range v.rows {
		coarse[k] = int32((2*before + int(n)) * fewPaired / (2 * max(1, total)))
		before += int(n)
	}
	return own, coarse
}

// unknown is true for the value that stands for nulls.
func (v *values) unknown() []bool {
	u := make([]bool, len(v.key))
	if v.null >= 0 {
		u[v.null] = true
	}
	return u
}

// before hands out the keys of the cells before rows of a stage, and of their own, where both are.
func (j *jury) before(c *column, st *stage, each func(k int, before, own uint64)) {
	at := 0
	for k, row := range st.row {
		for int(row) >= j.sample.part[at].to {
			at++
		}
		if cell := int(st.cell[k]) - j.sample.part[at].cell; cell > 0 {
			before, ok := c.unit[at].at(cell - 1)
			if own, known := c.unit[at].at(cell); ok && known {
				each(k, before, own)
			}
		}
	}
}

// steps are the differences of a column of numbers to the row before, where all of its cells
// are at hand, by row of the first stage; nil elsewhere.
func (j *jury) steps(i int, v *values) []int64 {
	st, c := j.stage[0], j.column[i]
	if !j.whole || v.size == nil {
		return nil
	}
	n := make([]int64, len(st.row))
	switch {
	case v.read != nil:
		size := map[uint64]float64{}
		j.before(c, st, func(_ int, before, own uint64) { size[before], size[own] = 0, 0 })
		for _, u := range c.unit {
			for _, t := range u.text {
				if _, wanted := size[t.key]; wanted {
					size[t.key], _ = v.read(u.arena[t.from:t.to])
				}
			}
		}
		j.before(c, st, func(k int, before, own uint64) { n[k] = rounded(size[own] - size[before]) })
	case c.typ.Form == table.FloatCells:
		j.before(c, st, func(k int, before, own uint64) { n[k] = rounded(floatOf(own) - floatOf(before)) })
	default:
		j.before(c, st, func(k int, before, own uint64) { n[k] = int64(own - before) })
	}
	return n
}
