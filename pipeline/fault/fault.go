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
	"github.com/tacet-privacy/tacet/io/store"
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
// No text of it ever holds the value of a cell.
type Fault struct {
	Class Class
	What  string
	Hint  string
	Err   error // cause, for errors.Is and As; not printed

	Option string   // that lacks a value, "" for none
	More   []string // lines that explain what the hint asks for
	each   []*Fault // the faults that this one tells of together; nil for itself alone
}

func (f *Fault) Error() string { return f.What }

func (f *Fault) Unwrap() error { return f.Err }

// New is a fault of class c that nothing else caused. The hint may be "".
func New(c Class, hint, format string, args ...any) *Fault {
	return &Fault{Class: c, What: fmt.Sprintf(format, args...), Hint: hint}
}

// As classifies any error that package pipeline or one below it returned.
// Errors that nothing classifies come from the operating system; and where that
// could not read a file, the file is not to blame.
func As(err error) *Fault {
	if err == nil {
		return nil
	}
	f := classify(err)
	switch system := (*publish.SystemError)(nil); {
	case f.Class < Privacy && ofMachine(f): // a file that was just written cannot be opened, either
		return caused(Environment, f.What, machineHint(f), err)
	case f.Class == Environment && ofName(f) && errors.As(err, &system):
		return caused(Usage, f.What, "give another path", err)
	case f.Class == Environment && ofName(f):
		return caused(Input, f.What, "check the path", err)
	}
	return f
}

// caused is a fault that an error is the cause of.
func caused(c Class, what, hint string, err error) *Fault {
	return &Fault{Class: c, What: what, Hint: hint, Err: err}
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
		stored *store.Error
	)
	if errors.As(err, &fault) {
		return fault
	}
	if f := ofLedger(err); f != nil {
		return f
	}
	switch {
	case errors.As(err, &input):
		return caused(Input, input.What, input.Hint, err)
	case errors.As(err, &order):
		return caused(Input, order.What, order.Hint, err)
	case errors.As(err, &secret) && secret.Exposed:
		return caused(Privacy, secret.What, secret.Hint, err)
	case errors.As(err, &secret):
		return caused(Input, secret.What, secret.Hint, err)
	case errors.As(err, &held):
		return caused(Environment, held.Error(), "wait until that run has ended; two runs would draw the same records "+
			"twice", err)
	case errors.As(err, &target):
		return caused(Usage, target.Error(), target.Hint, err)
	case errors.As(err, &system):
		return caused(Environment, system.Error(), cmp.Or(system.Hint(), "write to another folder or disk"), err)
	case errors.As(err, &stored):
		return caused(storeClass[stored.Kind], stored.Error(), stored.Advice(), err)
	case errors.Is(err, context.Canceled):
		return caused(Environment, "interrupted; nothing was published", "", err)
	}
	return caused(Environment, err.Error(), "", err)
}

// storeClass says whose turn it is when a store refuses.
var storeClass = map[store.Kind]Class{
	store.Address: Usage, store.Exists: Usage, store.Missing: Input,
	store.Denied: Environment, store.Broken: Environment, store.NoProgram: Environment,
	store.Changed: Environment,
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
// of the first.
func Together(all []*Fault) error {
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	whole := &Fault{Class: all[0].Class, Err: all[0].Err}
	for _, f := range all {
		for _, one := range f.Each() {
			if !slices.ContainsFunc(whole.each, one.same) {
				whole.each = append(whole.each, one)
			}
		}
	}
	var what, hints []string
	for _, f := range whole.each {
		what = append(what, f.What)
		if f.Hint != "" && !slices.Contains(hints, f.Hint) {
			hints = append(hints, f.Hint)
		}
	}
	whole.What, whole.Hint = strings.Join(what, "; "), strings.Join(hints, "; ")
	return whole
}

// same reports whether another fault is the same one, or about the same option.
func (f *Fault) same(other *Fault) bool {
	return f.What == other.What || f.Option != "" && f.Option == other.Option
}

// Each are the faults that a fault tells of, one by one.
func (f *Fault) Each() []*Fault {
	if f.each == nil {
		return []*Fault{f}
	}
	return f.each
}

// Of are the faults that an error tells of, nil for none.
func Of(err error) []*Fault {
	if err == nil {
		return nil
	}
	return As(err).Each()
}
