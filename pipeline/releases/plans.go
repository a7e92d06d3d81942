package releases

import (
	"context"
	"errors"
	"math/big"

	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/ledger"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// LastPlan is the plan of the latest release of the series that counts,
// nil where there is none.
func LastPlan(ctx context.Context, o *request.Repeat, column string) (*plan.Plan, error) {
	l, err := ledger.Open(ctx, o.Ledger, ledger.Options{ReadOnly: true})
	var refused *ledger.Error
	if errors.As(err, &refused) && refused.Kind == ledger.Missing {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer l.Close()
	if column == "" {
		return nil, fault.New(fault.Usage, "give --column and the name of the private column: the ledger has a plan for each",
			"--column is missing")
	}
	r, err := l.Look(ctx)
	if err != nil {
		return nil, err
	}
	var last *ledger.Entry
	for _, e := range r.Of(ledger.Series{Dataset: o.Dataset, Column: column, Population: o.Population}) {
		if e.Counts() {
			last = &e
		}
	}
	if last == nil {
		return nil, nil
	}
	if err := Anew(o, *last); err != nil {
		return nil, err
	}
	p, unreadable, err := kept(ctx, *last, r.Document)
	if err != nil {
		return nil, err
	}
	if unreadable != nil {
		return nil, &fault.Fault{Class: fault.Input, What: "the plan that " + o.Ledger + " holds: " + unreadable.Error(),
			Hint: "begin a new ledger with another --ledger if an earlier version of tacet wrote this one; else give the " +
				"plan of the first release with --plan", Err: unreadable}
	}
	return p, nil
}

// planOf reads the plan that the ledger keeps of a release.
func planOf(ctx context.Context, e ledger.Entry, document ledger.Documents) (*plan.Plan, error) {
	p, unreadable, err := kept(ctx, e, document)
	if unreadable != nil {
		return nil, &fault.Fault{Class: fault.Privacy, What: "the plan that the ledger keeps of release " +
			big.NewInt(e.ID).String() + " " + unreadable.Error(), Hint: "restore the ledger from a copy", Err: unreadable}
	}
	return p, err
}

// kept is the plan that a ledger keeps of a release, or why what it keeps is none.
func kept(ctx context.Context, e ledger.Entry, document ledger.Documents) (p *plan.Plan, unreadable, err error) {
	read := func(name string) ([]byte, error) {
		for _, d := range e.Documents {
			if d.Name == name {
				return document(ctx, d.SHA256)
			}
		}
		return nil, errors.New("the ledger does not keep it")
	}
	data, err := read(plan.File)
	if err != nil {
		return nil, nil, err
	}
	p, unreadable = plan.Decode(data, read)
	return p, unreadable, nil
}
