package pipeline

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/design"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// tableCells is the size up to which order.csv is the whole table of
// utilities; above, it is the spec's own file.
const tableCells = 10_000_000

// Design makes a plan and writes it to o.Plan, with order.csv beside it. The
// advice is on the next better floor; nil where there is none.
func Design(ctx context.Context, o Options) (p *plan.Plan, a *Advice, err error) {
	if err := o.check(); err != nil {
		return nil, nil, err
	}
	if _, err := o.epsilon(); err != nil {
		return nil, nil, err
	}
	w, err := o.study(ctx, beside(o.Plan, plan.OrderFile), o.Plan)
	if err != nil {
		return nil, nil, err
	}
	defer w.end(&err)
	if p, err = decide(ctx, &o, w.d, w.s); err != nil {
		return nil, nil, err
	}
	if a, err = advise(ctx, &o, p); err != nil {
		return nil, nil, err
	}
	data, err := p.Encode()
	if err != nil {
		return nil, nil, err
	}
	if err := errors.Join(writeWhole(w.file[0], p.OrderCSV), writeWhole(w.file[1], data)); err != nil {
		return nil, nil, err
	}
	return p, a, w.set.Commit()
}

// decide makes the plan: all that a run decides.
func decide(ctx context.Context, o *Options, d *domain, s *source) (*plan.Plan, error) {
	goal, err := o.goal()
	if err != nil {
		return nil, err
	}
	if err := o.usePrior(ctx, d, s); err != nil {
		return nil, err
	}
	d, fold, err := o.mergeRare(d)
	if err != nil {
		return nil, err
	}
	if fold != nil {
		s = nil // whose letters are others
	}
	p := &plan.Plan{Of: d.of, Sample: d.sample, Smooth: o.Smooth, Column: o.Column, Null: o.Null, Inputs: d.letters, Prior: d.prior, Target: goal.Epsilon.String(), Epsilon: goal.Epsilon,
		Kind: "none", Lower: one(), Upper: one(), Asked: "best", OrderCSV: []byte{}}
	if d.letters.Len() == 0 {
		p.DesignHash = p.HashDesign()
		return p, nil
	}
	order, err := buildOrder(ctx, o, d, s)
	if err != nil {
		return nil, err
	}
	if err := fitsMemory(d.letters.Len(), order.Outputs.Len()); err != nil {
		return nil, err
	}
	if err := setOrder(p, o, d, order); err != nil {
		return nil, err
	}
	if goal.Epsilon, err = o.spare(p); err != nil {
		return nil, err
	}
	goal.Weights = o.weights(p.Inputs, p.Outputs)
	p.Population = o.claim(d, p.Order, order.ListsLetters() && order.Extra == 0 && fold == nil)
	if o.Strata != "" {
		return p, o.stratify(ctx, p, d, s, order, goal)
	}
	solve, cancel := o.solving(ctx)
	defer cancel()
	m, e, err := o.search(solve, p, d, goal)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && solve.Err() != nil:
		return nil, fault.New(fault.Environment, "give more time with --solve-time, or choose --design safe", "the design was not found within %v", o.SolveTime)
	case err != nil:
		return nil, o.spared(explain(err, d, order, design.Goal{Epsilon: p.Epsilon}), p)
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
		if err := fold.finish(p, o, order); err != nil {
			return nil, err
		}
	}
	p.DesignHash = p.HashDesign()
	return p, nil
}

// setOrder keeps the normalised order.
func setOrder(p *plan.Plan, o *Options, d *domain, r *utility.Result) error {
	p.Order, p.Outputs, p.Places = r.Order, r.Outputs, r.Places
	p.Spec = plan.OrderSpec{Spec: o.Utility, Form: r.Form, Ties: r.Ties, Extra: r.Extra, Unit: r.Unit, Kind: d.kind.String(), Load: "matrix:" + plan.OrderFile}
	if r.Order.Inputs()*r.Order.Outputs() <= tableCells {
		var b bytes.Buffer
		if err := utility.WriteCSV(&b, r); err != nil {
			return fmt.Errorf("writing the order: %w", err)
		}
		p.OrderCSV = b.Bytes()
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

// buildOrder reads the utility spec for the letters of the domain.
func buildOrder(ctx context.Context, o *Options, d *domain, s *source) (*utility.Result, error) {
	if o.Utility == "" {
		return nil, fault.New(fault.Usage, "say what may stand for what: --utility "+strings.Join(utility.Syntaxes(), ", "), "no utility order is given")
	}
	in := utility.Input{Letters: d.letters, Kind: d.kind, TiesError: o.Ties == "error", ReadFile: readSpec, Known: func(label string) bool { return d.declared[label] }}
	if o.Labels != "" {
		var err error
		if in.Outputs, err = readLabels(o.Labels, "--labels"); err != nil {
			return nil, err
		}
	}
	r, err := utility.Build(o.Utility, in)
	var missing *utility.MissingError
	if errors.As(err, &missing) {
		return nil, lacking(ctx, o, d, s, missing)
	}
	return r, err
}

// readSpec reads a spec file; its error leaves the path out, the spec has it.
func readSpec(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", path, pathCause(err))
	}
	return data, nil
}

// explain turns what a design could not do into a fault.
func explain(err error, d *domain, r *utility.Result, g design.Goal) error {
	var none *mechanism.NoOutputError
	var far *design.UnreachableError
	switch {
	case errors.As(err, &none):
		name := "a letter of the data"
		if label := d.letters.Label; none.Letter < len(label) && (r.ListsLetters() || d.declared[label[none.Letter]]) {
			name = fmt.Sprintf("letter %q", label[none.Letter])
		}
		return &fault.Fault{Class: fault.Input, What: fmt.Sprintf("%s (letter %d of %d) has no allowed output", name, none.Letter+1, d.letters.Len()),
			Hint: "allow it an output in the order, or lower the floor", Err: err}
	case errors.As(err, &far):
		hint := ""
		if far.Least != nil {
			hint = fmt.Sprintf("the least that does is --max-factor %s (%s nats)", factorUp(far.Least), nats(far.Least))
		}
		if far.Best != nil {
			hint += fmt.Sprintf("; the best floor within epsilon is %v", far.Best)
		}
		return &fault.Fault{Class: fault.Privacy, What: fmt.Sprintf("epsilon %s does not reach %s", g.Epsilon, far.AtFloor), Hint: hint, Err: err}
	}
	return err
}
