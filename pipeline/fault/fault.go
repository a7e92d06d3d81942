// Package fault says what went wrong, whose turn it is, and what to do.
package fault

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/pipeline/key"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// A Class says whose turn it is when something fails; the command line turns
// it into an exit code.
type Class int

// The classes, in the order of the exit codes 1 to 6.
const (
	Internal    Class = iota + 1 // a bug
	Usage                        // options, or a target that may not be written
	Input                        // file, schema, order
	Privacy                      // the promise cannot be given
	Environment                  // disk, memory, network, another run, input changed while it was read
	Published                    // the output is in place, and what comes after it failed
)

// A Fault is a failure that names what went wrong and where, and what to do.
// Neither text ever holds the value of a cell.
type Fault struct {
	Class Class
	What  string
	Hint  string
	Err   error // cause, for errors.Is and As; not printed
}

func (f *Fault) Error() string { return f.What }

func (f *Fault) Unwrap() error { return f.Err }

// New is a fault of class c that nothing else caused. The hint may be "".
func New(c Class, hint, format string, args ...any) *Fault {
	return &Fault{Class: c, What: fmt.Sprintf(format, args...), Hint: hint}
}

// As classifies any error that package pipeline or a room of it returned.
// Errors that nothing classifies come from the operating system; and where that
// could not read a file, the file is not to blame.
func As(err error) *Fault {
	if err == nil {
		return nil
	}
	f := classify(err)
	if (f.Class == Input || f.Class == Usage) && ofMachine(f) {
		return &Fault{Environment, f.What, machineHint(f), err}
	}
	return f
}

func classify(err error) *Fault {
	var (
		fault  *Fault
		input  *table.InputError
		order  *utility.Error
		target *publish.TargetError
		system *publish.SystemError
		secret *key.Error
		held   *publish.HeldError
	)
	if errors.As(err, &fault) {
		return fault
	}
	if f := ofLedger(err); f != nil {
		return f
	}
	switch {
	case errors.As(err, &input):
		return &Fault{Input, input.What, input.Hint, err}
	case errors.As(err, &order):
		return &Fault{Input, order.What, order.Hint, err}
	case errors.As(err, &secret) && secret.Exposed:
		return &Fault{Privacy, secret.What, secret.Hint, err}
	case errors.As(err, &secret):
		return &Fault{Input, secret.What, secret.Hint, err}
	case errors.As(err, &held):
		return &Fault{Environment, held.Error(), "wait until that run has ended; two runs would draw the same records " +
			"twice",
			err}
	case errors.As(err, &target):
		return &Fault{Usage, target.Error(), target.Hint, err}
	case errors.As(err, &system):
		return &Fault{Environment, system.Error(), cmp.Or(system.Hint(), "write to another folder or disk"), err}
	case errors.Is(err, context.Canceled):
		return &Fault{Environment, "interrupted; nothing was published", "", err}
	}
	return &Fault{Environment, err.Error(), "", err}
}

// PathCause is the reason of a file error without the path it repeats.
func PathCause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return fmt.Errorf("%w", err)
}

// And appends an error that is a fault, or nil.
func And(faults []*Fault, err error) []*Fault {
	if err == nil {
		return faults
	}
	return append(faults, As(err))
}

// Together is one fault that tells of all, nil where there is none. Its class is that
// of the first. A hint that does not name the flag it is for is told with that flag.
func Together(all []*Fault) error {
	if len(all) == 0 {
		return nil
	}
	whole := *all[0]
	var hints []string
	for i, f := range all {
		if i > 0 {
			whole.What += "; " + f.What
		}
		hint := f.Hint
		if flag := f.flag(); len(all) > 1 && hint != "" && !strings.Contains(hint, flag) {
			hint = "for " + flag + ": " + hint
		}
		if hint != "" && !slices.Contains(hints, hint) {
			hints = append(hints, hint)
		}
	}
	whole.Hint = strings.Join(hints, "; ")
	return &whole
}

// flag is the first flag that a fault names, "" for none.
func (f *Fault) flag() string {
	for _, word := range strings.Fields(f.What) {
		if strings.HasPrefix(word, "--") {
			return strings.TrimRight(word, ",:;")
		}
	}
	return ""
}
