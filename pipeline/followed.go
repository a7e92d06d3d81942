package pipeline

import (
	"context"
	"fmt"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// What would help where a plan does not keep its epsilon under the counts of a
// file: of a run that follows a plan, and of apply.
const (
	redesignHint = "make a new plan for this input with --redesign; a total adds what the new plan leaks to the " +
		"earlier releases"
	designHint = "make a plan for this file with tacet design, or a roomier one with --headroom; if the file is a " +
		"part of the data of the plan, give --part-of-plan"
	sharesHint = "make a plan for this file with tacet design; one with --headroom leaves room for counts that drift"
)

// countFor counts the records by letter and group of a plan that was made before,
// which may adopt letters, and refuses those that it does not have.
func (p *part) countFor(ctx context.Context, made *plan.Plan) (err error) {
	if p.Plan, err = decide.Adopt(made, p.d); err != nil {
		return err
	}
	if err := count.RefuseUnknown(ctx, p.Options.Order(), p.Source, p.d, p.Plan); err != nil {
		return err
	}
	if p.d.Prior.Total() > 0 {
		p.d.CountFor(p.Plan)
	}
	return p.d.Known(ctx, p.Source, p.Plan)
}

// follow takes the plan that was made before: nothing is decided here. What it
// promises, it must keep under the counts of this file.
func (p *part) follow() error {
	if p.d.Prior.Total() == 0 {
		return nil
	}
	under, err := decide.Under(p.Plan, p.d.Given)
	if err != nil {
		return err
	}
	fill(p.pin, under)
	if p.Options.PartOfPlan {
		return p.among(under)
	}
	p.reading = under
	return p.holds()
}

// reads is the plan with the counts that its figures are relative to: those of
// this file, or of the whole data that the plan was made from where the file is
// a part of them.
func (p *part) reads() *plan.Plan {
	if p.reading != nil {
		return p.reading
	}
	return p.Plan
}

// holds refuses a file under whose counts the plan does not keep its epsilon.
func (p *part) holds() error {
	q := p.reading
	if q.Empty() {
		return nil
	}
	e := edgeOf(q)
	if e.holds {
		return p.keepsShares()
	}
	where := "one of its strata"
	if e.output >= 0 {
		where = fmt.Sprintf("output %d of %d", e.output+1, q.Outputs.Len())
	}
	counts, hint := p.under(designHint)
	above := new(big.Rat).Inv(new(big.Rat).Add(e.room, big.NewRat(1, 1)))
	share, _ := above.Sub(above, big.NewRat(1, 1)).Float64()
	return fault.New(fault.Privacy, hint,
		"column %q of %s: the plan does not keep epsilon %s under %s: %s has the factor %s (%s nats) there, above "+
			"e^epsilon by %.2g %%",
		q.Column, p.Source.Path, q.Target, counts, where, report.FactorUp(e.factor), report.Nats(e.factor), 100*share)
}

// under says whose counts a plan does not keep to, and what helps; alone where no plan is pinned.
func (p *part) under(alone string) (counts, hint string) {
	if p.pin != nil {
		return "the counts of this input", redesignHint
	}
	return "the counts of this file", alone
}

// keepsShares refuses a file under whose counts the plan does not keep its limit of the
// shift, or all values.
func (p *part) keepsShares() error {
	s := p.reading.Shares
	lost := p.reading.Keeps() && !p.reading.Kept()
	if s == nil || s.Limit == nil || s.Shift.Cmp(s.Limit) <= 0 && !lost {
		return nil
	}
	counts, hint := p.under(sharesHint)
	if lost {
		return fault.New(fault.Privacy, hint, "column %q of %s: the plan does not keep --prefer values under %s: a value is "+
			"published with less than half of its share there", p.reading.Column, p.Source.Path, counts)
	}
	return fault.New(fault.Privacy, hint, "column %q of %s: the plan does not keep --max-shift %s under %s: shares are "+
		"off by %s points there", p.reading.Column, p.Source.Path, s.Asked, counts, decide.Points(s.Shift))
}

// An edge is where the counts of a file stand beside a plan.
type edge struct {
	factor *big.Rat // of the plan under these counts
	output int      // that has it; -1 where only whoever knows a stratum learns so much
	holds  bool     // the factor is within epsilon
	room   *big.Rat // e^epsilon / factor - 1: below 0 by as much as epsilon is passed
}

// edgeOf is where the plan stands under the counts that it reads with.
func edgeOf(p *plan.Plan) edge {
	if p.Also() != nil {
		if own := p.Sampled(); own.Factor().Cmp(p.Factor()) > 0 {
			p = own
		}
	}
	e := edge{factor: p.Factor(), output: -1}
	if y, f := p.Leakage.Max(); f.Cmp(e.factor) == 0 {
		e.output = y
	}
	e.holds = p.Epsilon.Admits(e.factor)
	e.room = new(big.Rat).Quo(p.Epsilon.Factor(), e.factor)
	e.room.Sub(e.room, big.NewRat(1, 1))
	return e
}

// among refuses a file that cannot be a part of the plan's data, and keeps what
// the plan leaks relative to the part alone, of which nothing is claimed.
func (p *part) among(under *plan.Plan) error {
	more := func(count []int64, of mechanism.Prior) bool {
		for x, c := range count {
			if c > of.Count(x) {
				return true
			}
		}
		return false
	}
	beyond := more(p.d.Counts, p.Plan.Records())
	for g, count := range p.d.Given {
		beyond = beyond || more(count, p.Plan.RecordsOf(g))
	}
	if beyond {
		return fault.New(fault.Privacy, "remove --part-of-plan, or give the plan of the whole data",
			"%s is not a part of the data that the plan was made from: column %q has more records of a value than the plan "+
				"counts",
			p.Source.Path, p.Plan.Column)
	}
	if p.Plan.Late() {
		return fault.New(fault.Privacy, "give the plan as it was before it took values of another file",
			"the plan has values that nothing was added to when it was made, so %s is no part of its data", p.Source.Path)
	}
	p.share = partOf(p.Plan, under)
	return nil
}
