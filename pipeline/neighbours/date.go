package neighbours

import (
	"bytes"
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

// spelling is the first that nearly all of some texts fit, "" where there is none.
func spelling(some [][]byte) string {
	for _, b := range some {
		if len(b) > 40 || !bytes.ContainsAny(b, "0123456789") {
			return ""
		}
	}
	for _, layout := range spellings {
		if nearly(some, func(b []byte) bool { _, err := time.Parse(layout, string(b)); return err == nil }) {
			return layout
		}
	}
	return ""
}

// momentRules are the rules for dates and times, by value, in seconds since 1970.
func momentRules(second []int64, unknown []bool) []judge.Rule {
	return ruled(second, unknown, momentTable)
}

// momentTable are the rules of times, in seconds since 1970.
var momentTable = []rule[int64]{
	onDay("its year", func(year, _, _ int64) int64 { return year }),
	onDay("its month", func(_, month, _ int64) int64 { return month }),
	onDay("its year and month", func(year, month, _ int64) int64 { return 12*year + month }),
	onDay("its quarter", func(_, month, _ int64) int64 { return (month - 1) / 3 }),
	onDay("its day of the month", func(_, _, day int64) int64 { return day }),
	{"its weekday", func(s int64) uint64 { return 1 + uint64(((floorDiv(s, 86400)+4)%7+7)%7) }},
	{"its week", func(s int64) uint64 { return 1 + uint64(floorDiv(floorDiv(s, 86400)+3, 7)+1<<20) }},
	{"its day", func(s int64) uint64 { return 1 + uint64(floorDiv(s, 86400)+1<<24) }},
	{"its hour", func(s int64) uint64 { return 1 + uint64((s-86400*floorDiv(s, 86400))/3600) }},
	{"its minute", func(s int64) uint64 { return 1 + uint64((s-86400*floorDiv(s, 86400))/60%60) }},
}

// onDay is a rule by the date alone.
func onDay(name string, of func(year, month, day int64) int64) rule[int64] {
	return rule[int64]{name, func(s int64) uint64 {
		year, month, day := time.Unix(s, 0).UTC().Date()
		return 1 + uint64(of(int64(year), int64(month), int64(day)))
	}}
}
