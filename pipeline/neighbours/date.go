package neighbours

import (
	"time"

	"github.com/tacet-privacy/tacet/estimate/judge"
)

// spellings of dates and times. The first that fits nearly all texts is taken.
var spellings = []string{
	"2006-01-02", "20060102", "2006/01/02", "02.01.2006", "02/01/2006", "01/02/2006", "02-01-2006",
	"Jan 02 2006", "Jan 2 2006", "Jan 2, 2006", "January 2, 2006", "2 Jan 2006", "02-Jan-2006", "2 January 2006",
	"2006-01-02 15:04:05", "2006-01-02T15:04:05", time.RFC3339, "2006-01-02 15:04", "02.01.2006 15:04", "02/01/2006 15:04",
	"01/02/2006 15:04",
	"02.01.2006 15:04:05", "02/01/2006 15:04:05", "01/02/2006 15:04:05", "01/02/06", "02/01/06", "02.01.06", time.RFC1123,
	time.ANSIC,
}

// dates are the rules of dates, where nearly all texts are some.
func (t *textClue) dates() []judge.Rule {
	some := t.some()
	if len(some) == 0 {
		return nil
	}
	for _, layout := range spellings {
		good := 0
		for i, b := range some {
			if _, err := time.Parse(layout, string(b)); err == nil {
				good++
			} else if 10*(i-good) > len(some) {
				break
			}
		}
		if 10*good < 9*len(some) {
			continue
		}
		second, unknown := make([]int64, len(t.text)), make([]bool, len(t.text))
		for v, b := range t.text {
			at, err := time.Parse(layout, string(b))
			unknown[v] = err != nil || v == t.null
			second[v] = at.Unix()
		}
		return Moments(second, unknown)
	}
	return nil
}

// Moments are the rules for dates and times, by value, in seconds since 1970.
func Moments(second []int64, unknown []bool) (rules []judge.Rule) {
	for _, p := range []struct {
		name string
		of   func(days, second int64) uint64
	}{
		{"its year", func(d, _ int64) uint64 { y, _, _ := civil(d); return uint64(y) }},
		{"its month", func(d, _ int64) uint64 { _, m, _ := civil(d); return uint64(m) }},
		{"its year and month", func(d, _ int64) uint64 { y, m, _ := civil(d); return uint64(12*y + m) }},
		{"its quarter", func(d, _ int64) uint64 { _, m, _ := civil(d); return uint64((m - 1) / 3) }},
		{"its day of the month", func(d, _ int64) uint64 { _, _, day := civil(d); return uint64(day) }},
		{"its weekday", func(d, _ int64) uint64 { return uint64(((d+4)%7 + 7) % 7) }},
		{"its week", func(d, _ int64) uint64 { return uint64(floorDiv(d+3, 7) + 1<<20) }},
		{"its day", func(d, _ int64) uint64 { return uint64(d + 1<<24) }},
		{"its hour", func(_, s int64) uint64 { return uint64(s / 3600) }},
		{"its minute", func(_, s int64) uint64 { return uint64(s / 60 % 60) }},
	} {
		rules = append(rules, by(p.name, second, unknown, func(s int64) uint64 {
			day := floorDiv(s, 86400)
			return 1 + p.of(day, s-86400*day)
		}))
	}
	return rules
}

// civil is the Gregorian date of a day since 1970: years from 1 March on have
// 365.2425 days, and months of them (153 m + 2) / 5.
func civil(day int64) (year, month, date int64) {
	day += 719468 // from 0000-03-01 on
	era := floorDiv(day, 146097)
	of := day - 146097*era
	y := (of - of/1460 + of/36524 - of/146096) / 365
	d := of - (365*y + y/4 - y/100)
	m := (5*d + 2) / 153
	date = d - (153*m+2)/5 + 1
	if month = m + 3; month > 12 {
		month -= 12
	}
	if year = y + 400*era; month <= 2 {
		year++
	}
	return year, month, date
}
