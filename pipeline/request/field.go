package request

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// A value points to where an option is kept.
type value any

// in is where Options keep the option.
func (t *Option) in(o *Options) value {
	var m marks
	for name := range strings.SplitSeq(t.Field, ",") {
		at := reflect.ValueOf(o).Elem().FieldByName(name).Addr().Interface()
		if name == t.Field {
			return at
		}
		m = append(m, at.(*bool))
	}
	return m
}

// marks are switches that one list names, in the order of the choices of its option.
type marks []*bool

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
	to := t.in(o)
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
	if t.Field == "" {
		return "", false
	}
	switch at := t.in(o).(type) {
	case *[]string:
		return report.NameList(*at), *at != nil
	case marks:
		names := at.named(t.Choices)
		return report.NameList(names), names != nil
	case *bool:
		return strconv.FormatBool(*at), *at
	case *time.Duration:
		return at.String(), *at != 0 && at.String() != t.Default
	case **uint64:
		return "", false // a seed is told to nobody
	case **float64:
		if *at != nil {
			text = strconv.FormatFloat(**at, 'g', -1, 64)
		}
	default:
		if v := reflect.Indirect(reflect.ValueOf(at).Elem()); v.IsValid() {
			text = fmt.Sprint(v.Interface())
		}
	}
	return text, text != "" && text != t.Default
}
