package files

import (
	"fmt"
	"time"
)

// NewStrata are letters that stand for the places of labels; every other value is the letter rest.
// Labels are those of values or, where a function of a date is named, those of its parts.
func NewStrata(t Type, function string, place map[Label]int32, rest int32) (*Letters, error) {
	l := &Letters{Type: t, null: rest, rest: rest, of: map[Key]int32{}}
	if g, named := place[Label{Null: true}]; named {
		l.null = g
	}
	if function != "" {
		part, known := parts[function]
		if !known || t.Kind != Date && t.Kind != Timestamp {
			return nil, errorf("the function of the strata column is not known, or the column is no date")
		}
		by := make([]int32, part.n)
		for i := range by {
			var named bool
			if by[i], named = place[Label{Text: part.name(i)}]; !named {
				by[i] = rest
			}
		}
		l.part = func(v int64) int32 {
			if t.Kind == Date {
				v *= 86400
			} else {
				v = down(v, t.Ticks)
			}
			return by[part.of(time.Unix(v, 0).UTC())]
		}
		return l, nil
	}
	for label, g := range place {
		k, ok := t.Key(label.Text)
		switch {
		case label.Null:
		case !ok || t.Kind == Timestamp:
			return nil, errorf("a stratum is no value of the column's type")
		default:
			l.of[k] = g
		}
	}
	return l, nil
}

// parts are those that functions of a date or time tell: their names, and which it is.
var parts = map[string]struct {
	name func(int) string
	of   func(time.Time) int
	n    int
}{
	"weekday": {func(i int) string { return time.Weekday(i).String() },
		func(t time.Time) int { return int(t.Weekday()) }, 7},
	"month": {func(i int) string { return time.Month(i + 1).String() },
		func(t time.Time) int { return int(t.Month()) - 1 }, 12},
	"hour": {func(i int) string { return fmt.Sprintf("%02d", i) }, time.Time.Hour, 24},
}
