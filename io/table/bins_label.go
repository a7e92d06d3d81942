package table

import (
	"cmp"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// Label is what is published for a bin. Integers and days are named from the first
// to the last of the bin, both included: 10-19, -20 to -11, 2020-01-01 to 2020-01-31.
// Where there are fractions the lower end belongs to the bin and the upper does not:
// [10, 20). Open bins are <10 and >=50, and units of the calendar 2020s, 2020, 2020-Q1,
// 2020-01, 2020-W05, 2020-01-31, 2020-01-31T06.
func (b *Bins) Label(id int64) string {
	label := b.label(id)
	b.places.Store(label, id)
	return label
}

func (b *Bins) label(id int64) string {
	from, to := b.ends(id)
	whole := b.Of == "integer" || b.Of == "date"
	one := big.NewRat(1, 1)
	switch {
	case b.unit != nil:
		return b.unit.label(id)
	case from == nil:
		return "<" + b.text(to)
	case to == nil:
		return ">=" + b.text(from)
	case !whole:
		return fmt.Sprintf("[%s, %s)", b.text(from), b.text(to))
	}
	last := new(big.Rat).Sub(to, one)
	switch {
	case from.Cmp(last) == 0:
		return b.text(from)
	case b.Of == "date" || from.Sign() < 0:
		return b.text(from) + " to " + b.text(last)
	}
	return b.text(from) + "-" + b.text(last)
}

// text is how the end of a bin is written.
func (b *Bins) text(v *big.Rat) string {
	switch b.Of {
	case "date":
		return dayOf(floor(v).Int64()).Format(time.DateOnly)
	case "timestamp":
		return stamp(v)
	}
	return plain(v)
}

// Place is the number of the bin that is called so; ok is false where none is.
func (b *Bins) Place(label string) (id int64, ok bool) {
	if id, ok := b.places.Load(label); ok {
		return id.(int64), true
	}
	id, ok = b.find(label)
	if ok = ok && b.label(id) == label; ok {
		b.places.Store(label, id)
	}
	return id, ok
}

// Ends are those of the bin that is called so, nil where it is open; ok is false where none is.
func (b *Bins) Ends(label string) (from, to *big.Rat, ok bool) {
	id, ok := b.Place(label)
	if ok {
		from, to = b.ends(id)
	}
	return from, to, ok
}

// find is the bin of a label that is one.
func (b *Bins) find(label string) (id int64, ok bool) {
	var v *big.Rat
	switch {
	case strings.HasPrefix(label, "<"):
		return 0, b.below
	case strings.HasPrefix(label, ">="):
		return int64(len(b.edge)), b.above
	case b.unit != nil:
		v, ok = b.unit.parse(label, b.Of == "date")
	default:
		first := strings.TrimPrefix(label, "[")
		for _, between := range []string{", ", " to "} {
			first, _, _ = strings.Cut(first, between)
		}
		if b.Of == "integer" && !strings.HasPrefix(first, "-") {
			first, _, _ = strings.Cut(first, "-")
		}
		v, ok = b.parse(first)
	}
	if !ok {
		return 0, false
	}
	id, out := b.place(v)
	return id, out == Inside
}

// parse reads what text writes.
func (b *Bins) parse(text string) (*big.Rat, bool) {
	if b.Of != "date" && b.Of != "timestamp" {
		if !plainNumber().MatchString(text) {
			return nil, false
		}
		return new(big.Rat).SetString(text)
	}
	seconds, _, _, err := parseTime(text)
	if err == nil && b.Of == "date" {
		seconds.Quo(seconds, wholeDay)
	}
	return seconds, err == nil
}

// parse is the start of the unit that is called so.
func (u *calendar) parse(label string, isDay bool) (*big.Rat, bool) {
	if len(label) < 4 {
		return nil, false
	}
	year, err := strconv.ParseInt(label[:4], 10, 64)
	if err != nil {
		return nil, false
	}
	part, _ := strconv.ParseInt(strings.TrimLeft(label[4:], "-QWs"), 10, 64)
	days, seconds := date(year, 1), int64(0)
	switch u.name {
	case "quarter":
		days = date(year, 3*part-2)
	case "month":
		days = date(year, part)
	case "week": // the fourth of January lies in the first week
		days = down(date(year, 1)+3+3, 7)*7 - 3 + 7*(part-1)
	case "day", "hour":
		t, err := time.Parse("2006-01-02T15"[:len(label)%14], label)
		if err != nil {
			return nil, false
		}
		days, seconds = down(t.Unix(), 86400), t.Unix()-down(t.Unix(), 86400)*86400
	}
	if isDay {
		return new(big.Rat).SetInt64(days), true
	}
	return new(big.Rat).SetInt64(days*86400 + seconds), true
}

// compare orders labels by their bins; what is no label comes last, by its bytes.
func (b *Bins) compare(one, other string) int {
	i, isOne := b.Place(one)
	j, isOther := b.Place(other)
	switch {
	case isOne && isOther:
		return cmp.Compare(i, j)
	case isOne:
		return -1
	case isOther:
		return 1
	}
	return strings.Compare(one, other)
}
