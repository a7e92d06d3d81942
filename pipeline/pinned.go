package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/ledger"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/releases"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// The states of a pinned plan.
const (
	followedPlan = "followed"
	replacedPlan = "redesigned"
)

// A column is a private column with what is asked for it, as if it were the only
// one.
type column struct {
	*request.Options
	given *plan.Plan // that was made before; nil for none
	state string     // of the plan of an earlier night; "" where none is looked for
}

// pin finds the plan of an earlier night, in --plan or in the ledger, and holds
// the choices of tonight to it. Without one, this release's plan is the first.
func (c column) pin(ctx context.Context) (column, error) {
	var p *plan.Plan
	var err error
	o := c.Options
	switch {
	case o.Plan != "":
		p, err = decide.LoadPlan(o.Plan)
	case o.Ledger != "":
		p, err = planOfLedger(ctx, &o.Repeat, o.Column)
	case o.Redesign:
		err = fault.New(fault.Usage, "give the plan to replace with --plan, or the ledger that holds it with --ledger",
			"--redesign has no plan to replace")
	}
	if err != nil {
		return c, err
	}
	if p != nil && o.Column != "" && o.Column != p.Column {
		return c, fault.New(fault.Input, "give the plan of this column with --plan, or remove --column",
			"%s is the plan of column %q, not of %q", o.Plan,
			p.Column, o.Column)
	}
	if p != nil && o.Column == "" {
		o = o.Of(p.Column)
		c.Options = o
	}
	if o.PartOfPlan && (p == nil || o.Redesign) {
		return c, fault.New(fault.Usage, "give the plan with --plan, and remove --redesign",
			"--part-of-plan needs a plan to follow")
	}
	if err := c.keepsBins(ctx); err != nil {
		return c, err
	}
	if p == nil || o.Redesign {
		return column{o, p, replacedPlan}, o.Complete()
	}
	chosen, err := o.Chosen()
	if err != nil {
		return c, err
	}
	if err := agrees(chosen, p); err != nil {
		return c, err
	}
	return column{o, p, followedPlan}.settled()
}

// keepsBins refuses other bins than those of the releases that a ledger has: the values
// of a record would be others although nothing of it changed, and nothing is proven of
// what two sets of bins tell together.
func (c column) keepsBins(ctx context.Context) error {
	o := c.Options
	if o.Ledger == "" || o.Plan != "" && !o.Redesign {
		return nil
	}
	p, err := planOfLedger(ctx, &o.Repeat, o.Column)
	if p == nil || err != nil {
		return err
	}
	asked, err := o.Binning()
	if err == nil && asked != p.Bins.Asked() {
		if asked == (plan.Binning{}) && !o.Redesign {
			return nil // the plan gives them
		}
		return fault.New(fault.Usage, "give the bins of the releases before, or begin another series with --dataset",
			"--bins is %s, but the releases in the ledger were made with %s", orNone(asked.Spec), orNone(p.Bins.Asked().Spec))
	}
	return err
}

// follow is the column with the plan that it names, which decides everything.
func (c column) follow(context.Context) (_ column, err error) {
	if c.given, err = decide.LoadPlan(c.Plan); err != nil {
		return c, err
	}
	return c.settled()
}

// first reports whether a run begins a series, so that no plan says what is left out;
// thoroughly looks into a ledger that is there.
func (c column) first(ctx context.Context, thoroughly bool) bool {
	if c.Plan != "" {
		return false
	}
	if _, err := os.Stat(c.Ledger); errors.Is(err, fs.ErrNotExist) {
		return true
	}
	if !thoroughly || c.Dataset == "" || c.Column == "" {
		return false
	}
	p, err := planOfLedger(ctx, &c.Repeat, c.Column)
	return p == nil && err == nil
}

// settled is the column with its options as the plan that is given settles them.
func (c column) settled() (column, error) {
	own, err := c.Following(c.given)
	if err != nil {
		return c, err
	}
	return column{own, c.given, c.state}, decide.Claimable(c.Confidence, c.given)
}

// planOfLedger is the plan of the latest release of the series that counts,
// nil where there is none.
func planOfLedger(ctx context.Context, o *request.Repeat, column string) (*plan.Plan, error) {
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
	st, err := l.Status(ctx, ledger.Series{Dataset: o.Dataset, Column: column, Population: o.Population})
	if err != nil || st.Last == nil {
		return nil, err
	}
	if err := releases.Anew(o, *st.Last); err != nil {
		return nil, err
	}
	read := func(name string) ([]byte, error) {
		for _, d := range st.Last.Documents {
			if d.Name == name {
				return l.Document(ctx, d.SHA256)
			}
		}
		return nil, fmt.Errorf("the ledger does not hold it")
	}
	data, err := read(plan.File)
	if err != nil {
		return nil, err
	}
	p, err := plan.Decode(data, read)
	if err != nil {
		return nil, &fault.Fault{Class: fault.Input, What: "the plan that " + o.Ledger + " holds: " + err.Error(),
			Hint: "begin a new ledger with another --ledger if an earlier version of tacet wrote this one; else give the " +
				"plan of the first release with --plan", Err: err}
	}
	return p, nil
}

// follows reports whether nothing is decided: the plan is given.
func (p *part) follows() bool { return p.given != nil && p.state != replacedPlan }

// count finds the letters of the column and the groups of its records: those of the
// plan that is followed, or those that a plan is to be made for.
func (p *part) count(ctx context.Context) (err error) {
	if p.d, err = count.NewDomain(p.Options.Letters(), p.Source.Counted()); err != nil {
		return err
	}
	if p.follows() {
		return p.countFor(ctx, p.given)
	}
	if p.asked, err = p.Options.Decision(); err != nil {
		return err
	}
	return p.d.Group(ctx, p.asked, p.Source)
}

// decide makes the plan, or follows the one that is given as long as that keeps
// to its epsilon under the counts of this file.
func (p *part) decide(ctx context.Context) (err error) {
	if p.follows() {
		if p.state != "" {
			p.pin = &report.Pinned{State: p.state, Plan: p.given.Hash}
		}
		return p.follow()
	}
	if p.Plan, err = decide.Plan(ctx, p.asked, p.d); err != nil || p.given == nil {
		return count.Lacking(ctx, p.asked.Unlisted, p.d, p.Source, err)
	}
	return p.redesigned(p.given)
}

// redesigned tells the plan that was made tonight from the one it replaces,
// which may lack letters.
func (p *part) redesigned(old *plan.Plan) error {
	p.pin = &report.Pinned{State: replacedPlan, Plan: old.Hash}
	known := map[string]bool{}
	for _, l := range old.Inputs.Label {
		known[l] = true
	}
	for x := range p.d.Prior.Letters() {
		null := x >= len(p.d.Letters.Label)
		if p.d.Prior.Count(x) > 0 && (null && !old.Inputs.Null || !null && !known[p.d.Letters.Label[x]]) {
			p.pin.Lacking++
		}
	}
	if p.pin.Lacking > 0 || len(old.Groups) > 1 || p.d.Prior.Total() == 0 {
		return nil
	}
	tonight := *p.d
	tonight.CountFor(old)
	under, err := decide.Under(old, tonight.Given)
	if err != nil {
		return err
	}
	fill(p.pin, under)
	return nil
}

// fill says where a plan stands under the counts that it reads with: nowhere
// else where none move it, as its prior was declared.
func fill(to *report.Pinned, p *plan.Plan) {
	if to == nil || p.Empty() || p.Of == plan.Declared && p.PriorOnly && len(p.Groups) == 1 {
		return
	}
	e := edge(p)
	to.Factor, to.Nats, to.Holds = e.Factor.RatString(), mechanism.Nats(e.Factor), e.Holds
	to.Room, _ = e.Room.Float64()
}

// command is how the report is made: a run that follows a plan is one that
// applies it.
func (p *part) command(asked string) string {
	if p.pin != nil && p.pin.State == followedPlan {
		return "apply"
	}
	return asked
}

// told puts into the report what became of the pinned plan.
func (p *part) told(r *report.Report) *report.Report {
	if p.pin != nil {
		r.Pinned, r.Command = p.pin, "run"
	}
	if p.Plan.Headroom != nil {
		r.Design.Headroom = p.Plan.Headroom.RatString()
	}
	return r
}
