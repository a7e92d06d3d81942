package decide

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/estimate"
	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/design"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// flatCells is the size of an order up to which auto looks for a flat design.
const flatCells = 1 << 20

// search designs for epsilon; with --robust for less, so that the bound for
// the population keeps epsilon. p holds the order and what is claimed.
func search(ctx context.Context, asked *request.Decision, p *plan.Plan, d *count.Domain,
	goal design.Goal) (*mechanism.Mechanism, design.Evidence, error) {
	if !asked.Claim.Robust {
		return made(ctx, d, p.Order, goal)
	}
	share := asked.Claim.Delta / float64(len(p.Population.Rules))
	var best *attempt
	var failed error
	for _, c := range attempts(asked.Goal.Kind, p) {
		a, err := c.make(ctx, p, d, goal, share)
		if err != nil {
			failed = err
			continue
		}
		if best == nil || a.better(best, goal) {
			best = a
		}
	}
	var far *design.UnreachableError
	var off *design.ShiftError
	switch {
	case errors.As(failed, &off) && best == nil:
		return nil, design.Evidence{}, fault.New(fault.Privacy, "use more records, a larger --confidence, a larger "+
			"epsilon, a larger --max-shift or a lower floor", "no design keeps epsilon %s for the population and --max-shift "+
			"%s", goal.Epsilon, asked.MaxShift)
	case best != nil:
		p.Population.Design = best.factor
		return best.mechanism, best.evidence, nil
	case errors.Is(failed, errUnbounded) || errors.As(failed, &far):
		return nil, design.Evidence{},
			fault.New(fault.Privacy, "use more records, a larger --confidence, a larger epsilon or a lower floor; merging "+
				"rare values also helps",
				"no design at this floor keeps epsilon %s for the population: %d records over %d values are too few for "+
					"--confidence %s", goal.Epsilon, p.Records().Total(), d.Letters.Len(), asked.Claim.Text)
	}
	return nil, design.Evidence{}, failed
}

// An attempt is a kind of design, held to one rule.
type attempt struct {
	kind, rule string
	factor     *big.Rat // designed for
	mechanism  *mechanism.Mechanism
	evidence   design.Evidence
}

var errUnbounded = errors.New("the population is not bounded")

// attempts are the designs that the rules of the claim allow.
func attempts(asked string, p *plan.Plan) []*attempt {
	var out []*attempt
	for _, rule := range p.Population.Rules {
		kinds := []string{asked}
		switch auto := asked == "" || asked == "auto"; {
		case auto && rule == bySets && p.Order.Inputs()*p.Order.Outputs() <= flatCells:
			kinds = []string{"safe", "flat"}
		case auto && rule == bySets:
			kinds = []string{"safe"}
		case auto:
			kinds = []string{"auto"}
		}
		for _, k := range kinds {
			out = append(out, &attempt{kind: k, rule: rule})
		}
	}
	return out
}

// make designs at the factor that leaves room for the bound. Where rounding or
// another prior than the frequencies takes more, it designs again for less.
func (a *attempt) make(ctx context.Context, p *plan.Plan, d *count.Domain, goal design.Goal, share float64) (*attempt,
	error) {
	q, target, n := p.Population, goal.Epsilon, p.Records().Total()
	ok := true
	switch a.rule {
	case bySets:
		a.factor, ok = estimate.SetTarget(target.Factor(), n, q.Sets, share)
	case byBall:
		a.factor, ok = estimate.BallTarget(target.Factor(), estimate.Radius(q.Letters, n, share))
	default:
		a.factor = target.Factor()
	}
	// What all letters give alike leaks nothing under any law.
	if !ok {
		a.factor = big.NewRat(1, 1)
	}
	goal.Kind = a.kind
	for range 8 {
		goal.Epsilon = mechanism.LogOf(a.factor)
		m, e, err := made(ctx, d, p.Order, goal)
		if err != nil {
			return nil, err
		}
		a.mechanism, a.evidence = m, e
		trial := *p
		g := d.Groups[0]
		g.Mechanism, g.Leakage = m, e.Leakage
		trial.Floor, trial.Groups = e.Floor, []plan.Group{g}
		if d.Fold != nil {
			if err := d.Fold.Widen(&trial); err != nil {
				return nil, err
			}
		}
		b := bound(a.rule, &trial, q, nil, share)
		if b.Bounded && b.Nats <= target.Nats() {
			return a, nil
		}
		if a.factor.Cmp(big.NewRat(1, 1)) == 0 {
			break
		}
		f, _ := a.factor.Float64()
		f = 1 + (f-1)/2
		if b.Bounded {
			f, _ = a.factor.Float64()
			f *= math.Exp(target.Nats()-b.Nats) * (1 - 1e-9)
		}
		a.factor = big.NewRat(max(1<<40, int64(min(f, 1<<22)*(1<<40))), 1<<40)
	}
	return nil, errUnbounded
}

// better compares designs as the design does: floor, utility, factor.
func (a *attempt) better(b *attempt, goal design.Goal) bool {
	x, y := a.evidence, b.evidence
	return cmp.Or(byFloor(&goal, x.WorstRank, y.WorstRank, x.WorstValue, y.WorstValue),
		cmp.Compare(x.Weighted, y.Weighted), y.Factor.Cmp(x.Factor)) > 0
}
