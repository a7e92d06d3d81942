package files

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A BinRule is how a plan puts the values of its column into bins: docs/bins.md.
type BinRule struct {
	Spec string `json:"spec"`
	Of   string `json:"of"`
	As   string `json:"as"`
}

// Bins are a rule, read. Numbers are what they are; dates are days and timestamps
// seconds from 1970-01-01 on.
type Bins struct {
	BinRule
	edges        []*big.Rat // of a list; the infinite ones are left out
	below, above bool
	width, start *big.Rat // nil where bins are not of one width
	kind         string   // what the cells are, without more of their type
	exact        Type     // of the values that are published, where these are floats, decimals or timestamps
}

// calendarUnits are the specs that name a unit.
var calendarUnits = []string{"decade", "year", "quarter", "month", "week", "day", "hour"}

var aDecimal = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)

// NewBins reads the rule; ok is false where it is none.
func NewBins(r *BinRule) (b *Bins, ok bool) {
	b = &Bins{BinRule: *r, kind: r.Of}
	if r.As != "text" {
		if exact, kind, ok := exactOf(r.Of); ok {
			b.kind, b.exact = kind, exact
		}
	}
	if !slices.Contains([]string{"integer", "decimal", "float", "date", "timestamp"}, b.kind) ||
		!slices.Contains([]string{"text", "lower", "middle"}, r.As) {
		return nil, false
	}
	if slices.Contains(calendarUnits, r.Spec) {
		return b, b.dated() && (r.Spec != "hour" || b.kind == "timestamp")
	}
	if text, by := strings.CutPrefix(r.Spec, "width:"); by {
		width, start, given := strings.Cut(text, ":")
		number := strings.TrimRight(width, "adhimns")
		per, timed := map[string]int64{"d": 86400, "h": 3600, "min": 60, "s": 1}[width[len(number):]]
		if !aDecimal.MatchString(number) || timed != (number != width) || timed && !b.dated() || !timed &&
			b.kind == "timestamp" {
			return nil, false
		}
		if b.width, _ = new(big.Rat).SetString(number); timed {
			b.width = b.days(b.width.Mul(b.width, new(big.Rat).SetInt64(per)))
		}
		if b.start = new(big.Rat); given {
			if b.start, ok = b.number(start); !ok {
				if !aDecimal.MatchString(start) { // days from 1970-01-01 on may be a number, too
					return nil, false
				}
				b.start, _ = new(big.Rat).SetString(start)
			}
		}
		return b, b.width.Sign() > 0
	}
	parts := strings.Split(r.Spec, ",")
	if parts[0] == "-inf" {
		b.below, parts = true, parts[1:]
	}
	if n := len(parts); n > 0 && parts[n-1] == "inf" {
		b.above, parts = true, parts[:n-1]
	}
	for _, p := range parts {
		v, ok := b.number(p)
		if n := len(b.edges); !ok || n > 0 && v.Cmp(b.edges[n-1]) <= 0 {
			return nil, false
		}
		b.edges = append(b.edges, v)
	}
	return b, len(b.edges) > 0
}

func (b *Bins) dated() bool { return b.kind == "date" || b.kind == "timestamp" }

// Is reports whether text asks for the rule; the rule without a spec is asked for by
// none.
func (r *BinRule) Is(text string) bool {
	if text == r.Spec {
		return true
	}
	if text == "" || r.Spec == "" {
		return false
	}
	mine, ok := NewBins(r)
	var parts []string
	for _, part := range strings.Split(text, ",") {
		parts = append(parts, strings.TrimPrefix(strings.TrimSuffix(strings.TrimSpace(part), "Z"), "+"))
	}
	theirs, also := NewBins(&BinRule{strings.Join(parts, ","), r.Of, r.As})
	return ok && also && mine.below == theirs.below && mine.above == theirs.above && same(mine.width, theirs.width) &&
		same(mine.start, theirs.start) && slices.EqualFunc(mine.edges, theirs.edges, same)
}

// number reads a number, or a date, in the way of what the bins are of.
func (b *Bins) number(text string) (*big.Rat, bool) {
	if !b.dated() {
		if !aDecimal.MatchString(text) {
			return nil, false
		}
		return new(big.Rat).SetString(text)
	}
	layout := "2006-01-02"
	if strings.Contains(text, "T") {
		layout = "2006-01-02T15:04:05.999999999"
	}
	t, err := time.Parse(layout, text)
	if err != nil || b.kind == "date" && layout != "2006-01-02" {
		return nil, false
	}
	seconds := new(big.Rat).SetFrac(new(big.Int).Add(new(big.Int).Mul(big.NewInt(t.Unix()), big.NewInt(1e9)),
		big.NewInt(int64(t.Nanosecond()))), big.NewInt(1e9))
	return b.days(seconds), true
}

// days are seconds as the column has them.
func (b *Bins) days(seconds *big.Rat) *big.Rat {
	if b.kind == "date" {
		seconds.Quo(seconds, big.NewRat(86400, 1))
	}
	return seconds
}

// around are the ends of the bin that a number lies in, nil where it is open; ok is
// false where it lies in none.
func (b *Bins) around(v *big.Rat) (from, to *big.Rat, ok bool) {
	switch {
	case b.width != nil:
		q := new(big.Rat).Quo(new(big.Rat).Sub(v, b.start), b.width)
		k := new(big.Int).Div(q.Num(), q.Denom())
		from = new(big.Rat).Add(b.start, new(big.Rat).Mul(b.width, new(big.Rat).SetInt(k)))
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
	seconds := new(big.Rat).Set(v)
	if b.kind == "date" {
		seconds.Mul(seconds, big.NewRat(86400, 1))
	}
	whole := new(big.Int).Div(seconds.Num(), seconds.Denom())
	if !whole.IsInt64() {
		return nil, nil, false
	}
	t := time.Unix(whole.Int64(), 0).UTC()
	year, month, day := t.Date()
	if year < 0 || year > 9999 {
		return nil, nil, false
	}
	at := func(y int, m time.Month, d, h int) *big.Rat {
		return b.days(new(big.Rat).SetInt64(time.Date(y, m, d, h, 0, 0, 0, time.UTC).Unix()))
	}
	switch b.Spec {
	case "decade":
		return at(year-year%10, 1, 1, 0), at(year-year%10+10, 1, 1, 0), true
	case "year":
		return at(year, 1, 1, 0), at(year+1, 1, 1, 0), true
	case "quarter":
		first := month - (month-1)%3
		return at(year, first, 1, 0), at(year, first+3, 1, 0), true
	case "month":
		return at(year, month, 1, 0), at(year, month+1, 1, 0), true
	case "week":
		monday := day - (int(t.Weekday())+6)%7
		return at(year, month, monday, 0), at(year, month, monday+7, 0), true
	case "day":
		return at(year, month, day, 0), at(year, month, day+1, 0), true
	}
	return at(year, month, day, t.Hour()), at(year, month, day, t.Hour()+1), true
}

// Ends are those of the bin that is called so; ok is false where none is.
func (b *Bins) Ends(label string) (from, to *big.Rat, ok bool) {
	if b.exact.Kind != Text {
		return b.exactEnds(label)
	}
	if b.As == "text" {
		if b.edges == nil && b.width == nil {
			return b.unitCalled(label)
		}
		from, to, ok = b.said(label)
	} else if from, ok = b.number(label); ok {
		to = nil
	}
	if !ok {
		return nil, nil, false
	}
	inside := from
	if from == nil {
		inside = new(big.Rat).Sub(to, big.NewRat(1, 1))
	}
	low, high, ok := b.around(inside)
	switch {
	case !ok:
		return nil, nil, false
	case b.As == "lower":
		return low, high, low != nil && low.Cmp(from) == 0
	case b.As == "middle":
		if low == nil || high == nil {
			return nil, nil, false
		}
		middle := new(big.Rat).Quo(new(big.Rat).Add(low, high), big.NewRat(2, 1))
		switch b.kind {
		case "integer", "date":
			middle.SetInt(new(big.Int).Div(middle.Num(), middle.Denom()))
		case "timestamp": // whose text has nanoseconds
			nano := new(big.Rat).Mul(middle, big.NewRat(1e9, 1))
			middle.SetFrac(new(big.Int).Div(nano.Num(), nano.Denom()), big.NewInt(1e9))
		}
		return low, high, from.Cmp(middle) == 0
	}
	return low, high, same(low, from) && same(high, to)
}

func same(a, b *big.Rat) bool {
	return a == nil && b == nil || a != nil && b != nil && a.Cmp(b) == 0
}

// said are the ends that a label of text names.
func (b *Bins) said(label string) (from, to *big.Rat, ok bool) {
	two := func(a, z string, above int64) (*big.Rat, *big.Rat, bool) {
		from, ok := b.number(a)
		to, last := b.number(z)
		if !ok || !last {
			return nil, nil, false
		}
		return from, new(big.Rat).Add(to, big.NewRat(above, 1)), from.Cmp(to) <= 0
	}
	if rest, open := strings.CutPrefix(label, "<"); open {
		to, ok = b.number(rest)
		return nil, to, ok
	}
	if rest, open := strings.CutPrefix(label, ">="); open {
		from, ok = b.number(rest)
		return from, nil, ok
	}
	if b.kind != "integer" && b.kind != "date" {
		inner, opens := strings.CutPrefix(label, "[")
		inner, closes := strings.CutSuffix(inner, ")")
		first, last, found := strings.Cut(inner, ", ")
		if !opens || !closes || !found {
			return nil, nil, false
		}
		return two(first, last, 0)
	}
	if first, last, found := strings.Cut(label, " to "); found {
		return two(first, last, 1)
	}
	if first, last, found := strings.Cut(label, "-"); found && first != "" && b.kind == "integer" {
		return two(first, last, 1)
	}
	return two(label, label, 1)
}

// unitCalled are the ends of a unit of the calendar.
func (b *Bins) unitCalled(label string) (from, to *big.Rat, ok bool) {
	year, part := 0, 1
	var rest string
	if _, err := fmt.Sscanf(label, "%4d%s", &year, &rest); err != nil && rest != "" || len(label) < 4 {
		return nil, nil, false
	}
	at := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
	written := ""
	switch b.Spec {
	case "decade":
		written = fmt.Sprintf("%04ds", year-year%10)
	case "year":
		written = fmt.Sprintf("%04d", year)
	case "quarter":
		part = trailing(label, 1)
		at, written = at.AddDate(0, 3*part-3, 0), fmt.Sprintf("%04d-Q%d", year, part)
	case "month":
		part = trailing(label, 2)
		at, written = at.AddDate(0, part-1, 0), fmt.Sprintf("%04d-%02d", year, part)
	case "week":
		part = trailing(label, 2)
		for at = at.AddDate(0, 0, -7); ; at = at.AddDate(0, 0, 1) { // some days to go to the week's Monday
			if y, w := at.ISOWeek(); y == year && w >= part || y > year {
				break
			}
		}
		y, w := at.ISOWeek()
		written = fmt.Sprintf("%04d-W%02d", y, w)
	case "day":
		at, _ = time.Parse("2006-01-02", label)
		written = at.Format("2006-01-02")
	default:
		at, _ = time.Parse("2006-01-02T15", label)
		written = at.Format("2006-01-02T15")
	}
	if most := map[string]int{"quarter": 4, "month": 12}[b.Spec]; written != label || part < 1 || most > 0 && part > most {
		return nil, nil, false
	}
	return b.unit(b.days(new(big.Rat).SetInt64(at.Unix())))
}

// trailing is the number in the last n characters, 0 where there is none.
func trailing(text string, n int) int {
	v, _ := strconv.Atoi(text[max(0, len(text)-n):])
	return v
}

// Compare orders labels as their bins lie; those of no bin come last, by their bytes.
func (b *Bins) Compare(one, other string) int {
	low := func(label string) (*big.Rat, bool) {
		from, _, ok := b.Ends(label)
		return from, ok
	}
	i, isOne := low(one)
	j, isOther := low(other)
	switch {
	case !isOne && !isOther:
		return strings.Compare(one, other)
	case !isOne || !isOther:
		return cmp.Compare(map[bool]int{true: 1}[isOther], map[bool]int{true: 1}[isOne])
	case i == nil || j == nil:
		return cmp.Compare(map[bool]int{true: 1}[i != nil], map[bool]int{true: 1}[j != nil])
	}
	return i.Cmp(j)
}

// of reports whether cells of type t are what the bins are of.
func (b *Bins) of(t Type) bool {
	if t.Kind == Text { // numbers or dates that are written
		return b.kind == "decimal" || b.kind == "timestamp"
	}
	return b.kind == map[Kind]string{Integer: "integer", Date: "date", Timestamp: "timestamp", Float: "float",
		Decimal: "decimal"}[t.Kind]
}

// A binIndex finds the letters of cells by the bins that letters name.
type binIndex struct {
	typ    Type
	all    []aBin  // ascending
	letter []int32 // of the bins that hold keys of 64 bits, ascending
	low    []int64 // of these, the least key that it holds, and the greatest
	high   []int64
}

// aBin is a bin by its ends, nil where there is none, and its letter.
type aBin struct {
	from, to *big.Rat
	letter   int32
}

// newBinIndex takes the labels that are bins; others have no cells.
func newBinIndex(t Type, labels []Label) *binIndex {
	x := &binIndex{typ: t}
	for i, l := range labels {
		if from, to, ok := t.Bins.Ends(l.Text); ok && !l.Null {
			x.all = append(x.all, aBin{from, to, int32(i)})
		}
	}
	slices.SortFunc(x.all, func(a, b aBin) int {
		switch {
		case a.from == nil || b.from == nil:
			return cmp.Compare(map[bool]int{true: 1}[a.from != nil], map[bool]int{true: 1}[b.from != nil])
		}
		return a.from.Cmp(b.from)
	})
	for _, b := range x.all {
		low, high := int64(math.MinInt64), int64(math.MaxInt64)
		if b.from != nil && t.Kind != Text {
			var ok bool
			if low, ok = x.least(b.from); !ok {
				continue // above all keys
			}
		}
		if b.to != nil && t.Kind != Text {
			if next, ok := x.least(b.to); ok && next == math.MinInt64 {
				continue
			} else if ok {
				high = next - 1
			}
		}
		x.letter, x.low, x.high = append(x.letter, b.letter), append(x.low, low), append(x.high, high)
	}
	return x
}

// least is the least key whose number is not below v, found by halving all keys; ok is
// false where none is.
func (x *binIndex) least(v *big.Rat) (key int64, ok bool) {
	lo, hi := big.NewInt(math.MinInt64), new(big.Int).Add(big.NewInt(math.MaxInt64), big.NewInt(1))
	for lo.Cmp(hi) < 0 {
		mid := new(big.Int).Add(lo, hi)
		mid.Rsh(mid, 1) // rounded down, for negative numbers too
		if x.atLeast(mid.Int64(), v) {
			hi = mid
		} else {
			lo = mid.Add(mid, big.NewInt(1))
		}
	}
	return lo.Int64(), lo.IsInt64()
}

// atLeast reports whether the number of a key is not below v.
func (x *binIndex) atLeast(key int64, v *big.Rat) bool {
	if x.typ.Kind == Float {
		f := unkeyed(key)
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return key > 0
		}
		return new(big.Rat).SetFloat64(f).Cmp(v) >= 0
	}
	n := big.NewInt(key)
	if x.typ.Unsigned {
		n.Add(n, new(big.Int).Lsh(big.NewInt(1), 63))
	}
	return x.number(n).Cmp(v) >= 0
}

// number is a stored integer as what it stands for.
func (x *binIndex) number(n *big.Int) *big.Rat {
	per := big.NewInt(1)
	switch {
	case x.typ.Kind == Timestamp:
		per.SetInt64(x.typ.Ticks)
	case x.typ.Kind == Decimal:
		per.Exp(big.NewInt(10), big.NewInt(int64(max(x.typ.Scale, -x.typ.Scale))), nil)
		if x.typ.Scale < 0 {
			return new(big.Rat).SetInt(per.Mul(per, n))
		}
	}
	return new(big.Rat).SetFrac(n, per)
}

// keyed is a float as an integer that is ordered as floats are; zeros are one.
func keyed(f float64) int64 {
	if n := int64(math.Float64bits(f)); n >= 0 {
		return n
	}
	return -int64(math.Float64bits(-f))
}

// unkeyed is the float of a key. The least key is that of none.
func unkeyed(key int64) float64 {
	if key >= 0 {
		return math.Float64frombits(uint64(key))
	}
	return -math.Float64frombits(uint64(-key))
}

// num is the letter of a stored number: of a float its bits.
func (x *binIndex) num(v int64) int32 {
	switch {
	case x.typ.Kind == Float:
		f := math.Float64frombits(uint64(v))
		if math.IsNaN(f) {
			return Stranger
		}
		v = keyed(f)
	case x.typ.Unsigned:
		v ^= math.MinInt64
	}
	at, found := slices.BinarySearch(x.low, v)
	if !found {
		at--
	}
	if at < 0 || v > x.high[at] {
		return Stranger
	}
	return x.letter[at]
}

// writtenTimes are the ways in which a cell of text may say a time, in UTC; fractions
// of the second may follow.
var writtenTimes = []string{"2006-01-02", "2006-01-02T15:04:05", "2006-01-02T15:04:05Z", "2006-01-02 15:04:05",
	"2006-01-02 15:04:05Z"}

var aNumber = regexp.MustCompile(`^[-+]?[0-9]+(\.[0-9]+)?$`)

// written is the letter of a cell of text that says a number or a time.
func (x *binIndex) written(text string) int32 {
	var v *big.Rat
	if x.typ.Bins.kind == "decimal" && aNumber.MatchString(text) {
		v, _ = new(big.Rat).SetString(strings.TrimPrefix(text, "+"))
	}
	for _, layout := range writtenTimes {
		if t, err := time.Parse(layout, text); err == nil && x.typ.Bins.kind == "timestamp" {
			v = big.NewRat(int64(t.Nanosecond()), 1e9)
			v.Add(v, new(big.Rat).SetInt64(t.Unix()))
			break
		}
	}
	if v == nil {
		return Stranger
	}
	return x.among(v)
}

// among is the letter of a number: that of the last bin that does not begin above it, if
// the number is in it.
func (x *binIndex) among(v *big.Rat) int32 {
	at, _ := slices.BinarySearchFunc(x.all, v, func(b aBin, v *big.Rat) int {
		if b.from == nil || b.from.Cmp(v) <= 0 {
			return -1
		}
		return 1
	})
	if at == 0 || x.all[at-1].to != nil && x.all[at-1].to.Cmp(v) <= 0 {
		return Stranger
	}
	return x.all[at-1].letter
}

// wide is that of a decimal of more than 64 bits, big-endian.
func (x *binIndex) wide(b []byte) int32 {
	n := signed(b)
	if n.IsInt64() {
		return x.num(n.Int64())
	}
	return x.among(x.number(n))
}

// signed is a number in two's complement, big-endian.
func signed(b []byte) *big.Int {
	n := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0]&0x80 != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return n
}
