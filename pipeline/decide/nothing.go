package decide

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/design"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// helpTime is the most that is spent on what to do about a design that tells nothing.
const helpTime = 5 * time.Second

// tellsNothing reports whether what a plan publishes does not depend on the record, though
// epsilon leaves more and records differ: epsilon 0 asks for such noise, and of one value,
// or one in each stratum, there is nothing to tell.
func (w *problem) tellsNothing(p *plan.Plan) bool {
	differ := slices.ContainsFunc(w.d.Groups, func(g plan.Group) bool {
		_, most := g.Prior.Most()
		return most < g.Prior.Total()
	})
	if !differ || p.Epsilon.Factor().Cmp(one) == 0 || p.Factor().Cmp(one) > 0 {
		return false
	}
	_, mixed := mechanism.MixedLeakage(p.Parts()).Max() // for whoever does not know the stratum
	return mixed.Cmp(one) == 0
}

// refuseNothing refuses such a plan, and says at which epsilon the design tells something,
// and which other designs do at this one.
func (w *problem) refuseNothing(ctx context.Context, p *plan.Plan) error {
	if !w.tellsNothing(p) {
		return nil
	}
	goal := w.goal
	if w.parted {
		return nothing(p, "the design for strata", w.help())
	}
	solve, cancel := Solving(ctx, helpTime)
	defer cancel()
	tells := func(kind string, e mechanism.Epsilon) *big.Rat {
		if kind == "optimal" && !optimum.Fits(w.order.Order.Inputs(), w.order.Order.Outputs()) {
			return nil
		}
		g := goal
		g.Kind, g.Epsilon = kind, e
		if _, is, err := made(solve, w.d, w.order.Order, g); err == nil && is.Factor.Cmp(one) > 0 {
			return is.Factor
		}
		return nil
	}
	var help, better []string
	own := func(e mechanism.Epsilon) *big.Rat { return tells(goal.Kind, e) }
	if least := leastTold(goal.Epsilon, p.Prior.Total(), own); least != nil {
		if p.Headroom != nil {
			least.Mul(least, new(big.Rat).Add(p.Headroom, one))
		}
		help = append(help, fmt.Sprintf("--max-factor %s (%s nats) tells something", report.FactorUp(least),
			report.Nats(least)))
	}
	for _, kind := range design.Kinds() {
		if kind != p.Kind && kind != goal.Kind && tells(kind, goal.Epsilon) != nil {
			better = append(better, "--design "+kind)
		}
	}
	if better != nil {
		help = append(help, strings.Join(better, " or ")+" does at this epsilon")
	}
	return nothing(p, "design "+p.Kind, append(help, "--epsilon 0 publishes noise on purpose")...)
}

// leastTold is about the least factor of a design above an epsilon that tells something;
// nil where none is found. No factor is above the number of records.
func leastTold(above mechanism.Epsilon, records int64, tells func(mechanism.Epsilon) *big.Rat) *big.Rat {
	least := tells(mechanism.LogOf(big.NewRat(max(1, records), 1)))
	for low := above.Factor(); least != nil; {
		middle := new(big.Rat).Add(low, least)
		middle.Quo(middle, big.NewRat(2, 1))
		if ratio, _ := new(big.Rat).Quo(least, low).Float64(); ratio < 1.001 {
			return least
		}
		f, _ := middle.Float64()
		middle.SetFloat64(f) // short
		if found := tells(mechanism.LogOf(middle)); found != nil {
			least = found
		} else {
			low = middle
		}
	}
	return nil
}

// nothing says that a plan tells nothing.
func nothing(p *plan.Plan, what string, help ...string) error {
	return fault.New(fault.Privacy, strings.Join(help, "; "), "at epsilon %s %s tells nothing: what it publishes does "+
		"not depend on the record", p.Target, what)
}
