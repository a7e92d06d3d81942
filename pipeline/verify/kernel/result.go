package kernel

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/kernel/files"
)

// An Error says that a file cannot be read, is of another format, or does not belong to
// the others: there is nothing to check then.
type Error struct {
	What string
	Hint string
	Err  error // cause, may be nil; not printed
}

func (e *Error) Error() string { return e.What }

func (e *Error) Unwrap() error { return e.Err }

// Errorf is an Error with a hint of what to do.
func Errorf(hint, format string, args ...any) *Error {
	return &Error{What: fmt.Sprintf(format, args...), Hint: hint}
}

// Outcome of a check.
type Outcome int

// The outcomes.
const (
	NotChecked Outcome = iota
	Passed
	Failed
)

func (o Outcome) String() string { return [...]string{"not checked", "passed", "FAILED"}[o] }

// MarshalText is its name in JSON.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(strings.ToLower(o.String())), nil }

// A Check is one proof.
type Check struct {
	Name    string  `json:"name"`
	Outcome Outcome `json:"outcome"`
	Detail  string  `json:"detail"`
}

// A Result is every check, in the order they were made.
type Result struct{ Checks []Check }

// Failed names the checks that failed.
func (r *Result) Failed() (names []string) {
	for _, c := range r.Checks {
		if c.Outcome == Failed {
			names = append(names, c.Name)
		}
	}
	return names
}

// Add notes a check that was made, and returns ok.
func (r *Result) Add(name string, ok bool, format string, args ...any) bool {
	outcome := Failed
	if ok {
		outcome = Passed
	}
	r.Checks = append(r.Checks, Check{name, outcome, fmt.Sprintf(format, args...)})
	return ok
}

// Skip notes a check that could not be made.
func (r *Result) Skip(name, why string) {
	r.Checks = append(r.Checks, Check{name, NotChecked, why})
}

// Faults are those of one check.
type Faults = files.Faults

// Settle passes where nothing is wrong; else it shows the first faults.
func (r *Result) Settle(name string, w Faults, format string, args ...any) bool {
	if len(w) == 0 {
		return r.Add(name, true, format, args...)
	}
	w = slices.Compact(w)
	more := Either(len(w) > 3, fmt.Sprintf("; and %d more", len(w)-3), "")
	return r.Add(name, false, "%s%s", strings.Join(w[:min(len(w), 3)], "; "), more)
}

// Either is one of two texts.
func Either(ok bool, yes, no string) string {
	if ok {
		return yes
	}
	return no
}
