package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// A Spec is a column, or a function of one.
type Spec struct {
	Column   string `json:"of"`
	Function string `json:"function,omitempty"` // a name of Functions, "" for the column itself
}

// A function names a part of a date or of a timestamp in UTC.
type function struct {
	name   string
	label  []string
	clock  bool                // needs the time of the day
	number func(time.Time) int // below len(label)
}

var functions = []function{
	{"weekday", named(7, func(i int) string { return time.Weekday(i).String() }), false,
		func(t time.Time) int { return int(t.Weekday()) }},
	{"month", named(12, func(i int) string { return time.Month(i + 1).String() }), false,
		func(t time.Time) int { return int(t.Month()) - 1 }},
	{"hour", named(24, func(i int) string { return fmt.Sprintf("%02d", i) }), true, time.Time.Hour},
}

// named are the names of 0..n-1.
func named(n int, name func(i int) string) (out []string) {
	for i := range n {
		out = append(out, name(i))
	}
	return out
}

// Functions are the names of the functions.
func Functions() []string {
	var names []string
	for _, f := range functions {
		names = append(names, f.name)
	}
	return names
}

// Parse reads COL or function(COL). A name that only looks like a call is
// refused, so that a slip in the function's name is not taken for a column.
func Parse(text string) (Spec, error) {
	open := strings.IndexByte(text, '(')
	if open < 0 || !strings.HasSuffix(text, ")") {
		if text == "" {
			return Spec{}, fmt.Errorf("no column is named")
		}
		return Spec{Column: text}, nil
	}
	s := Spec{Column: text[open+1 : len(text)-1], Function: text[:open]}
	switch {
	case s.function() == nil:
		return Spec{}, fmt.Errorf("there is no function %q; the functions are %s", s.Function, strings.Join(Functions(),
			", "))
	case s.Column == "":
		return Spec{}, fmt.Errorf("%s() names no column", s.Function)
	}
	return s, nil
}

// String is the spec as Parse reads it.
func (s Spec) String() string {
	if s.Function == "" {
		return s.Column
	}
	return s.Function + "(" + s.Column + ")"
}

func (s Spec) function() *function {
	for i := range functions {
		if functions[i].name == s.Function {
			return &functions[i]
		}
	}
	return nil
}

// Names reports whether a stratum may be called so.
func (s Spec) Names(l report.Label) bool {
	f := s.function()
	return l.Null || f == nil || slices.Contains(f.label, l.Text)
}

// Fits says why cells of a type have no such function, nil where they have.
func (s Spec) Fits(t table.CellType) error {
	f := s.function()
	switch {
	case f == nil || t.Form == table.TimestampCells:
		return nil
	case t.Form != table.DateCells:
		return fmt.Errorf("%s needs dates or timestamps, and column %q holds neither", s.Function, s.Column)
	case f.clock:
		return fmt.Errorf("%s needs timestamps, and column %q holds dates", s.Function, s.Column)
	}
	return nil
}
