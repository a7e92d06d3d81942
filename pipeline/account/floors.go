package account

import (
	"context"
	"math"
	"math/big"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/frontier"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// strataFloors bounds the cells of all strata up to which a report lists other
// floors for them.
const strataFloors = 1 << 20

// shownFloors is about how many other floors a report lists.
const shownFloors = 9

// otherFloors lists what other floors would cost: the closed form of the
// utility-safe mechanism, and what no mechanism there stays below. tacet
// frontier searches them all.
func otherFloors(ctx context.Context, r *report.Report, p *plan.Plan) {
	if p.Empty() || p.Prior.Total() == 0 || p.Inputs.Len()*p.Outputs.Len() > compared {
		return
	}
	if len(p.Groups)*p.Inputs.Len()*p.Outputs.Len() > strataFloors {
		return
	}
	var points []frontier.Point
	var err error
	if p.Floor.ByValue {
		points, err = frontier.SafeByValue(ctx, p.Prior, p.Order, shownFloors, p.Also()...)
	} else {
		points, err = frontier.Safe(ctx, p.Prior, p.Order, p.Also()...)
	}
	if err != nil {
		return
	}
	step := max(1, float64(len(points)-1)/(shownFloors-1))
	for at := 0.0; int(math.Round(at)) < len(points); at += step {
		q := points[int(math.Round(at))]
		if len(p.Groups) > 1 {
			if f := floorOfStrata(p, q.Floor); f != nil {
				r.Floors = append(r.Floors, *f)
			}
			continue
		}
		lower, err := optimum.LowerBound(p.Prior, mechanism.SupportOf(p.Order, q.Floor), p.Also()...)
		if err != nil || math.IsInf(q.WorstValue, 0) {
			continue
		}
		best := q
		for _, c := range points {
			if c.Floor == q.At {
				best = c
			}
		}
		r.Floors = append(r.Floors, report.FloorCost{Floor: q.Floor.String(), At: numberOf(q.Floor), ByValue: q.Floor.ByValue,
			Value: q.WorstValue, Safe: q.Cost.RatString(),
			Nats: mechanism.Nats(q.Cost), Lower: lower.RatString(), Mean: best.ExpectedUtility})
	}
}

// floorOfStrata is what a floor costs with one utility-safe mechanism for all
// strata, for the observers whom epsilon is kept for; no mechanisms there, shared
// or apart, stay below the lower bound of any of them. Nil where it cannot be
// had.
func floorOfStrata(p *plan.Plan, floor mechanism.Floor) *report.FloorCost {
	m, err := mechanism.Safe(p.Prior, p.Order, floor)
	if err != nil {
		return nil
	}
	support := mechanism.SupportOf(p.Order, floor)
	_, value := m.Floor(p.Order)
	if math.IsInf(value, 0) {
		return nil
	}
	priors := append(p.Also(), p.Prior)
	if p.Given.Only {
		priors = nil
	}
	for i, g := range p.Groups {
		if g.Prior.Total() > 0 {
			priors = append(priors, g.Prior)
		}
		if own := p.RecordsOf(i); p.Also() != nil && own.Total() > 0 {
			priors = append(priors, own)
		}
	}
	safe, lower := big.NewRat(1, 1), big.NewRat(1, 1)
	for _, prior := range priors {
		if _, f := m.Leakage(prior).Max(); f.Cmp(safe) > 0 {
			safe = f
		}
		if f, err := optimum.LowerBound(prior, support); err == nil && f.Cmp(lower) > 0 {
			lower = f
		}
	}
	return &report.FloorCost{Floor: floor.String(), At: numberOf(floor), ByValue: floor.ByValue, Value: value,
		Safe: safe.RatString(),
		Nats: mechanism.Nats(safe), Lower: lower.RatString(), Mean: m.ExpectedUtility(p.Prior, p.Order)}
}

// numberOf is a floor as a number.
func numberOf(f mechanism.Floor) float64 {
	if f.ByValue {
		return f.Value
	}
	return float64(f.Rank)
}

// compared is the table of letters up to which a run is compared with other
// floors; beyond, that would take longer than the run.
const compared = 1 << 16
