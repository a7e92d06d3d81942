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

// set takes a value of Option.Parse. A list that is given and empty is kept apart
// from one that is not given.
func set(to value, v any) {
	if names, ok := v.([]string); ok {
		v = append([]string{}, names...)
	}
	at := reflect.ValueOf(to).Elem()
	if at.Kind() == reflect.Pointer {
		at.Set(reflect.New(at.Type().Elem()))
		at = at.Elem()
	}
	at.Set(reflect.ValueOf(v).Convert(at.Type()))
}

// given reports whether a value is another than that of an option that is left
// out.
func given(at value) bool {
	if names, ok := at.(*[]string); ok {
		return *names != nil
	}
	return !reflect.ValueOf(at).Elem().IsZero()
}

// Text is the value of the option as its flag takes it. Given is false where it is the
// default.
func (t *Option) Text(o *Options) (text string, given bool) {
	if t.field == nil {
		return "", false
	}
	switch at := t.field.in(o).(type) {
	case *string:
		text = *at
	case *bool:
		return strconv.FormatBool(*at), *at
	case *int:
		text = strconv.Itoa(*at)
	case *int64:
		text = strconv.FormatInt(*at, 10)
	case *time.Duration:
		return at.String(), *at != 0 && at.String() != t.Default
	case *[]string:
		return report.NameList(*at), *at != nil
	case **int:
		if *at == nil {
			return "", false
		}
		text = strconv.Itoa(**at)
	case **float64:
		if *at == nil {
			return "", false
		}
		text = strconv.FormatFloat(**at, 'g', -1, 64)
	default:
		return "", false
	}
	return text, text != "" && text != t.Default
}
