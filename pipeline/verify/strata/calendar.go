package strata

import "fmt"

// calendar has the names of the parts of a function of a date, and the number
// of the part; nil for a function that is not known.
func calendar(function string) (names []string, number func(day, second int64) int64) {
	switch function {
	case "weekday":
		names = []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}
		// Day 0 was a Thursday.
		return names, func(day, _ int64) int64 { return ((day+3)%7 + 7) % 7 }
	case "month":
		names = []string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
		return names, func(day, _ int64) int64 { return month(day) }
	case "hour":
		for h := range 24 {
			names = append(names, fmt.Sprintf("%02d", h))
		}
		return names, func(_, second int64) int64 { return second / 3600 }
	}
	return nil, nil
}

// month of a day since 1970-01-01, from 0. Years are taken to begin in March,
// so that leap days end them: month m begins on day (153 m + 2)/5 of its year
// [Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days].
func month(day int64) int64 {
	day += 719_468 // since 0000-03-01
	era := day % 146_097
	if era < 0 {
		era += 146_097
	}
	year := (era - era/1460 + era/36_524 - era/146_096) / 365
	inYear := era - (365*year + year/4 - year/100)
	return ((5*inYear+2)/153 + 2) % 12
}
