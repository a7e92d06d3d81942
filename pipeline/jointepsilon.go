package pipeline

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strconv"

	"github.com/tacet-privacy/tacet/estimate/judge"
	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/neighbours"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// A scaling is the search for the common factor k/jointSteps of all epsilons
// under which the columns together keep a target. Bisection keeps a k that is
// too large, or one above all, and a k that is admitted or has no design, and
// ends where these are neighbours: the k it returns is admitted by exact
// comparison, and the one above it was tried and is not.
type scaling struct {
	o     *request.Release // with a joint epsilon
	parts parts
	cells []judge.Cell
	least *big.Rat // joint factor found so far
}

// scale replaces the plans of parts until target admits what they tell
// together. It returns that, and the factor of the epsilons.
func (s *scaling) scale(ctx context.Context, now neighbours.Joined) (neighbours.Joined, *big.Rat, error) {
	s.least = now.Factor
	if s.o.Joint.Admits(now.Factor) {
		return now, big.NewRat(1, 1), nil
	}
	best, admitted := now, 0
	var plans []*plan.Plan
	switch {
	case s.o.Planned:
		return now, nil, s.refusal("existing plans cannot be scaled")
	case !now.Exact:
		return now, nil, s.refusal("there are too many combinations of outputs to compute the joint factor, and only a " +
			"bound is known")
	}
	for _, p := range s.parts {
		if p.asked == nil { // it follows a plan
			return now, nil, s.refusal("existing plans cannot be scaled")
		}
		if p.asked.Least {
			return now, nil, s.refusal("an epsilon that is the least at its floor cannot be scaled")
		}
	}
	for low, high := 0, neighbours.Steps; high-low > 1; {
		k := (low + high) / 2
		s.o.Tell("scaling epsilons", int64(neighbours.Steps-(high-low)), neighbours.Steps)
		tried, err := s.design(ctx, k)
		var f *fault.Fault
		switch {
		case errors.As(err, &f) && f.Class == fault.Privacy:
			low = k // no design is so private
			continue
		case err != nil:
			return now, nil, err
		}
		j := neighbours.Of(tried, s.parts.places(), s.cells)
		if j.Factor.Cmp(s.least) < 0 {
			s.least = j.Factor
		}
		if s.o.Joint.Admits(j.Factor) {
			best, plans, admitted, low = j, tried, k, k
		} else {
			high = k
		}
	}
	if plans == nil {
		return now, nil, s.refusal("")
	}
	for i, p := range s.parts {
		p.Plan = plans[i]
	}
	return best, big.NewRat(int64(admitted), neighbours.Steps), nil
}

// design makes the plans at epsilons times k/jointSteps.
func (s *scaling) design(ctx context.Context, k int) ([]*plan.Plan, error) {
	var out []*plan.Plan
	for _, p := range s.parts {
		e, err := scaled(p.asked.Goal.Epsilon, k)
		if err != nil {
			return nil, err
		}
		made, err := decide.Plan(ctx, p.asked.At(e), p.d)
		if err != nil {
			return nil, err
		}
		made.Stated = stating(made, p.Options.Account("run"), p.d)
		made.Wanted = p.asked.Goal.Epsilon.String() // what is published is what was asked for
		out = append(out, made)
	}
	return out, nil
}

// scaled is epsilon times k/jointSteps, rounded down to nine decimals.
func scaled(e mechanism.Epsilon, k int) (mechanism.Epsilon, error) {
	const unit = 1_000_000_000
	return mechanism.ParseEpsilon(strconv.FormatFloat(float64(int64(e.Nats()*float64(k)/neighbours.Steps*unit))/unit,
		'f', -1, 64))
}

func (s *scaling) refusal(why string) error {
	what := fmt.Sprintf("the columns together do not keep --joint-epsilon %s", s.o.JointText)
	if why != "" {
		what += ": " + why
	}
	return fault.New(fault.Privacy,
		fmt.Sprintf("give a larger --joint-epsilon, lower the floors, or leave a column out; the least joint factor "+
			"found is %s (%s nats)", report.FactorUp(s.least), report.Nats(s.least)), "%s", what)
}
