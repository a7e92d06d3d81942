package table

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Bins are a rule that puts numbers, dates or timestamps into bins: every value of
// a bin is one letter. Equal rules are one pointer.
type Bins struct {
	Spec string // as ParseBins has it
	Of   string // what the cells are: "integer", "decimal", "float", "date" or "timestamp"

	rule
	places sync.Map // numbers of the bins by label, as they were met
}

// A rule is a list of edges, a width or a unit. Of dates and timestamps all is in seconds from
// 1970 on.
type rule struct {
	edge         []*big.Rat // of a list, ascending; the ends of the bins between them
	below, above bool       // there are bins before the first edge, and from the last one on
	width        *big.Rat   // of bins of one width, one of which begins at 0; nil for others
	unit         *calendar  // of the calendar, nil for others
}

// maxEdges bounds the edges of a list.
const maxEdges = MaxLetters

// plainNumber is how an edge is written: exact, and in one way.
var plainNumber = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[-+]?[0-9]{1,40}(\.[0-9]{1,40})?$`)
})

// edges are a parsed spec. A width of days is a number as it is.
type edges struct {
	rule
	dates    bool // the edges are dates
	clock    bool // one of them has a time of the day
	duration bool // the width is a time, in seconds
	whole    bool // all numbers are integers
}

// ParseBins reads edges with commas between them, width:W, or a unit of the calendar.
// It returns the spec in the one way in which plans have it.
func ParseBins(text string) (spec string, err error) {
	_, spec, err = parseEdges(text)
	return spec, err
}

func parseEdges(text string) (e *edges, spec string, err error) {
	e = &edges{whole: true}
	if e.unit = unitNamed(text); e.unit != nil {
		return e, text, nil
	}
	if rest, ok := strings.CutPrefix(text, "width:"); ok {
		width, per := e.perUnit(rest)
		if !plainNumber().MatchString(width) {
			return nil, "", Errorf("write width:10, or of timestamps width:6h; bins that do not begin at 0 have edges",
				"the width is neither a plain number nor a time")
		}
		e.width, _ = new(big.Rat).SetString(width)
		if e.width.Sign() <= 0 {
			return nil, "", Errorf("write width:10", "the width is not above 0")
		}
		e.whole = e.width.IsInt()
		spec = "width:" + plain(e.width) + per
		if per != "" {
			e.width.Mul(e.width, big.NewRat(durations[per], 1))
		}
		return e, spec, nil
	}
	var canonical []string
	parts := strings.Split(text, ",")
	if len(parts) > maxEdges {
		return nil, "", Errorf("give fewer", "more than %d edges", maxEdges)
	}
	for i, part := range parts {
		switch part = strings.TrimSpace(part); {
		case i == 0 && part == "-inf":
			e.below, canonical = true, append(canonical, part)
			continue
		case i == len(parts)-1 && part == "inf":
			e.above, canonical = true, append(canonical, part)
			continue
		}
		v, name, err := e.number(part)
		if err != nil {
			return nil, "", err
		}
		canonical = append(canonical, name)
		if n := len(e.edge); n > 0 && v.Cmp(e.edge[n-1]) <= 0 {
			return nil, "", Errorf("write them from the least to the greatest, each once",
				"edge %d is not above the one before", i+1)
		}
		e.edge = append(e.edge, v)
	}
	if len(parts) < 2 || len(e.edge) == 0 {
		return nil, "", Errorf("write edges such as 0,10,20 or -inf,18,65,inf, width:10, or one of "+
			strings.Join(Units(), ", "), "bins need two edges, a width, or a unit of the calendar")
	}
	return e, strings.Join(canonical, ","), nil
}

// durations are the units of a width that is a time, in seconds.
var durations = map[string]int64{"d": 86400, "h": 3600, "min": 60, "s": 1}

// mostDays bounds a width that is a time.
const mostDays = 366

// perUnit cuts the unit of a time off a width.
func (e *edges) perUnit(width string) (number, unit string) {
	number = strings.TrimRight(width, "dhmins")
	if durations[width[len(number):]] == 0 {
		return width, ""
	}
	e.duration = true
	return number, width[len(number):]
}

// number reads an edge, and says how it is written. Dates and numbers do not stand side by side.
func (e *edges) number(text string) (*big.Rat, string, error) {
	date, at, clock, err := parseTime(text)
	if strings.HasPrefix(text, ".") {
		text = "0" + text
	}
	if err != nil && !plainNumber().MatchString(text) {
		return nil, "", Errorf("write plain numbers, or dates as 2020-01-31 or 2020-01-31T06:00:00",
			"an edge is neither a plain number nor a date")
	}
	if len(e.edge) > 0 && e.dates != (err == nil) {
		return nil, "", Errorf("write all of them as numbers, or all as dates", "there are numbers and dates among the edges")
	}
	if err == nil {
		e.dates, e.clock, e.whole = true, e.clock || clock, false
		return date, at, nil
	}
	v, _ := new(big.Rat).SetString(text)
	e.whole = e.whole && v.IsInt()
	return v, plain(v), nil
}

// parseTime reads a date, or a timestamp in UTC, in seconds from 1970 on.
func parseTime(text string) (seconds *big.Rat, written string, clock bool, err error) {
	for _, layout := range []string{time.DateOnly, stampLayout, stampLayout + "Z"} {
		t, err := time.Parse(layout, text)
		if _, behind, _ := strings.Cut(text, "."); err != nil || len(strings.TrimSuffix(behind, "Z")) > 9 {
			continue // nanoseconds are all that timestamps have
		}
		seconds = big.NewRat(int64(t.Nanosecond()), 1e9)
		seconds.Add(seconds, big.NewRat(t.Unix(), 1))
		clock = t.Unix()%86400 != 0 || t.Nanosecond() != 0
		return seconds, stamp(seconds), clock, nil
	}
	return nil, "", false, fmt.Errorf("no date")
}

var (
	knownBins sync.Map // *Bins by what it is of
	wholeDay  = big.NewRat(86400, 1)
)

// BinsOf is the rule of a spec for cells of that name: see Bins. It fails where they do
// not go together.
func BinsOf(text, of string) (*Bins, error) {
	e, spec, err := parseEdges(text)
	if err != nil {
		return nil, err
	}
	b := &Bins{Spec: spec, Of: of, rule: e.rule}
	if err := b.fit(e); err != nil {
		return nil, err
	}
	if known, ok := knownBins.Load([2]string{spec, of}); ok {
		return known.(*Bins), nil
	}
	b.All() // by whose labels they are found
	known, _ := knownBins.LoadOrStore([2]string{spec, of}, b)
	return known.(*Bins), nil
}

// fit refuses a spec for cells that it is not of, and brings a width in days to seconds.
func (b *Bins) fit(e *edges) error {
	dated := b.Of == "date" || b.Of == "timestamp"
	number := !dated
	switch {
	case !slices.Contains([]string{"integer", "decimal", "float", "date", "timestamp"}, b.Of):
		return Errorf("name a column of numbers, dates or timestamps", "values of this type have no bins")
	case b.unit != nil && number:
		return Errorf("give edges, or width:10", "%s bins are of dates and timestamps, and these are numbers", b.unit.name)
	case b.unit != nil && b.unit.clock && b.Of == "date":
		return Errorf("take day, week or month", "%s bins need timestamps, and these are dates", b.unit.name)
	case e.dates && number:
		return Errorf("give numbers as edges", "the edges are dates, and the values are numbers")
	case b.Of == "timestamp" && b.width != nil && !e.duration:
		return Errorf("write width:6h, width:15min or width:7d, take one of "+strings.Join(Units(), ", ")+", or edges",
			"the width of bins of timestamps is a time, with its unit")
	case e.duration && b.Of == "date" && !new(big.Rat).Quo(b.width, wholeDay).IsInt():
		return Errorf("write width:7d, or width:7", "the width is no number of days")
	case e.duration && b.Of == "timestamp" && b.width.Cmp(big.NewRat(mostDays*86400, 1)) > 0:
		return Errorf("take edges, year or decade", "the width is above %d days", mostDays)
	case e.duration && number:
		return Errorf("write a plain number, such as width:10", "the width is a time, and the values are numbers")
	case dated && len(b.edge) > 0 && !e.dates:
		return Errorf("write dates as edges: 2020-01-01,2021-01-01", "the edges are numbers, and the values are dates")
	case b.Of == "date" && e.clock:
		return Errorf("leave the times out", "the edges have a time of the day, and the values are dates")
	case b.Of == "date" && b.width != nil && !e.duration && !b.width.IsInt():
		return Errorf("give a number of days, such as width:7", "the width is no number of days")
	case b.Of == "integer" && !e.whole:
		return Errorf("give integers", "the values are integers, and an edge or the width is none")
	}
	if b.Of == "date" && b.width != nil && !e.duration {
		b.width = new(big.Rat).Mul(b.width, wholeDay)
	}
	return nil
}

// CellName is what a type of cells is called in BinsOf, "" where it has no bins.
func (t CellType) CellName() string {
	switch t.Form {
	case IntegerCells, UnsignedCells:
		return "integer"
	case FloatCells:
		return "float"
	case DecimalCells, WideDecimalCells:
		return "decimal"
	case DateCells:
		return "date"
	case TimestampCells:
		return "timestamp"
	}
	return ""
}

// Asked is the rule as a request has it, "" for none.
func (b *Bins) Asked() string {
	if b == nil {
		return ""
	}
	return b.Spec
}

// place is the number of the bin that holds v; where there is none, it lies below or above
// all. Years that a label cannot say lie outside.
func (b *Bins) place(v *big.Rat) (id int64, out Outside) {
	if b.Of == "date" || b.unit != nil {
		switch day := new(big.Rat).Quo(v, wholeDay); {
		case day.Cmp(big.NewRat(firstDay, 1)) < 0:
			return 0, Below
		case day.Cmp(big.NewRat(lastDay+1, 1)) >= 0:
			return 0, Above
		}
	}
	switch {
	case b.unit != nil:
		return b.unit.of(time.Unix(floor(v).Int64(), 0).UTC()), Inside
	case b.width != nil:
		n := floor(new(big.Rat).Quo(v, b.width))
		if !n.IsInt64() {
			return 0, beyond(n.Sign())
		}
		if from, _ := b.ends(n.Int64()); b.Of == "timestamp" && !sayable(from) {
			return 0, beyond(from.Sign())
		}
		return n.Int64(), Inside
	}
	at, found := slices.BinarySearchFunc(b.edge, v, (*big.Rat).Cmp)
	if found {
		at++
	}
	switch {
	case at == 0 && !b.below:
		return 0, Below
	case at == len(b.edge) && !b.above:
		return 0, Above
	}
	return int64(at), Inside
}

// sayable reports whether a date can be written of a number of seconds, and of those
// within mostDays of it.
func sayable(v *big.Rat) bool {
	day := new(big.Rat).Quo(v, wholeDay)
	return day.Cmp(big.NewRat(firstDay+mostDays, 1)) > 0 && day.Cmp(big.NewRat(lastDay-mostDays, 1)) < 0
}

// ends are the least number of a bin and the least above it, nil where it is open.
func (b *Bins) ends(id int64) (from, to *big.Rat) {
	switch {
	case b.unit != nil:
		return big.NewRat(b.unit.from(id).Unix(), 1), big.NewRat(b.unit.from(id+1).Unix(), 1)
	case b.width != nil:
		at := func(k *big.Int) *big.Rat {
			r := new(big.Rat).SetInt(k)
			return r.Mul(r, b.width)
		}
		k := big.NewInt(id)
		return at(k), at(new(big.Int).Add(k, big.NewInt(1)))
	}
	if id > 0 {
		from = b.edge[id-1]
	}
	if id < int64(len(b.edge)) {
		to = b.edge[id]
	}
	return from, to
}

// Edges are the least numbers of the bins behind that of low, up to high: numbers, days or
// seconds from 1970 on.
func (b *Bins) Edges(low, high *big.Rat) (edges []string) {
	id, out := b.place(low)
	for out == Inside {
		id++
		from, _ := b.ends(id)
		if from == nil || from.Cmp(high) > 0 {
			break
		}
		edges = append(edges, b.text(from))
	}
	return edges
}

// All are the labels of all bins, in their order; nil where the data say how many
// there are.
func (b *Bins) All() (label []string) {
	if b.edge == nil {
		return nil
	}
	first, last := int64(1), int64(len(b.edge)-1)
	if b.below {
		first = 0
	}
	if b.above {
		last++
	}
	for id := first; id <= last; id++ {
		label = append(label, b.Label(id))
	}
	return label
}

// floor is r rounded down.
func floor(r *big.Rat) *big.Int {
	return new(big.Int).Div(r.Num(), r.Denom()) // Euclidean, and the denominator is positive
}

// plain is a decimal as people write it, exact: r has one.
func plain(r *big.Rat) string {
	digits, _ := r.FloatPrec()
	return r.FloatString(digits)
}

// A calendar is a unit of it, the labels of whose parts stand in the order of time.
type calendar struct {
	name  string
	clock bool                        // it needs the time of the day
	of    func(t time.Time) int64     // the number of the part that holds t
	from  func(id int64) time.Time    // where a part begins
	label func(from time.Time) string // of the part that begins there
}

// months are units of n months.
func months(name string, n int64, label func(from time.Time) string) calendar {
	return calendar{name: name, label: label,
		of:   func(t time.Time) int64 { return down(int64(t.Year())*12+int64(t.Month())-1, n) },
		from: func(id int64) time.Time { return time.Date(0, time.Month(id*n+1), 1, 0, 0, 0, 0, time.UTC) }}
}

// spans are units of so many seconds, one of which begins so many before 1970.
func spans(name string, seconds, before int64, label func(from time.Time) string) calendar {
	return calendar{name: name, clock: seconds%86400 != 0, label: label,
		of:   func(t time.Time) int64 { return down(t.Unix()+before, seconds) },
		from: func(id int64) time.Time { return time.Unix(id*seconds-before, 0).UTC() }}
}

// units are those of the calendar, from long to short. Weeks begin on Monday, 1970-01-01 was
// a Thursday, and are numbered as ISO 8601 does.
var units = []calendar{
	months("decade", 120, func(t time.Time) string { return t.Format("2006s") }),
	months("year", 12, func(t time.Time) string { return t.Format("2006") }),
	months("quarter", 3, func(t time.Time) string { return fmt.Sprintf("%s-Q%d", t.Format("2006"), (t.Month()+2)/3) }),
	months("month", 1, func(t time.Time) string { return t.Format("2006-01") }),
	spans("week", 7*86400, 3*86400, func(t time.Time) string {
		y, w := t.ISOWeek()
		return fmt.Sprintf("%04d-W%02d", y, w)
	}),
	spans("day", 86400, 0, func(t time.Time) string { return t.Format(time.DateOnly) }),
	spans("hour", 3600, 0, func(t time.Time) string { return t.Format("2006-01-02T15") }),
}

// Units are the names of the units.
func Units() (names []string) {
	for _, u := range units {
		names = append(names, u.name)
	}
	return names
}

func unitNamed(name string) *calendar {
	if i := slices.Index(Units(), name); i >= 0 {
		return &units[i]
	}
	return nil
}

// down is n/m rounded down.
func down(n, m int64) int64 {
	q := n / m
	if n%m < 0 {
		q--
	}
	return q
}

// stampLayout is a timestamp; time.Parse takes fractions of the second, too.
const stampLayout = "2006-01-02T15:04:05"

// stamp is a number of seconds as a date, with the time where there is one.
func stamp(seconds *big.Rat) string {
	whole := floor(seconds)
	rest := new(big.Rat).Sub(seconds, new(big.Rat).SetInt(whole))
	rest.Mul(rest, big.NewRat(1e9, 1))
	t := time.Unix(whole.Int64(), floor(rest).Int64()).UTC()
	if t.Hour()+t.Minute()+t.Second()+t.Nanosecond() == 0 {
		return t.Format(time.DateOnly)
	}
	return t.Format(stampLayout + ".999999999")
}
