package account

import (
	"math"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/frontier"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// shownFloors is about how many other floors a report lists.
const shownFloors = 9

// otherFloors lists what other floors would cost: the closed form of the
// utility-safe mechanism, and what no mechanism there stays below. tacet
// frontier searches them all.
func otherFloors(r *report.Report, p *plan.Plan) {
	if p.Mechanism == nil || p.Prior.Total() == 0 || p.Inputs.Len()*p.Outputs.Len() > compared {
		return
	}
	var points []frontier.Point
	var err error
	if p.Floor.ByValue {
		points, err = frontier.SafeByValue(p.Prior, p.Order, shownFloors)
	} else {
		points, err = frontier.Safe(p.Prior, p.Order)
	}
	if err != nil {
		return
	}
	step := max(1, float64(len(points)-1)/(shownFloors-1))
	for at := 0.0; int(math.Round(at)) < len(points); at += step {
		q := points[int(math.Round(at))]
		lower, err := optimum.LowerBound(p.Prior, mechanism.SupportOf(p.Order, q.Floor))
		if err != nil || math.IsInf(q.WorstValue, 0) {
			continue
		}
		best, number := q, float64(q.Floor.Rank)
		if q.Floor.ByValue {
			number = q.Floor.Value
		}
		for _, c := range points {
			if c.Floor == q.At {
				best = c
			}
		}
		r.Floors = append(r.Floors, report.FloorCost{Floor: q.Floor.String(), At: number, ByValue: q.Floor.ByValue, Value: q.WorstValue, Safe: q.Cost.RatString(),
			Nats: mechanism.Nats(q.Cost), Lower: lower.RatString(), Mean: best.ExpectedUtility})
	}
}
