package pipeline

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/series"
	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/figure"
	"github.com/tacet-privacy/tacet/pipeline/ledger"
	"github.com/tacet-privacy/tacet/pipeline/options"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/source"
)

// The states of a pinned plan.
const (
	followedPlan = "followed"
	replacedPlan = "redesigned"
)

const redesignHint = "--redesign makes a new plan from tonight's counts: another channel, which a total counts anew"

// pin finds the plan of an earlier night, in --plan or in the ledger, and holds
// the choices of tonight to it. Without one, tonight's plan is the first.
func pin(ctx context.Context, o *options.Options) (err error) {
	switch {
	case o.Plan != "":
		o.Pinned, err = decide.LoadPlan(o.Plan)
	case o.Ledger != "":
		o.Pinned, err = planOfLedger(ctx, o)
	case o.Redesign:
		err = fault.New(fault.Usage, "name it with --plan, or the ledger that holds it with --ledger", "--redesign has no plan to replace")
	}
	if err != nil {
		return err
	}
	p := o.Pinned
	if p != nil && o.Column != "" && o.Column != p.Column {
		return fault.New(fault.Input, "name the plan of this column", "%s is the plan of column %q, not of %q", o.Plan, p.Column, o.Column)
	}
	if p != nil && o.Column == "" {
		o.Column = p.Column
	}
	if p == nil || o.Redesign {
		_, err := o.ParseEpsilon()
		return err
	}
	if err := agrees(o, p); err != nil {
		return err
	}
	o.Null = p.Null
	return decide.Follow(o, p)
}

// planOfLedger is the plan of the latest release of the series that counts,
// nil where there is none.
func planOfLedger(ctx context.Context, o *options.Options) (*plan.Plan, error) {
	l, err := ledger.Open(ctx, o.Ledger, ledger.Options{ReadOnly: true})
	var refused *ledger.Error
	if errors.As(err, &refused) && refused.Kind == ledger.Missing {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer l.Close()
	st, err := l.Status(ctx, ledger.Series{Dataset: o.Dataset, Column: o.Column, Population: o.Population})
	if err != nil || st.Last == nil {
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
		return nil, &fault.Fault{Class: fault.Input, What: "the plan that " + o.Ledger + " holds: " + err.Error(), Hint: "name the plan of the first night with --plan", Err: err}
	}
	return p, nil
}

// decide makes the plan of a run, or follows the pinned one as long as it keeps
// to its epsilon under tonight's counts.
func (p *part) decide(ctx context.Context) (err error) {
	pinned := p.Options.Pinned
	if pinned != nil && !p.Options.Redesign {
		if err := p.follow(ctx, pinned); err != nil {
			return err
		}
		return p.hold()
	}
	if p.d, err = source.NewDomain(p.Options, p.Source); err != nil {
		return err
	}
	if p.Plan, err = decide.Plan(ctx, p.Options, p.d, p.Source); err != nil || pinned == nil {
		return err
	}
	return p.redesigned(pinned)
}

// follow takes a plan that was made before: nothing is decided here.
func (p *part) follow(ctx context.Context, made *plan.Plan) (err error) {
	if p.d, err = source.NewDomain(p.Options, p.Source); err != nil {
		return err
	}
	if p.Plan, err = decide.Adopt(made, p.d); err != nil {
		return err
	}
	if err := source.RefuseUnknown(ctx, p.Options, p.Source, p.d, p.Plan); err != nil {
		return err
	}
	if err := p.d.Known(ctx, p.Options, p.Source, p.Plan); err != nil {
		return err
	}
	return p.d.Drift(p.Plan)
}

// hold refuses tonight's counts where the plan does not keep its epsilon under
// them.
func (p *part) hold() error {
	p.pin = &report.Pinned{State: followedPlan, Plan: p.Options.Pinned.Hash}
	e, ok, err := edge(p.d, p.Plan)
	if err != nil || !ok {
		return err
	}
	fill(p.pin, e)
	if e.Holds {
		return nil
	}
	where := "one of its strata"
	if e.Output >= 0 {
		where = fmt.Sprintf("output %d of %d", e.Output+1, p.Plan.Outputs.Len())
	}
	above := new(big.Rat).Inv(new(big.Rat).Add(e.Room, big.NewRat(1, 1)))
	share, _ := above.Sub(above, big.NewRat(1, 1)).Float64()
	return fault.New(fault.Privacy, redesignHint, "column %q of %s: the plan does not keep epsilon %s under tonight's counts: %s has the factor %s (%s nats) there, above e^epsilon by %.2g %%",
		p.Plan.Column, p.Source.Path, p.Plan.Target, where, figure.FactorUp(e.Factor), figure.Nats(e.Factor), 100*share)
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
	if p.pin.Lacking > 0 || old.Strata != nil {
		return nil
	}
	tonight := *p.d
	if err := tonight.Drift(old); err != nil {
		return err
	}
	e, ok, err := edge(&tonight, old)
	if ok {
		fill(p.pin, e)
	}
	return err
}

// edge is where the plan stands under tonight's counts; ok is false where none
// move it: there are no records, or its prior was declared.
func edge(d *source.Domain, p *plan.Plan) (e series.Edge, ok bool, err error) {
	if p.Empty() || d.Prior.Total() == 0 || p.Of == plan.Declared {
		return e, false, nil
	}
	if p.Strata != nil {
		e = series.Edge{Factor: p.Factor(), Output: -1}
		if d.Own != nil {
			e.Factor = d.Own
		}
		e.Room = new(big.Rat).Quo(p.Epsilon.Factor(), e.Factor)
		e.Room.Sub(e.Room, big.NewRat(1, 1))
		e.Holds = p.Epsilon.Admits(e.Factor)
		return e, true, nil
	}
	tonight := p.Records()
	if d.Fresh != nil {
		tonight = *d.Fresh
	}
	if p.Of == plan.Smoothed {
		add, ok := figure.Number(p.Smooth)
		if !ok {
			return e, false, fault.New(fault.Input, "make the plan again with tacet design", "what was added to the counts of the plan is no number")
		}
		count := tonight.Counts()
		for x, c := range count {
			count[x] = c*add.Denom().Int64() + add.Num().Int64()
		}
		if tonight, err = mechanism.NewPrior(count); err != nil {
			return e, false, err
		}
	}
	return series.EdgeOf(p.Mechanism, tonight, p.Epsilon), true, nil
}

func fill(to *report.Pinned, e series.Edge) {
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
