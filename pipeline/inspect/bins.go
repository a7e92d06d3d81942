package inspect

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/tacet-privacy/tacet/io/table"
)

// wantedBins is about how many bins are suggested, and mostBins how many at most.
const (
	wantedBins = 20
	mostBins   = 60
)

// units of the calendar with their least lengths in seconds, the finest first.
var units = []struct {
	name    string
	seconds float64
}{
	{"hour", 3600}, {"day", 86400}, {"week", 7 * 86400}, {"month", 28 * 86400}, {"quarter", 90 * 86400},
	{"year", 365 * 86400}, {"decade", 3652 * 86400},
}

// A span is from the least number to the greatest.
type span struct {
	low, high float64
	any, odd  bool // a number was seen; one that is infinite or none
}

func (s *span) take(v float64) {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		s.odd = true
	case !s.any:
		s.low, s.high, s.any = v, v, true
	default:
		s.low, s.high = min(s.low, v), max(s.high, v)
	}
}

// bins is a rule for --bins, "" where none is known: a unit of the calendar or a width of
// one digit, which follow from the span of a column alone, roughly; where one such bin
// would hold most of the records, a list of edges near quantiles.
func (c *Column) bins() string {
	s := c.tally.span
	wide := s.high - s.low
	switch {
	case !s.any || s.odd || !(wide > 0):
		return ""
	case c.calendar:
		per, ok := c.perSecond()
		for _, u := range units {
			if ok && wide/per <= mostBins*u.seconds {
				return u.name
			}
		}
		return ""
	case !c.numbers:
		return ""
	}
	digits := mostDigits
	switch whole := c.kind().Kind == table.Integer || c.cell.Form == table.TextCells && !c.text.part; {
	case whole:
		digits = 0
	case c.cell.Form == table.DecimalCells || c.cell.Form == table.WideDecimalCells:
		digits = c.cell.Scale
	}
	w := width(wide/wantedBins, digits)
	step, _ := strconv.ParseFloat(w, 64)
	if edges := c.tally.quantiles(c.cell, step); len(edges) > 1 {
		return strings.Join(edges, ",")
	}
	return "width:" + w
}

// mostDigits is how many digits behind the point an edge may have.
const mostDigits = 300

// quantiles are edges near each tenth of the counted records, in round numbers, with open
// bins at both ends; nil where no bin of a width holds half of them.
func (t *tally) quantiles(cell table.CellType, width float64) (edges []string) {
	type held struct {
		v float64
		n int64
	}
	var all []held
	type bin struct{ values, records int64 }
	records, in := int64(0), map[float64]bin{}
	take := func(v float64, n int64) {
		all, records = append(all, held{v, n}), records+n
		b := in[math.Floor(v/width)]
		in[math.Floor(v/width)] = bin{b.values + 1, b.records + n}
	}
	one := table.Values{Type: cell, Code: []int32{0}}
	for id, key := range t.key {
		if t.text == nil {
			one.Whole = []int64{int64(key)}
			take(one.Float(0), t.count[id])
		} else if v, dated, ok := table.TextValue([]byte(t.text[id])); ok && !dated {
			take(v, t.count[id])
		}
	}
	full := bin{}
	for _, b := range in {
		if b.records > full.records {
			full = b
		}
	}
	if full.values < 3 || 2*full.records <= records {
		return nil
	}
	slices.SortFunc(all, func(a, b held) int { return cmp.Compare(a.v, b.v) })
	below, tenth := int64(0), int64(1)
	for _, h := range all {
		for below += h.n; tenth < 10 && below*10 >= tenth*records; tenth++ {
			if e := strconv.FormatFloat(round(h.v), 'f', -1, 64); !slices.Contains(edges, e) {
				edges = append(edges, e)
			}
		}
	}
	low := "-inf"
	if all[0].v >= 0 && edges[0] != "0" {
		low = "0"
	} else if all[0].v >= 0 {
		return append(edges, "inf")
	}
	return slices.Concat([]string{low}, edges, []string{"inf"})
}

// round is the nearest number of 1, 2 or 5 and zeros, by ratio.
func round(v float64) float64 {
	if v == 0 {
		return 0
	}
	ten, best := math.Pow(10, math.Floor(math.Log10(math.Abs(v)))), 0.0
	for _, digit := range []float64{1, 2, 5, 10} {
		if r := digit * ten; best == 0 || math.Abs(math.Log(r/math.Abs(v))) < math.Abs(math.Log(best/math.Abs(v))) {
			best = r
		}
	}
	return math.Copysign(best, v)
}

// Edges are round numbers or dates at which the span of a column can be parted: those of
// the rule that suits it, inside the span, with open bins at both ends. Where a column
// has no such rule there are none.
func (f *File) Edges(column string) []string {
	for i := range f.Columns {
		if f.Columns[i].Name == column {
			return f.Columns[i].edges()
		}
	}
	return nil
}

func (c *Column) edges() []string {
	if strings.Contains(c.rule, ",") {
		return strings.Split(c.rule, ",")
	}
	b, err := table.BinsOf(c.rule, cmp.Or(c.cell.CellName(), table.OfText(c.rule)))
	if err != nil { // there is no rule
		return nil
	}
	at := func(v float64) *big.Rat {
		if c.cell.Form == table.TimestampCells {
			v = math.Floor(v / float64(c.cell.Ticks))
		}
		return new(big.Rat).SetFloat64(v)
	}
	return slices.Concat([]string{"-inf"}, b.Edges(at(c.tally.span.low), at(c.tally.span.high)), []string{"inf"})
}

// perSecond is how many steps of the numbers of times make a second.
func (c *Column) perSecond() (per float64, ok bool) {
	switch c.cell.Form {
	case table.DateCells:
		return 1. / 86400, true
	case table.TextCells: // of CSV
		return 1, true
	}
	return float64(c.cell.Ticks), c.cell.Form == table.TimestampCells
}

// width is 1, 2 or 5 times a power of ten, not below v, with so many digits behind the
// point at the most.
func width(v float64, digits int) string {
	ten := max(math.Floor(math.Log10(v)), -float64(digits))
	for _, digit := range []float64{1, 2, 5} {
		if w := digit * math.Pow(10, ten); w >= v {
			return strconv.FormatFloat(w, 'f', max(0, -int(ten)), 64)
		}
	}
	return strconv.FormatFloat(math.Pow(10, ten+1), 'f', max(0, -int(ten)-1), 64)
}
