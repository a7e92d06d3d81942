package plan

import (
	"fmt"
	"time"
)

var (
	weekdays = []string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"}
	months   = []string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
		"November", "December"}
)

// hours are 00 to 23.
func hours() []string {
	var h []string
	for i := range 24 {
		h = append(h, fmt.Sprintf("%02d", i))
	}
	return h
}

// day is the length of a day in seconds: these calendars have no leap ones.
const day = 24 * 60 * 60

// monthOf counts from 0.
func monthOf(days, _ int64) int64 {
	// The calendar repeats after 400 years, 146,097 days.
	return int64(time.Unix(mod(days, 146_097)*day, 0).UTC().Month()) - 1
}

// mod is what is left of n by m, from 0 on.
func mod(n, m int64) int64 { return (n%m + m) % m }

// div is n/m rounded down.
func div(n, m int64) int64 { return (n - mod(n, m)) / m }
