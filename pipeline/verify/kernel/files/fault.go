package files

import "fmt"

// An Error says that a file cannot be read, or is not the one meant.
type Error struct{ What string }

func (e *Error) Error() string { return e.What }

func errorf(format string, args ...any) *Error { return &Error{fmt.Sprintf(format, args...)} }

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

// A Finding is one look through a file: what is wrong there, or what holds where nothing is.
type Finding struct {
	Name   string
	Faults Faults
	Holds  string
}

// look is a finding about a file that has to hold; where it cannot be decoded, it does not.
func look(name, holds string, through func(w *Faults)) (f Finding) {
	defer func() {
		if recover() != nil {
			f.Faults.Addf("it cannot be decoded")
		}
	}()
	f = Finding{Name: name, Holds: holds}
	through(&f.Faults)
	return f
}

// guard turns a panic of a reader into an error; what it says may quote data
// and is dropped.
func guard(err *error, format string, args ...any) {
	if recover() != nil {
		*err = errorf(format, args...)
	}
}

// refuse is guard of what is the same, or not.
func refuse(same *bool) {
	if recover() != nil {
		*same = false
	}
}
