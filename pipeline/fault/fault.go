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
	"github.com/tacet-privacy/tacet/pipeline/ledger"
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
	if f, ok := errors.AsType[*Fault](err); ok {
		return f
	}
	if e, ok := errors.AsType[*ledger.Error](err); ok {
		return caused(ofLedger(e, err), e.What, e.Hint, err)
	}
	if e, ok := errors.AsType[*table.InputError](err); ok {
		return caused(Input, e.What, e.Hint, err)
	}
	if e, ok := errors.AsType[*utility.Error](err); ok {
		return caused(Input, e.What, e.Hint, err)
	}
	if e, ok := errors.AsType[*key.Error](err); ok {
		class := Input
		if e.Exposed {
			class = Privacy
		}
		return caused(class, e.What, e.Hint, err)
	}
	if e, ok := errors.AsType[*publish.HeldError](err); ok {
		const hint = "wait until that run has ended; two runs would draw the same records twice"
		return caused(Environment, e.Error(), hint, err)
	}
	if e, ok := errors.AsType[*publish.TargetError](err); ok {
		return caused(Usage, e.Error(), e.Hint, err)
	}
	if e, ok := errors.AsType[*publish.SystemError](err); ok {
		return caused(Environment, e.Error(), cmp.Or(e.Hint(), "write to another folder or disk"), err)
	}
	if e, ok := errors.AsType[*store.Error](err); ok {
		return caused(storeClass[e.Kind], e.Error(), e.Advice(), err)
	}
	what, hint := err.Error(), ""
	switch {
	case errors.Is(err, context.Canceled):
		what = "interrupted; nothing was published"
	case ofMachine(err):
		hint = machineHint(err)
	}
	return caused(Environment, what, hint, err)
}

// storeClass says whose turn it is when a store refuses.
var storeClass = map[store.Kind]Class{
	store.Address: Usage, store.Exists: Usage, store.Missing: Input,
	store.Denied: Environment, store.Broken: Environment, store.NoProgram: Environment,
	store.Changed: Environment,
}

// ledgerClass says whose turn it is when the ledger refuses. A broken chain,
// a changed design and a replay with other bytes are refusals of privacy: the
// accounts no longer say what was published.
var ledgerClass = map[ledger.Kind]Class{
	ledger.Missing: Input, ledger.Foreign: Input, ledger.Newer: Input, ledger.Key: Input,
	ledger.Broken: Privacy, ledger.Design: Privacy, ledger.Output: Privacy,
	ledger.Locked: Environment, ledger.ReadOnly: Environment, ledger.Disk: Environment, ledger.Clock: Environment,
	ledger.Malformed: Usage, ledger.Unknown: Usage, ledger.State: Usage,
}

// ofLedger is the class of what the ledger and its record histories refuse, within err.
func ofLedger(e *ledger.Error, err error) Class {
	if e.Kind == ledger.Broken && (ofMachine(err) || errors.Is(err, fs.ErrPermission)) { // a history cannot be read
		return Environment
	}
	return ledgerClass[e.Kind]
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
