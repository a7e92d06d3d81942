package floors

import (
	"context"
	"errors"
	"math"
	"math/big"
	"time"

	"github.com/tacet-privacy/tacet/io/table"
	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/design"
	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/page"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// A place is a stop of the page: a point of the frontier, or the best floor within an
// epsilon and a limit of the shift.
type place struct {
	at    int     // in Frontier.Points; -1 for the best floor
	limit string  // of the shift, as the flag takes it; "" for none
	need  float64 // the least epsilon known of the point, or that of the best floor, in nats
	stop  page.Stop
	plan  *plan.Plan // of its command, until what analysts get of it is told; nil where it is too large

	// of the best floor
	epsilon string  // as the flag takes it
	factor  float64 // of that
	asked   bool    // by --epsilon or --max-factor
	rank    int     // the worst of the design
}

// prospects makes the designs that the commands of points make, the coarse shape
// first, for as long as ctx lasts. What a stop says is then what the report of that
// command says of its plan.
func (v *survey) prospects(ctx context.Context, all []*place) error {
	return v.each(ctx, coarseFirst(len(all)), func(i int) error { return v.prospect(ctx, all[i]) })
}

// prospect makes the design of one place. Where what the job file asks for beside the
// search takes a larger epsilon, that is asked for; a design that is refused has a
// reason in its stop.
func (v *survey) prospect(ctx context.Context, q *place) error {
	room, err := v.o.Next().ParseHeadroom()
	if err != nil {
		return err
	}
	more, _ := room.Float64()
	ask, tries := q.need+math.Log1p(more), 3
	for {
		p, err := v.plan(ctx, q, askFor(ask))
		switch more := enough(err); {
		case err == nil:
			if ctx.Err() == nil {
				v.tell(q, p)
			}
			return nil
		case ctx.Err() != nil || fault.As(err).Class == fault.Environment:
			return nil // there was no time
		case more > ask && tries > 0:
			ask, tries = more, tries-1
			continue
		case v.grouped.By.Column != "" && fault.As(err).Class == fault.Privacy && tries > 0:
			ask, tries = 1.25*ask+.1, tries-1 // no group says what it needs
			continue
		case fault.As(err).Class != fault.Privacy:
			return err
		}
		q.stop.Refused = fault.As(err).What
		return nil
	}
}

// plan is what the command of a place decides.
func (v *survey) plan(ctx context.Context, q *place, epsilon string) (*plan.Plan, error) {
	asked, err := v.next(q, epsilon).Decision()
	if err != nil {
		return nil, err
	}
	if asked.SolveTime = v.o.SolveTime; asked.SolveTime > 0 {
		if end, ok := ctx.Deadline(); ok {
			asked.SolveTime = max(time.Nanosecond, min(asked.SolveTime, time.Until(end)))
		}
	}
	p, err := decide.Plan(ctx, asked, v.grouped)
	if err == nil {
		q.stop.Ask, q.stop.Command = epsilon, v.command(q, epsilon)
		q.stop.Asked = asked.Goal.Epsilon.Nats()
	}
	return p, err
}

// next is what the command of a place asks for: the floor of a point, or the best.
func (v *survey) next(q *place, epsilon string) *request.Options {
	switch {
	case q.at < 0:
		return v.o.Next().At(epsilon, q.limit, nil, nil)
	case v.f.By == "rank":
		return v.o.Next().At(epsilon, q.limit, &v.f.Points[q.at].Rank, nil)
	}
	return v.o.Next().At(epsilon, q.limit, nil, &v.f.Points[q.at].Value)
}

// enough is the epsilon in nats that an error says would do, 0 where it says none.
func enough(err error) float64 {
	var far *design.UnreachableError
	var off *design.ShiftError
	var least *big.Rat
	switch {
	case errors.As(err, &far):
		least = far.Least
	case errors.As(err, &off):
		least = off.Factor
	}
	if least == nil {
		return 0
	}
	return mechanism.Nats(least)
}

// tell takes the figures of a stop from its plan.
func (v *survey) tell(q *place, p *plan.Plan) {
	s, records := &q.stop, p.Records()
	m := p.Mechanism() // nil where groups have several
	if s.Designed = true; m != nil && p.Inputs.Len()*p.Outputs.Len() <= outlookCells {
		q.plan = p
	}
	s.Name, s.Words = claim.Place(report.LevelOf(p.Level()), p.Rank, p.Outputs.Len()), p.Words
	s.Worst, s.Mean, s.Unit = p.Value, p.Expected, p.Spec.Unit
	s.Reached, s.Factor = mechanism.Nats(p.Factor()), p.Factor().RatString()
	if records.Total() == 0 {
		return
	}
	sure := decide.CertaintyOf(p)
	s.Unchanged, s.Nothing = sure.Unchanged, sure.Nothing
	counted := p.Counted()
	s.Shift, s.Points = new(big.Rat).Set(counted.Shift), decide.Points(counted.Shift)
	s.Used, s.Outputs = counted.Used, p.Outputs.Len()
	if s.Guess = math.NaN(); m != nil {
		_, s.Guess = m.BayesVulnerability(records)
	}
	law := make([]float64, p.Outputs.Len())
	for i, g := range p.Groups {
		own := p.RecordsOf(i)
		for y, q := range g.Mechanism.OutputLaw(own) {
			law[y] += q * float64(own.Total()) / float64(records.Total())
		}
	}
	s.Shares = v.shares(p, law)
}

// shares are the true and the published shares of values.
func (v *survey) shares(p *plan.Plan, law []float64) (out []page.Share) {
	records := p.Records()
	for x, l := range p.InputLabels() {
		out = append(out, page.Share{Label: l, True: float64(records.Count(x)) / float64(records.Total())})
	}
	stands := plan.Stands(p.Inputs, p.Outputs)
	for y, l := range p.OutputLabels() {
		if stands[y] >= 0 {
			out[stands[y]].Published = law[y]
		} else {
			out = append(out, page.Share{Label: l, Published: law[y]})
		}
	}
	return page.Commonest(out)
}

// each calls work with the numbers of order on several workers, in that order, until one
// fails or ctx ends.
func (v *survey) each(ctx context.Context, order []int, work func(i int) error) error {
	err := table.EachUnit(ctx, len(order), v.o.Pace().Workers(), func(_, k int) error {
		v.o.Pace().Tell("searching", int64(k), int64(len(order)))
		return work(order[k])
	})
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) { // there is no more time
		return nil
	}
	return err
}

// coarseFirst are 0..n-1, the ends and middles first.
func coarseFirst(n int) (order []int) {
	seen := make([]bool, n)
	add := func(i int) {
		if i < n && !seen[i] {
			seen[i] = true
			order = append(order, i)
		}
	}
	add(0)
	add(n - 1)
	for step := n; step > 0; step /= 2 {
		for i := 0; i < n; i += step {
			add(i)
		}
	}
	return order
}
