package decide

import (
	"context"
	"errors"
	"math"
	"math/big"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/design"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
	"github.com/tacet-privacy/tacet/pipeline/plan"
)

const (
	// apartCells bounds the cells of all mechanisms of a plan together.
	apartCells = 1 << 22
	// apartGroups bounds the groups that have mechanisms of their own where one for all would do,
	// and mostGroups those that have them where none would.
	apartGroups, mostGroups = 256, 2048
)

var errNoRoom = errors.New("too many mechanisms")

// each designs every group for its own records. Nil, and why, where one has no
// mechanism within epsilon.
func (w *problem) each(ctx context.Context, goal design.Goal) (*proposal, error) {
	n, order := len(w.d.Groups), w.order.Order
	if w.parted && (n > mostGroups || n*order.Inputs()*order.Outputs() > apartCells) {
		return nil, errNoRoom
	}
	c := &proposal{group: slices.Clone(w.d.Groups)}
	evidence := make([]design.Evidence, n)
	work, each := errgroup.WithContext(ctx)
	work.SetLimit(w.asked.Workers)
	most := time.Duration(0) // for a group
	if end, ok := ctx.Deadline(); ok {
		share := min(1, float64(w.asked.Workers)/float64(n))
		most = max(1, time.Duration(share*float64(time.Until(end))))
	}
	for g := range n {
		work.Go(func() (err error) {
			own, cancel := Solving(each, most)
			defer cancel()
			c.group[g].Mechanism, evidence[g], err = w.one(ctx, own, g, goal)
			return err
		})
	}
	if err := work.Wait(); err != nil {
		return nil, err
	}
	if c.Evidence = evidence[0]; !w.parted {
		g := &c.group[0]
		g.Leakage, g.Rank, g.Value, g.Expected = c.Leakage, c.WorstRank, c.WorstValue, c.ExpectedUtility
		c.shift = w.shiftOf(c)
		return c, nil
	}
	c.rule, c.Evidence = plan.Apart, design.Evidence{}
	for g, e := range evidence {
		c.group[g].Leakage = e.Leakage
		if g == 0 || e.Floor.ByValue && e.Floor.Value < c.Floor.Value || !e.Floor.ByValue && e.Floor.Rank < c.Floor.Rank {
			c.Floor = e.Floor
		}
		c.Stopped, c.UtilityGap = c.Stopped || e.Stopped, max(c.UtilityGap, e.UtilityGap)
	}
	return w.weigh(c), nil
}

// one designs a group. Where time ends the design of a stratum, it gets the utility-safe
// mechanism, for which there is time up to the end of ctx.
func (w *problem) one(ctx, own context.Context, group int, goal design.Goal) (*mechanism.Mechanism, design.Evidence,
	error) {
	g := &w.d.Groups[group]
	if goal.Also = w.also(g); w.parted && g.Sample.Total() == 0 { // nothing is shifted
		goal.MaxShift, goal.Nearest = nil, false
	}
	m, e, err := w.made(own, g.Prior, g.Sample, goal)
	if err != nil && own.Err() != nil && w.parted && slices.Contains([]string{"", "auto", "safe"}, goal.Kind) {
		goal.Kind = "safe"
		m, e, err = w.made(context.WithoutCancel(ctx), g.Prior, g.Sample, goal)
		e.Stopped = true
	}
	return m, e, err
}

// made makes a design for a prior, or, where it limits the shares of records beside another prior,
// for the records: whether that keeps epsilon for the prior is seen by beyond. It does at a
// strict enough one. Let P be the shares of the records, P' the prior, and P_x <= r P'_x for every
// value with records. Then q'_y = sum P'_x p_xy >= q_y / r, and so what is within t/r for the
// records is within t for the prior. Rows of values without records do not lower q'.
func (w *problem) made(ctx context.Context, prior, records mechanism.Prior, goal design.Goal) (*mechanism.Mechanism,
	design.Evidence, error) {
	if !w.beside || !counted(goal) {
		return design.Make(ctx, prior, w.order.Order, goal)
	}
	held := append([]mechanism.Prior{prior}, goal.Also...)
	goal.Also = nil
	m, e, err := design.Make(ctx, records, w.order.Order, goal)
	if err != nil {
		return nil, e, err
	}
	if !w.goal.Epsilon.Admits(m.Factor(held...)) {
		m, e.Kind = w.refilled(m, records, e.Floor), "optimal"
	}
	return m, w.evidence(m, held, e), nil
}

// refilled gives each value without records the outputs that its floor allows it as often
// as others have them: no row tells less.
func (w *problem) refilled(m *mechanism.Mechanism, records mechanism.Prior, f mechanism.Floor) *mechanism.Mechanism {
	const unit = 1 << 24
	law, support := m.OutputLaw(records), mechanism.SupportOf(w.order.Order, f)
	rows := make([]mechanism.Row, m.Inputs())
	for x := range rows {
		if rows[x] = m.Row(x); records.Count(x) > 0 {
			continue
		}
		var output []uint16
		var weight []int64
		for _, y := range support.AppendRow(nil, x) {
			if n := int64(unit * law[y]); n > 0 {
				output, weight = append(output, y), append(weight, n)
			}
		}
		if output != nil {
			rows[x] = mechanism.WeightedRow(output, weight)
		}
	}
	to, err := mechanism.New(m.Outputs(), rows)
	if err != nil {
		return m
	}
	return to
}

// evidence is what is known of m under the priors that epsilon holds under. What was proven for
// the records at the stricter factor proves nothing there.
func (w *problem) evidence(m *mechanism.Mechanism, held []mechanism.Prior, e design.Evidence) design.Evidence {
	p, order := held[0], w.order.Order
	s, weights, factor := mechanism.SupportOf(order, e.Floor), w.goal.Weights, m.Factor(held...)
	if weights == nil {
		weights = mechanism.ValueWeights(order)
	}
	out := design.Evidence{Kind: e.Kind, Floor: e.Floor, Leakage: m.Leakage(p), Factor: factor, Upper: factor,
		Lower: big.NewRat(1, 1), ExpectedUtility: m.ExpectedUtility(p, order), Weighted: m.ExpectedWeight(p, weights),
		Stopped: e.Stopped, Sampled: e.Sampled}
	out.WorstRank, out.WorstValue = m.Floor(order)
	if lower, err := optimum.LowerBound(p, s, held[1:]...); err == nil {
		out.Lower = lower
	}
	out.UtilityUpperBound = max(out.ExpectedUtility, optimum.UtilityBound(p, order, s, w.goal.Epsilon.Factor()))
	out.UtilityGap = gapOf(p, s, weights, out.Weighted)
	return out
}

// gapOf is how far a mean weight is below the best outputs of all values, in shares of
// the range from their worst.
func gapOf(p mechanism.Prior, s *mechanism.Support, weights mechanism.Weights, mean float64) float64 {
	best, worst, row := 0.0, 0.0, make([]float64, s.Outputs())
	for x, c := range p.Counts() {
		if c == 0 {
			continue
		}
		weights(x, row)
		high, low := math.Inf(-1), math.Inf(1)
		for _, y := range s.AppendRow(nil, x) {
			high, low = max(high, row[y]), min(low, row[y])
		}
		share := float64(c) / float64(p.Total())
		best, worst = best+share*high, worst+share*low
	}
	if gap := (best - mean) / (best - worst); gap > 0 && gap <= 1 {
		return gap
	}
	return 0
}
