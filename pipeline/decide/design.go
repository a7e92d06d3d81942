// Package decide makes the plan: order, floor and mechanism within epsilon, for
// all records or stratum by stratum. It also decides what is claimed of the
// population. The package draws nothing.
package decide

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"os"
	"strings"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/design"
	"github.com/tacet-privacy/tacet/mechanism/frontier"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"

	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// tableCells is the size up to which order.csv is the whole table of
// utilities; above, it is the spec's own file.
const tableCells = 10_000_000

// Plan makes the plan: all that a run decides of letters whose groups are known.
// Files are read for the order alone; count.Lacking tells of letters that it lacks.
func Plan(ctx context.Context, asked *request.Decision, d *count.Domain) (*plan.Plan, error) {
	if asked.Least {
		at, err := leastEpsilon(ctx, asked, d)
		if err != nil {
			return nil, err
		}
		return Plan(ctx, at, d)
	}
	goal, bins := asked.Goal, d.Bins
	if d.Narrow != nil {
		d = d.Narrow
	}
	fold := d.Fold
	p := &plan.Plan{Of: d.Of, Sample: d.Sample, Smooth: asked.Prior.Smooth,
		PriorOnly: asked.Prior.Only && d.Of != "", Column: asked.Column, Null: asked.Null, Inputs: d.Letters, Bins: bins,
		Prior: d.Prior, Target: goal.Epsilon.String(), Epsilon: goal.Epsilon,
		Kind: "none", Lower: big.NewRat(1, 1), Upper: big.NewRat(1, 1), Asked: "best", OrderCSV: []byte{}}
	if asked.AtMost != nil {
		p.Wanted, p.Least = asked.AtMost.String(), true
	}
	if d.Letters.Len() == 0 {
		p.DesignHash = p.HashDesign()
		return p, nil
	}
	order, err := Order(ctx, asked.Order, d)
	if err != nil {
		return nil, err
	}
	if err := floorOf(goal.Floor, order); err != nil {
		return nil, err
	}
	asked = usual(asked, d, order)
	goal.MaxShift, p.Stated = asked.Goal.MaxShift, &plan.Stated{NoLimit: asked.Usual.Gone}
	parted := d.By.Column == "" && fold == nil && byValue(&goal)
	if err := FitsMemory(order, parted, d.By.Column == "" && fold == nil && !counted(goal) &&
		len(Held(asked.Prior.Only, d)) == 0); err != nil {
		return nil, err
	}
	var merged *merging
	if err := Interruptible(ctx, func() (err error) {
		if fold != nil {
			if merged, err = merge(asked, fold, d, order); err != nil {
				return err
			}
			order = merged.narrow()
		}
		return setOrder(p, asked.Order.Spec, d, order)
	}); err != nil {
		return nil, err
	}
	if goal.Floor != nil {
		p.Asked = goal.Floor.String()
	}
	if goal.Epsilon, err = spare(asked.Headroom, p); err != nil {
		return nil, err
	}
	goal.Also = Held(asked.Prior.Only, d)
	goal.Stands = plan.Stands(p.Inputs, p.Outputs)
	if goal.Weights = Weights(asked.Prefer, p.Inputs, p.Outputs); merged != nil {
		goal = merged.goal(goal)
		if goal.MaxShift, err = merged.limit(asked); err != nil {
			return nil, err
		}
	}
	stratified := d.By.Column != ""
	p.Population = claim(asked, d, !stratified, order.ListsLetters() && order.Extra == 0 && fold == nil)
	if stratified {
		return p, stratify(ctx, asked, p, d, order, merged, goal)
	}
	solve, cancel := Solving(ctx, asked.SolveTime)
	defer cancel()
	var m *mechanism.Mechanism
	var e design.Evidence
	err = Interruptible(ctx, func() (err error) {
		m, e, err = made(solve, d, p.Order, goal)
		return err
	})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && solve.Err() != nil && !errors.As(err, new(*design.UnreachableError)):
		return nil, fault.New(fault.Environment, "give more time with --solve-time, or choose --design safe, which needs "+
			"no search",
			"no design was found within %v (--solve-time)", asked.SolveTime)
	case err != nil && merged != nil:
		return nil, spared(asked.Headroom, merged.explain(err, d, design.Goal{Epsilon: p.Epsilon, Also: goal.Also}), p)
	case err != nil:
		return nil, spared(asked.Headroom, Explain(err, d, order, design.Goal{Epsilon: p.Epsilon, Also: goal.Also}), p)
	}
	g := d.Groups[0]
	g.Mechanism, g.Leakage = m, e.Leakage
	g.Rank, g.Value, g.Expected = e.WorstRank, e.WorstValue, e.ExpectedUtility
	p.Redraw(g)
	p.Kind, p.Words, p.Floor = e.Kind, order.Describe(e.WorstValue), e.Floor
	p.Upper, p.Expected, p.UpperBound = e.Upper, e.ExpectedUtility, e.UtilityUpperBound
	if err := prove(p, &e, goal.Also); err != nil {
		return nil, err
	}
	p.Stopped = e.Stopped
	if err := refuseNoise(goal, p, fold != nil); err != nil {
		return nil, err
	}
	prefer(p, asked.Prefer, &e)
	if e.Next != nil {
		p.Next = &e.Next.Floor
		p.NextRank, p.NextFactor = e.Next.Floor.Rank, e.Next.Factor
	}
	return p, Interruptible(ctx, func() error {
		if merged != nil {
			weight, narrow := p.Pi, p.Prior
			if err := merged.finish(p, asked); err != nil {
				return err
			}
			if err := merged.prove(p, weight, narrow); err != nil {
				return err
			}
		}
		if err := setShares(p, asked, &e); err != nil {
			return err
		}
		p.DesignHash = p.HashDesign()
		return nil
	})
}

// floorOf refuses a floor that an order does not have.
func floorOf(f *mechanism.Floor, order *utility.Result) error {
	if f == nil || f.ByValue || f.Rank <= order.Outputs.Len() {
		return nil
	}
	return fault.New(fault.Usage, fmt.Sprintf("give --floor-rank %d, the best, or less", order.Outputs.Len()),
		"--floor-rank %d is above the best rank: the order has %s", f.Rank, report.Several(order.Outputs.Len(),
			"output", "outputs"))
}

// setOrder keeps the normalised order.
func setOrder(p *plan.Plan, spec string, d *count.Domain, r *utility.Result) error {
	p.Order, p.Outputs, p.Lowest = r.Order, r.Outputs, r.Lowest
	p.Spec = plan.OrderSpec{Spec: spec, Form: r.Form, Ties: r.Ties, Extra: r.Extra, Unit: r.Unit,
		Kind: d.Kind.String(), Load: "matrix:" + plan.OrderFile}
	if r.Order.Inputs()*r.Order.Outputs() <= tableCells {
		var err error
		if p.OrderCSV, err = utility.CSV(r); err != nil {
			return fmt.Errorf("writing the order: %w", err)
		}
	} else if r.File != "" {
		data, err := os.ReadFile(r.File)
		if err != nil {
			return err
		}
		at := ""
		if strings.Contains(spec, ":@") {
			at = "@"
		}
		p.OrderCSV, p.Spec.Load = data, r.Form+":"+at+plan.OrderFile
	} else {
		p.OrderCSV, p.Spec.Load = []byte(spec+"\n"), spec
	}
	sum := sha256.Sum256(p.OrderCSV)
	p.Spec.SHA256 = hex.EncodeToString(sum[:])
	return nil
}

// Order reads the utility spec for the letters of the domain.
func Order(ctx context.Context, asked request.Order, d *count.Domain) (*utility.Result, error) {
	in := utility.Input{Letters: d.Letters, Kind: d.Kind, ReadFile: count.ReadSpec,
		Place: plan.BinPlace(d.Bins), Known: func(label string) bool { return d.Declared[label] }}
	var err error
	if in.Outputs, err = labelsOf(asked); err != nil {
		return nil, err
	}
	var r *utility.Result
	err = Interruptible(ctx, func() (err error) {
		r, err = utility.Build(asked.Spec, in)
		return err
	})
	return r, err
}

// Explain turns what a design could not do into a fault.
func Explain(err error, d *count.Domain, r *utility.Result, g design.Goal) error {
	var none *mechanism.NoOutputError
	var far *design.UnreachableError
	var off *design.ShiftError
	var wide *frontier.WideError
	switch {
	case errors.As(err, &wide):
		return &fault.Fault{Class: fault.Environment, What: fmt.Sprintf("%s leaves too many outputs to %s",
			utility.NameFloor(r.Form, r.Lowest, wide.Floor), report.Several(d.Letters.Len(), "value", "values")),
			Hint: fmt.Sprintf("%s does not; or merge values, or take an order with levels (hierarchy, tree or prefix)",
				utility.NameFloor(r.Form, r.Lowest, wide.Least)), Err: err}
	case errors.As(err, &off):
		return shifted(off)
	case errors.As(err, &none):
		name := "a value of the data"
		if label := d.Letters.Label; none.Letter < len(label) && (r.ListsLetters() || d.Declared[label[none.Letter]]) {
			name = fmt.Sprintf("value %q", label[none.Letter])
		}
		return &fault.Fault{Class: fault.Input, What: fmt.Sprintf("%s (value %d of %d) has no allowed output at this "+
			"floor", name,
			none.Letter+1, d.Letters.Len()),
			Hint: "lower the floor, or allow the value another output in the order", Err: err}
	case errors.As(err, &far):
		hint, whom, at := "", "", utility.NameFloor(r.Form, r.Lowest, far.AtFloor)
		if len(g.Also) > 0 {
			whom = " for the " + held(d.Of) + " and the file's own frequencies at once"
		}
		if far.Least != nil {
			hint = fmt.Sprintf("--max-factor %s (%s nats) suffices", report.FactorUp(far.Least),
				report.Nats(far.Least))
		}
		if far.Best != nil {
			hint += "; the best floor within epsilon is " + utility.NameFloor(r.Form, r.Lowest, *far.Best)
		}
		if whom != "" {
			hint += "; a smaller epsilon may suffice; --prior-only gives up the file's own frequencies"
		}
		what := fmt.Sprintf("epsilon %s does not suffice for %s", g.Epsilon, at)
		if whom != "" { // what was searched there is not all that there is
			what = fmt.Sprintf("no design was found within epsilon %s for %s%s", g.Epsilon, at, whom)
		}
		return &fault.Fault{Class: fault.Privacy, What: what, Hint: hint, Err: err}
	}
	return err
}

// byValue reports whether floors are values.
func byValue(g *design.Goal) bool {
	return g.Floor == nil && g.ByValue || g.Floor != nil && g.Floor.ByValue
}

// FitsMemory refuses a table of letters that the machine cannot hold, before
// it is allocated. Levels need none where floors are values and all records have one
// mechanism; distances need the nearest alone where they are listed.
func FitsMemory(r *utility.Result, parted, listed bool) error {
	inputs, outputs := r.Order.Inputs(), r.Order.Outputs()
	if _, levels := r.Order.(*mechanism.Tree); levels && parted {
		return nil
	}
	need, have := design.EstimateBytes(inputs, outputs), count.Memory()
	if _, near := r.Order.(mechanism.Nearby); near && listed && inputs*outputs > frontier.ListedCells {
		need = 80*frontier.ListedCells + int64(inputs)*int64(outputs)/2
	}
	if inputs*outputs <= tableCells {
		need += 32 * int64(inputs) * int64(outputs) // order.csv as text, and its buffer while it grows
	}
	if need > have {
		return fault.New(fault.Environment, "merge values before the run, or run on a larger machine",
			"a design over %d by %d values needs about %d MiB of memory, and %d MiB are free", inputs, outputs, need>>20,
			have>>20)
	}
	return nil
}
