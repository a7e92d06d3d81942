package kernel

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
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

// MarshalText writes an outcome in small letters.
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

// Settle passes where nothing is wrong; else it shows the first faults.
func (r *Result) Settle(name string, w Faults, format string, args ...any) bool {
	if len(w) == 0 {
		return r.Add(name, true, format, args...)
	}
	w = slices.Compact(w)
	more := either(len(w) > 3, fmt.Sprintf("; and %d more", len(w)-3), "")
	return r.Add(name, false, "%s%s", strings.Join(w[:min(len(w), 3)], "; "), more)
}

// WriteText prints the table of checks.
func (r *Result) WriteText(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range r.Checks {
		fmt.Fprintf(t, "%s\t%s\t%s\n", c.Name, c.Outcome, strings.Join(strings.Fields(c.Detail), " "))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%d checks: %d passed, %d failed, %d not checked\n", len(r.Checks), r.count(Passed),
		r.count(Failed), r.count(NotChecked))
	return err
}

// WriteJSON prints the checks as one object.
func (r *Result) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(struct {
		Checks     []Check `json:"checks"`
		Passed     int     `json:"passed"`
		Failed     int     `json:"failed"`
		NotChecked int     `json:"not_checked"`
	}{append([]Check{}, r.Checks...), r.count(Passed), r.count(Failed), r.count(NotChecked)})
}

func (r *Result) count(of Outcome) (n int) {
	for _, c := range r.Checks {
		if c.Outcome == of {
			n++
		}
	}
	return n
}

// Faults collects the faults of one check.
type Faults []string

// Addf notes a fault.
func (w *Faults) Addf(format string, args ...any) { *w = append(*w, fmt.Sprintf(format, args...)) }

// Match notes a figure that is not the one that files give.
func (w *Faults) Match(ok bool, figure string) {
	if !ok {
		w.Addf("%s is not what the files give", figure)
	}
}

// either is one of two texts.
func either(ok bool, yes, no string) string {
	if ok {
		return yes
	}
	return no
}
