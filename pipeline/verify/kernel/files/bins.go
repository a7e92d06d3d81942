package files

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A BinRule is how a plan puts the values of its column into bins: docs/bins.md.
type BinRule struct {
	Spec string `json:"spec"`
	Of   string `json:"of"`
	As   string `json:"as"`
}

// Bins are a rule, read. Everything is a rational: numbers are what they are, dates days and
// timestamps seconds from 1970-01-01 on.
type Bins struct {
	BinRule
	edges        []*big.Rat // of a list; the infinite ones are left out
	below, above bool
	width, start *big.Rat // nil where bins are not of one width
	kind         string   // what the cells are, without more of their type
	exact        Type     // of the values that are published, where these are floats, decimals or timestamps
}

// A unit of the calendar: how one is called, and how far it is to the next.
type unit struct {
	called              string
	years, months, days int
	hours               time.Duration
}

// units are the specs that name one.
var units = map[string]unit{"decade": {called: "2006", years: 10}, "year": {called: "2006", years: 1},
	"quarter": {called: "%4d-Q%1d", months: 3}, "month": {called: "2006-01", months: 1},
	"week": {called: "%4d-W%2d", days: 7}, "day": {called: "2006-01-02", days: 1},
	"hour": {called: "2006-01-02T15", hours: time.Hour}}

var aDecimal = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)

// NewBins reads the rule; ok is false where it is none.
func NewBins(r *BinRule) (b *Bins, ok bool) {
	b = &Bins{BinRule: *r, kind: r.Of}
	if exact, kind, ok := exactOf(r.Of); ok && r.As != "text" {
		b.kind, b.exact = kind, exact
	}
	dated := b.kind == "date" || b.kind == "timestamp"
	if !slices.Contains([]string{"integer", "decimal", "float", "date", "timestamp"}, b.kind) ||
		!slices.Contains([]string{"text", "lower", "middle"}, r.As) {
		return nil, false
	}
	if _, ok := units[r.Spec]; ok {
		return b, dated && (r.Spec != "hour" || b.kind == "timestamp")
	}
	if text, by := strings.CutPrefix(r.Spec, "width:"); by {
		width, start, given := strings.Cut(text, ":")
		number := strings.TrimRight(width, "adhimns")
		per, timed := map[string]int64{"d": 86400, "h": 3600, "min": 60, "s": 1}[width[len(number):]]
		if !aDecimal.MatchString(number) || timed != (number != width) || timed && !dated || !timed && b.kind == "timestamp" {
			return nil, false
		}
		if b.width, _ = new(big.Rat).SetString(number); timed {
			b.width = b.days(b.width.Mul(b.width, big.NewRat(per, 1)))
		}
		if b.start = new(big.Rat); given {
			if b.start, ok = numberIn(b.kind, start); !ok { // days from 1970-01-01 on may be a number, too
				b.start, ok = numberIn("decimal", start)
			}
		}
		return b, b.width.Sign() > 0 && (ok || !given)
	}
	parts := strings.Split(r.Spec, ",")
	if parts[0] == "-inf" {
		b.below, parts = true, parts[1:]
	}
	if n := len(parts); n > 0 && parts[n-1] == "inf" {
		b.above, parts = true, parts[:n-1]
	}
	for _, p := range parts {
		v, ok := numberIn(b.kind, p)
		if n := len(b.edges); !ok || n > 0 && v.Cmp(b.edges[n-1]) <= 0 {
			return nil, false
		}
		b.edges = append(b.edges, v)
	}
	return b, len(b.edges) > 0
}

// days are seconds as the column has them.
func (b *Bins) days(seconds *big.Rat) *big.Rat {
	if b.kind == "date" {
		seconds.Quo(seconds, big.NewRat(86400, 1))
	}
	return seconds
}

// around are the ends of the bin that a number lies in, the lower one included and nil where
// it is open; ok is false where it lies in none.
func (b *Bins) around(v *big.Rat) (from, to *big.Rat, ok bool) {
	switch {
	case b.width != nil:
		q := new(big.Rat).Sub(v, b.start)
		k := floor(q.Quo(q, b.width))
		from = new(big.Rat).Add(b.start, k.Mul(k, b.width))
		return from, new(big.Rat).Add(from, b.width), true
	case b.edges == nil:
		return b.unit(v)
	}
	above := slices.IndexFunc(b.edges, func(e *big.Rat) bool { return e.Cmp(v) > 0 })
	switch {
	case above == 0:
		return nil, b.edges[0], b.below
	case above < 0:
		return b.edges[len(b.edges)-1], nil, b.above
	}
	return b.edges[above-1], b.edges[above], true
}

// unit are the ends of the unit of the calendar that a day or second lies in.
func (b *Bins) unit(v *big.Rat) (from, to *big.Rat, ok bool) {
	t, ok := b.time(v)
	if !ok {
		return nil, nil, false
	}
	u := units[b.Spec]
	first, _ := u.first(u.name(t))
	next := first.AddDate(u.years, u.months, u.days).Add(u.hours)
	return b.days(seconds(first)), b.days(seconds(next)), true
}

// name is what the unit is called that a time lies in; a decade by its first year.
func (u unit) name(t time.Time) string {
	switch {
	case u.months == 3:
		return fmt.Sprintf("%04d-Q%d", t.Year(), (t.Month()+2)/3)
	case u.days == 7:
		year, week := t.ISOWeek()
		return fmt.Sprintf("%04d-W%02d", year, week)
	case u.years == 10:
		return fmt.Sprintf("%04d", t.Year()/10*10)
	}
	return t.Format(u.called)
}

// first is the beginning of the unit that is called so, or of one near it where none is.
func (u unit) first(name string) (t time.Time, ok bool) {
	var year, part int
	n, _ := fmt.Sscanf(name, u.called, &year, &part)
	switch {
	case n == 2 && u.months == 3:
		return time.Date(year, time.Month(3*part-2), 1, 0, 0, 0, 0, time.UTC), true
	case n == 2: // the fourth of January lies in the first week, and weeks begin on Monday [ISO 8601]
		t = time.Date(year, 1, 7*part-3, 0, 0, 0, 0, time.UTC)
		return t.AddDate(0, 0, -(int(t.Weekday())+6)%7), true
	}
	t, err := time.Parse(u.called, name)
	return t, err == nil
}

// time is a day or second, rounded down; ok is false beyond the years 0 to 9999.
func (b *Bins) time(v *big.Rat) (t time.Time, ok bool) {
	if b.kind == "date" {
		v = new(big.Rat).Mul(v, big.NewRat(86400, 1))
	}
	whole := floor(v).Num()
	t = time.Unix(whole.Int64(), 0).UTC()
	return t, whole.IsInt64() && t.Year() >= 0 && t.Year() <= 9999
}

// Ends are those of the bin that is called so; ok is false where none is: a label is read
// as some number of the bin, and the bin around that has the label that is written for it.
func (b *Bins) Ends(label string) (from, to *big.Rat, ok bool) {
	v, ok := b.inside(label)
	if ok {
		from, to, ok = b.around(v)
	}
	if !ok || b.label(from, to) != label {
		return nil, nil, false
	}
	return from, to, true
}

// inside is a number of the bin that is called so.
func (b *Bins) inside(label string) (v *big.Rat, ok bool) {
	if b.exact.Kind != Text {
		_, v, ok = b.exact.number(label)
		return v, ok
	}
	if u, ok := units[b.Spec]; ok && b.As == "text" {
		t, ok := u.first(strings.TrimSuffix(label, "s"))
		return b.days(seconds(t)), ok
	}
	if to, open := strings.CutPrefix(label, "<"); open {
		if v, ok = numberIn(b.kind, to); ok {
			v.Sub(v, big.NewRat(1, 1))
		}
		return v, ok
	}
	first := strings.TrimPrefix(strings.TrimPrefix(label, "["), ">=")
	first, _, _ = strings.Cut(first, ", ")
	first, _, _ = strings.Cut(first, " to ")
	if b.kind == "integer" && !strings.HasPrefix(first, "-") {
		first, _, _ = strings.Cut(first, "-")
	}
	return numberIn(b.kind, first)
}

// label is what is written of a bin, as docs/bins.md says; "" where that is
// nothing.
func (b *Bins) label(from, to *big.Rat) string {
	one, text := big.NewRat(1, 1), func(v *big.Rat) string { return textIn(b.kind, v) }
	switch {
	case b.As != "text" && (from == nil || b.As == "middle" && to == nil):
		return ""
	case b.As == "lower":
		return b.value(from, from, to)
	case b.As == "middle":
		return b.value(new(big.Rat).Quo(new(big.Rat).Add(from, to), big.NewRat(2, 1)), from, to)
	case b.edges == nil && b.width == nil:
		t, _ := b.time(from)
		return units[b.Spec].name(t) + map[string]string{"decade": "s"}[b.Spec]
	case from == nil:
		return "<" + text(to)
	case to == nil:
		return ">=" + text(from)
	case b.kind != "integer" && b.kind != "date":
		return "[" + text(from) + ", " + text(to) + ")"
	}
	last, between := new(big.Rat).Sub(to, one), "-"
	if b.kind == "date" || from.Sign() < 0 {
		between = " to "
	}
	if from.Cmp(last) == 0 {
		return text(from)
	}
	return text(from) + between + text(last)
}

// value is what is published of a bin as a value at point.
func (b *Bins) value(point, from, to *big.Rat) string {
	switch {
	case b.exact.Kind == Float:
		return b.exact.nearest(point, from, to)
	case b.exact.Kind == Text && (b.kind == "integer" || b.kind == "date"):
		point = floor(point)
	case b.exact.Kind == Text && b.kind == "timestamp": // whose text has nanoseconds
		nano := floor(new(big.Rat).Mul(point, big.NewRat(1e9, 1)))
		point = nano.Quo(nano, big.NewRat(1e9, 1))
	}
	return textIn(b.kind, point)
}

// Compare orders labels as their bins lie; those of no bin come last, by their bytes.
func (b *Bins) Compare(one, other string) int {
	_, _, isOne := b.Ends(one)
	_, _, isOther := b.Ends(other)
	switch {
	case isOne && isOther:
		i, _ := b.inside(one)
		j, _ := b.inside(other)
		return i.Cmp(j)
	case isOne:
		return -1
	case isOther:
		return 1
	}
	return strings.Compare(one, other)
}

// of reports whether cells of type t are what the bins are of.
func (b *Bins) of(t Type) bool {
	if t.Kind == Text { // numbers or dates that are written
		return b.kind == "decimal" || b.kind == "timestamp"
	}
	return b.kind == kinds[t.Kind]
}

// Holds reports whether a column of type t holds the values that are published of bins.
func (b *Bins) Holds(t Type) bool {
	return b.exact.Kind == t.Kind && b.exact.Bits == t.Bits && b.exact.Ticks == t.Ticks && b.exact.Scale == t.Scale
}
