// Package decide makes the plan: order, floor and mechanism within epsilon, for
// all records or stratum by stratum, and what is claimed of the population. It
// draws nothing.
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
	"github.com/tacet-privacy/tacet/pipeline/declared"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/figure"
	"github.com/tacet-privacy/tacet/pipeline/options"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/source"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// tableCells is the size up to which order.csv is the whole table of
// utilities; above, it is the spec's own file.
const tableCells = 10_000_000

// Plan makes the plan: all that a run decides.
func Plan(ctx context.Context, o *options.Options, d *source.Domain, s *source.Source) (*plan.Plan, error) {
	goal, err := o.Goal()
	if err != nil {
		return nil, err
	}
	if err := source.UsePrior(ctx, o, d, s); err != nil {
		return nil, err
	}
	d, fold, err := source.MergeRare(o, d)
	if err != nil {
		return nil, err
	}
	if fold != nil {
		s = nil // whose letters are others
	}
	p := &plan.Plan{Of: d.Of, Sample: d.Sample, Smooth: o.Smooth, Column: o.Column, Null: o.Null, Inputs: d.Letters, Prior: d.Prior, Target: goal.Epsilon.String(), Epsilon: goal.Epsilon,
		Kind: "none", Lower: big.NewRat(1, 1), Upper: big.NewRat(1, 1), Asked: "best", OrderCSV: []byte{}}
	if d.Letters.Len() == 0 {
		p.DesignHash = p.HashDesign()
		return p, nil
	}
	order, err := Order(ctx, o, d, s)
	if err != nil {
		return nil, err
	}
	if h := o.FloorRank; h != nil && *h > order.Outputs.Len() {
		return nil, fault.New(fault.Usage, fmt.Sprintf("rank %d is the best", order.Outputs.Len()), "--floor-rank %d is above all ranks: the order has %s", *h, figure.Several(order.Outputs.Len(), "output", "outputs"))
	}
	if err := FitsMemory(d.Letters.Len(), order.Outputs.Len()); err != nil {
		return nil, err
	}
	if err := setOrder(p, o, d, order); err != nil {
		return nil, err
	}
	if goal.Epsilon, err = spare(o, p); err != nil {
		return nil, err
	}
	goal.Weights = Weights(o, p.Inputs, p.Outputs)
	p.Population = claim(o, d, p.Order, order.ListsLetters() && order.Extra == 0 && fold == nil)
	if o.Strata != "" {
		return p, stratify(ctx, o, p, d, s, order, goal)
	}
	solve, cancel := Solving(ctx, o)
	defer cancel()
	m, e, err := search(solve, o, p, d, goal)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && solve.Err() != nil:
		return nil, fault.New(fault.Environment, "give more time with --solve-time, or choose --design safe", "the design was not found within %v", o.SolveTime)
	case err != nil:
		return nil, spared(o, Explain(err, d, order, design.Goal{Epsilon: p.Epsilon}), p)
	}
	if goal.Floor != nil {
		p.Asked = goal.Floor.String()
	}
	p.Mechanism, p.Kind, p.Leakage = m, e.Kind, e.Leakage
	p.Rank, p.Value, p.Words = e.WorstRank, e.WorstValue, order.Describe(e.WorstValue)
	p.Floor = e.Floor
	if e.Certificate != nil {
		p.Pi = e.Certificate.Weight
	}
	p.Lower, p.Upper, p.Expected, p.UpperBound = e.Lower, e.Upper, e.ExpectedUtility, e.UtilityUpperBound
	p.Stopped = e.Stopped
	prefer(p, o, &e)
	if e.Next != nil {
		p.Next = &e.Next.Floor
		p.NextRank, p.NextFactor = e.Next.Floor.Rank, e.Next.Factor
	}
	if fold != nil {
		if err := finish(fold, p, o, order); err != nil {
			return nil, err
		}
	}
	p.DesignHash = p.HashDesign()
	return p, nil
}

// setOrder keeps the normalised order.
func setOrder(p *plan.Plan, o *options.Options, d *source.Domain, r *utility.Result) error {
	p.Order, p.Outputs, p.Places = r.Order, r.Outputs, r.Places
	p.Spec = plan.OrderSpec{Spec: o.Utility, Form: r.Form, Ties: r.Ties, Extra: r.Extra, Unit: r.Unit, Kind: d.Kind.String(), Load: "matrix:" + plan.OrderFile}
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
		if strings.Contains(o.Utility, ":@") {
			at = "@"
		}
		p.OrderCSV, p.Spec.Load = data, r.Form+":"+at+plan.OrderFile
	} else {
		p.OrderCSV, p.Spec.Load = []byte(o.Utility+"\n"), o.Utility
	}
	sum := sha256.Sum256(p.OrderCSV)
	p.Spec.SHA256 = hex.EncodeToString(sum[:])
	return nil
}

// Order reads the utility spec for the letters of the domain.
func Order(ctx context.Context, o *options.Options, d *source.Domain, s *source.Source) (*utility.Result, error) {
	if o.Utility == "" {
		return nil, fault.New(fault.Usage, "say what may stand for what: --utility "+strings.Join(utility.Syntaxes(), ", "), "no utility order is given")
	}
	in := utility.Input{Letters: d.Letters, Kind: d.Kind, TiesError: o.Ties == "error", ReadFile: declared.ReadSpec, Known: func(label string) bool { return d.Declared[label] }}
	if o.Labels != "" {
		var err error
		if in.Outputs, err = declared.ReadLabels(o.Labels, "--labels"); err != nil {
			return nil, err
		}
	}
	r, err := utility.Build(o.Utility, in)
	var missing *utility.MissingError
	if errors.As(err, &missing) {
		return nil, source.Lacking(ctx, o, d, s, missing)
	}
	return r, err
}

// Explain turns what a design could not do into a fault.
func Explain(err error, d *source.Domain, r *utility.Result, g design.Goal) error {
	var none *mechanism.NoOutputError
	var far *design.UnreachableError
	switch {
	case errors.As(err, &none):
		name := "a letter of the data"
		if label := d.Letters.Label; none.Letter < len(label) && (r.ListsLetters() || d.Declared[label[none.Letter]]) {
			name = fmt.Sprintf("letter %q", label[none.Letter])
		}
		return &fault.Fault{Class: fault.Input, What: fmt.Sprintf("%s (letter %d of %d) has no allowed output", name, none.Letter+1, d.Letters.Len()),
			Hint: "allow it an output in the order, or lower the floor", Err: err}
	case errors.As(err, &far):
		hint := ""
		if far.Least != nil {
			hint = fmt.Sprintf("the least that does is --max-factor %s (%s nats)", figure.FactorUp(far.Least), figure.Nats(far.Least))
		}
		if far.Best != nil {
			hint += fmt.Sprintf("; the best floor within epsilon is %v", far.Best)
		}
		return &fault.Fault{Class: fault.Privacy, What: fmt.Sprintf("epsilon %s does not reach %s", g.Epsilon, far.AtFloor), Hint: hint, Err: err}
	}
	return err
}

// FitsMemory refuses a table of letters that the machine cannot hold, before
// it is allocated.
func FitsMemory(inputs, outputs int) error {
	need, have := design.EstimateBytes(inputs, outputs), source.Memory()
	if inputs*outputs <= tableCells {
		need += 32 * int64(inputs) * int64(outputs) // order.csv as text, and its buffer while it grows
	}
	if need > have {
		return fault.New(fault.Environment, "merge letters, or run on a larger machine",
			"a design over %d by %d letters needs about %d MiB of memory, %d MiB are free", inputs, outputs, need>>20, have>>20)
	}
	return nil
}
