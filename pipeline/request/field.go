package request

import (
	"reflect"
	"slices"
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

// marks are switches that one list names, in the order of the choices of its option.
type marks []*bool

// toMarks is the field of such a list.
type toMarks func(*Options) marks

func (at toMarks) in(o *Options) value { return at(o) }

// named are the choices whose switch is on.
func (m marks) named(choices []string) (out []string) {
	for i, on := range m {
		if *on {
			out = append(out, choices[i])
		}
	}
	return out
}

// set has the option take a value of Option.Parse. A list that is given and empty is kept apart
// from one that is not given.
func (t *Option) set(o *Options, v any) {
	to := t.field.in(o)
	names, list := v.([]string)
	if m, ok := to.(marks); ok {
		for i, on := range m {
			*on = slices.Contains(names, t.Choices[i])
		}
		return
	}
	if list {
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
	switch at := at.(type) {
	case *[]string:
		return *at != nil
	case marks:
		return slices.ContainsFunc(at, func(on *bool) bool { return *on })
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
	case marks:
		names := at.named(t.Choices)
		return report.NameList(names), names != nil
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
