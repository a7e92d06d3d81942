package pipeline

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/releases"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// The states of a pinned plan.
const (
	followedPlan = report.PlanFollowed
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
		p, err = releases.LastPlan(ctx, &o.Repeat, o.Column)
	case o.Redesign:
		err = fault.New(fault.Usage, "give the plan to replace with --plan, or the ledger that holds it with --ledger",
			"--redesign has no plan to replace")
	}
	if err != nil {
		return c, err
	}
	if p != nil && o.Column != "" && o.Column != p.Column {
		return c, fault.New(fault.Input, "give the plan of this column with --plan, or remove --column",
			"%s is the plan of column %q, not of %q", o.Plan, p.Column, o.Column)
	}
	if p != nil && o.Column == "" {
		o = o.Of(p.Column)
		c.Options = o
	}
	if o.PartOfPlan && (p == nil || o.Redesign) {
		return c, fault.New(fault.Usage, "give the plan with --plan, and remove --redesign",
			"--part-of-plan needs a plan to follow")
	}
	if err := c.keepsBins(ctx, p); err != nil {
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
// what two sets of bins tell together. The plan p is the ledger's where --plan names none.
func (c column) keepsBins(ctx context.Context, p *plan.Plan) (err error) {
	o := c.Options
	if o.Ledger == "" || o.Plan != "" && !o.Redesign {
		return nil
	}
	if o.Plan != "" {
		p, err = releases.LastPlan(ctx, &o.Repeat, o.Column)
	}
	if p == nil || err != nil {
		return err
	}
	asked, err := o.Binning()
	if err == nil && asked != p.Bins.Asked() {
		if asked == "" && !o.Redesign {
			return nil // the plan gives them
		}
		return fault.New(fault.Usage, "give the bins of the releases before, or begin another series with --dataset",
			"--bins is %s, but the releases in the ledger were made with %s", cmp.Or(asked, "none"),
			cmp.Or(p.Bins.Asked(), "none"))
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
	p, err := releases.LastPlan(ctx, &c.Repeat, c.Column)
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

// agrees refuses choices that the plan was not made with: following it, they
// would be ignored.
func agrees(chosen []request.Chosen, p *plan.Plan) error {
	made := map[string]string{"bins": p.Bins.Asked(), "epsilon": p.Target, "utility": p.Spec.Spec,
		"null": p.Null, "design": p.Kind,
		"floor": p.Asked, "prefer": p.Prefer, "headroom": "0", "max-shift": request.NoLimit, "strata": p.Given.Column}
	if p.Headroom != nil {
		made["headroom"] = p.Headroom.RatString()
	}
	if s := p.Shares; s != nil && s.Limit != nil {
		made["max-shift"] = s.Limit.RatString()
		if s.Room != nil {
			made["room below --max-shift"] = s.Room.RatString()
		}
	}
	if p.Keeps() {
		made["prefer"] = request.Kept
	}
	if p.Given.Only {
		made["given-only"] = "given"
	}
	if p.PriorOnly {
		made["prior-only"] = "given"
	}
	for _, c := range chosen {
		if c.Value != made[c.Name] {
			return fault.New(fault.Usage, "remove the flag, or make a new plan with --redesign",
				"--%s is %s, but the plan was made with %s", c.Name, c.Value, cmp.Or(made[c.Name], "none"))
		}
	}
	return nil
}
