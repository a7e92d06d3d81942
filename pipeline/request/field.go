package request

import (
	"reflect"
	"strconv"
	"time"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// A field finds the value of an option in Options.
type field interface {
	in(o *Options) value
}

// A value points to where an option is kept.
type value any

// to is the field that a function finds.
type to[T any] func(*Options) *T

func (at to[T]) in(o *Options) value { return at(o) }

// The kinds of fields. What is a number only where it is given has a pointer,
// nil else.
type (
	toText   = to[string]
	toSwitch = to[bool]
	toWhole  = to[int]
	toCount  = to[int64]
	toRank   = to[*int]
	toNumber = to[*float64]
	toSeed   = to[*uint64]
	toTime   = to[time.Duration]
	toNames  = to[[]string]
)

// set takes a text that Option.Check accepts. A list that is given and empty is
// kept apart from one that is not given.
func set(to value, text string) {
	switch at := to.(type) {
	case *string:
		*at = text
	case *bool:
		*at, _ = strconv.ParseBool(text)
	case *int:
		*at, _ = strconv.Atoi(text)
	case *int64:
		*at, _ = strconv.ParseInt(text, 10, 64)
	case *time.Duration:
		*at, _ = time.ParseDuration(text)
	case *[]string:
		names, _ := report.Names(text)
		*at = append([]string{}, names...)
	case **int:
		n, _ := strconv.Atoi(text)
		*at = &n
	case **float64:
		v, _ := strconv.ParseFloat(text, 64)
		*at = &v
	case **uint64:
		v, _ := strconv.ParseUint(text, 10, 64)
		*at = &v
	}
}

// given reports whether a value is another than that of an option that is left
// out.
func given(at value) bool {
	if names, ok := at.(*[]string); ok {
		return *names != nil
	}
	return !reflect.ValueOf(at).Elem().IsZero()
}
