package floors

import (
	"context"
	"errors"
	"math/big"
	"time"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/design"
	"github.com/tacet-privacy/tacet/mechanism/frontier"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// A survey is a frontier with what it was made from.
type survey struct {
	o      *request.Options
	d      *count.Domain
	order  *utility.Result
	curves *frontier.Curves
	f      *Frontier

	limit string    // of the shift, as the flag takes it; "" for none
	began time.Time // the search
	grid  []*place  // the best floors for epsilons and limits, by limit and epsilon

	grouped *count.Domain // with the groups that the designs of the page keep epsilon in, too

}

// search finds the curves, and what is in the way of the steepest step.
func (v *survey) search(ctx context.Context) (err error) {
	o, d, order := v.o, v.d, v.order
	v.began = time.Now()
	part := time.Duration(8)
	if !v.shows() {
		part = 16
	}
	solve, cancel := v.until(ctx, part)
	defer cancel()
	v.curves, err = frontier.Search(solve, d.Prior, order.Order, frontier.Options{
		ByValue: o.ByValue(), Floors: o.Floors, Workers: o.Threads, Bytes: count.Memory() / 2,
		Weights: decide.Weights(o.Prefer, d.Letters, order.Outputs), Also: decide.Held(o.PriorOnly, d),
		Records: v.sample(), Stands: plan.Stands(d.Letters, order.Outputs),
		Progress: func(done, total int64) {
			if ctx.Err() == nil {
				o.Pace().Tell("searching", done, total)
			}
		}})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fault.New(fault.Environment, "give more time, merge values, or use fewer outputs with --labels",
			"--solve-time %s ended before any floor of %d by %d values was known", o.SolveTime, order.Order.Inputs(),
			order.Order.Outputs())
	}
	if err != nil {
		return decide.Explain(err, d, order, design.Goal{})
	}
	c := v.curves
	f := &Frontier{Column: o.Column, Unit: order.Unit, By: "rank", Of: order.Outputs.Len(), Guess: c.Guess,
		Sampled: c.Sampled, Stopped: c.Stopped, Large: c.Large}
	if o.ByValue() {
		f.By = "value"
	}
	f.Prior = decide.HeldWords(o.PriorOnly, d)
	for i := range c.Points {
		f.Points = append(f.Points, newPoint(&c.Points[i], order))
	}
	v.f, f.MaxShift = f, v.limit
	return v.advise(solve)
}

// until ends ctx when so many sixteenths of the time for the search are over.
func (v *survey) until(ctx context.Context, sixteenths time.Duration) (context.Context, context.CancelFunc) {
	if v.o.SolveTime <= 0 {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, v.began.Add(v.o.SolveTime/16*sixteenths))
}

// sample are the counts of the file where the prior is of something else.
func (v *survey) sample() *mechanism.Prior {
	if v.d.Of == "" {
		return nil
	}
	return &v.d.Sample
}

// advise looks at the steepest step of the least epsilon.
func (v *survey) advise(ctx context.Context) error {
	at, most := -1, 0.0
	for i, p := range v.f.Points {
		if i > 0 && p.To-v.f.Points[i-1].To > most && !p.Open {
			at, most = i, p.To-v.f.Points[i-1].To
		}
	}
	if at < 0 || v.f.Large {
		return nil
	}
	a, err := v.at(ctx, at, optimum.Options{})
	if err != nil {
		return err
	}
	v.f.Steepest = decide.NewAdvice(a, v.d.Letters)
	v.f.Steepest.Floor = utility.NameFloor(v.order.Form, v.order.Lowest, a.Floor)
	return nil
}

// at is what binds the least factor of point i, whose bracket is known.
func (v *survey) at(ctx context.Context, i int, opt optimum.Options) (frontier.Advice, error) {
	q := &v.curves.Points[i]
	return frontier.Advise(ctx, v.d.Prior, v.order.Order, q.Floor, q.Proven(), opt, decide.Held(v.o.PriorOnly, v.d)...)
}

func newPoint(q *frontier.CurvePoint, order *utility.Result) Point {
	p := Point{Rank: q.Floor.Rank, Value: q.Floor.Value, Least: q.Least, Most: q.Most, Here: q.Here.RatString(),
		Lower: q.Lower.RatString(), Upper: q.Upper.RatString(), From: 0 - mechanism.Nats(new(big.Rat).Inv(q.Lower)),
		To: mechanism.Nats(q.Upper), Open: q.Open(),
		Safe: newDesign(&q.Safe), Optimal: newDesign(&q.Optimal)}
	if !q.Floor.ByValue {
		p.Value = q.WorstValue
	}
	p.Words = order.Describe(p.Value)
	if q.Floor.ByValue {
		p.Level = report.LevelOf(utility.LevelOf(order.Form, order.Lowest, p.Value))
	}
	return p
}

func newDesign(c *frontier.Candidate) *Mechanism {
	if c.Factor == nil {
		return nil
	}
	d := &Mechanism{At: float64(c.At.Rank), Factor: c.Factor.RatString(), Nats: mechanism.Nats(c.Factor),
		WorstRank: c.WorstRank, Worst: c.WorstValue, Expected: c.ExpectedUtility, Information: c.Information, Guess: c.Guess,
		Unchanged: c.Single, Nothing: c.Nothing}
	if c.Shift != nil {
		shift := mechanism.FloatUp(c.Shift)
		d.Shift = &shift
	}
	if c.At.ByValue {
		d.At = c.At.Value
	}
	return d
}
