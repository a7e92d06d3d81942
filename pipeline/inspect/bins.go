package inspect

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/count"
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

// binnable reports whether a run takes the column in bins, of the calendar or of
// numbers.
func binnable(local table.Content, column string) (calendar, numbers bool) {
	takes := func(spec string) bool {
		f, err := count.OpenFile(local, table.Request{Private: []string{column},
			Bins: []table.Binning{{Spec: spec, As: table.BinText}}})
		var refused *table.InputError
		if err != nil || errors.As(err, &refused) {
			return false
		}
		f.Close()
		return true
	}
	return takes("year"), takes("width:1")
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

// bins is a rule for --bins that follows from the span of a column alone, roughly: a
// unit of the calendar, or a width of one digit. It is "" where none is known.
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
	case !c.numbers || c.scaled():
		return ""
	}
	return "width:" + width(wide/wantedBins, c.kind.Kind == table.Integer)
}

// scaled reports whether the integers of a column stand for decimals.
func (c *Column) scaled() bool { return strings.HasPrefix(c.Type, "decimal") }

// perSecond is how many steps of a timestamp or a date make a second.
func (c *Column) perSecond() (per float64, ok bool) {
	if c.kind.Kind == table.Date {
		return 1. / 86400, true
	}
	_, unit, _ := strings.Cut(c.Type, "[")
	for name, per := range map[string]float64{"s": 1, "ms": 1e3, "us": 1e6, "ns": 1e9} {
		if rest, found := strings.CutPrefix(unit, name); found && (rest == "]" || strings.HasPrefix(rest, ",")) {
			return per, true
		}
	}
	return 0, false
}

// width is 1, 2 or 5 times a power of ten, not below v.
func width(v float64, whole bool) string {
	ten := math.Floor(math.Log10(v))
	if whole {
		ten = max(ten, 0)
	}
	digits := max(0, -int(ten))
	for _, digit := range []float64{1, 2, 5, 10} {
		if w := digit * math.Pow(10, ten); w >= v {
			return strconv.FormatFloat(w, 'f', digits, 64)
		}
	}
	return strconv.FormatFloat(math.Pow(10, ten+1), 'f', digits, 64)
}
