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
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
)

const (
	// apartCells bounds the cells of all mechanisms of a plan together.
	apartCells = 1 << 22
	// apartGroups bounds the mechanisms of a plan.
	apartGroups = 256
)

var errNoRoom = errors.New("too many mechanisms")

// each designs every group for its own records. Nil, and why, where one has no
// mechanism within epsilon.
func (w *problem) each(ctx context.Context, goal design.Goal) (*proposal, error) {
	n, order := len(w.d.Groups), w.order.Order
	if w.parted && (n > apartGroups || n*order.Inputs()*order.Outputs() > apartCells) {
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
	d, g := *w.d, &w.d.Groups[group]
	d.Prior, d.Sample = g.Prior, g.Sample
	if goal.Also = w.also(g); w.parted && g.Sample.Total() == 0 { // nothing is shifted
		goal.MaxShift, goal.Nearest = nil, false
	}
	m, e, err := made(own, &d, w.order.Order, goal)
	if err != nil && own.Err() != nil && w.parted && slices.Contains([]string{"", "auto", "safe"}, goal.Kind) {
		goal.Kind = "safe"
		m, e, err = made(context.WithoutCancel(ctx), &d, w.order.Order, goal)
		e.Stopped = true
	}
	return m, e, err
}

// made makes a design. What a goal says of shares is of the records, whatever prior
// epsilon is relative to.
func made(ctx context.Context, d *count.Domain, o mechanism.Order, goal design.Goal) (*mechanism.Mechanism,
	design.Evidence, error) {
	if !counted(goal) || d.Of == "" || d.Sample.Total() == 0 {
		return design.Make(ctx, d.Prior, o, goal)
	}
	return (&beside{d, o, goal, append([]mechanism.Prior{d.Prior}, goal.Also...)}).make(ctx)
}

// A beside is a design whose shift is of other shares than those of its prior.
//
// Let P be the shares of the records, P' the prior, and P_x <= r P'_x for every value
// with records. Then q'_y = sum P'_x p_xy >= q_y / r, and so a mechanism with p_xy <=
// (t/r) q_y has p_xy <= t q'_y: what is within t/r for the records is within t for the
// prior. Rows of values without records do not lower q'; they are held to t exactly.
type beside struct {
	d     *count.Domain
	order mechanism.Order
	goal  design.Goal
	held  []mechanism.Prior // that epsilon holds under
}

// besideTries is how often a design is made for less, where rows of values without
// records or rounding take more.
const besideTries = 6

// make is the better of the design for the prior, where that keeps the limit anyway, and
// the one for the records at the stricter factor.
func (b *beside) make(ctx context.Context) (*mechanism.Mechanism, design.Evidence, error) {
	free := b.goal
	free.MaxShift, free.Nearest = nil, false
	m, e, err := b.within(ctx)
	if ctx.Err() != nil && err != nil {
		return nil, e, err
	}
	other, is, failed := design.Make(ctx, b.d.Prior, b.order, free)
	if failed == nil && b.keeps(other) && (err != nil || b.better(other, is, m, e)) {
		is.Shares = &design.Shares{}
		return other, is, nil
	}
	return m, e, err
}

// better compares by floor, then by what is preferred.
func (b *beside) better(m *mechanism.Mechanism, e design.Evidence, than *mechanism.Mechanism, is design.Evidence) bool {
	if by := byFloor(&b.goal, e.WorstRank, is.WorstRank, e.WorstValue, is.WorstValue); by != 0 {
		return by > 0
	}
	if b.goal.Nearest {
		return b.shift(m).Cmp(b.shift(than)) < 0
	}
	return e.Weighted > is.Weighted
}

// shift is how far shares of published values are off among the records.
func (b *beside) shift(m *mechanism.Mechanism) *big.Rat {
	return m.Shares(b.d.Sample, b.goal.Stands).Shift
}

func (b *beside) keeps(m *mechanism.Mechanism) bool {
	return b.goal.MaxShift == nil || b.shift(m).Cmp(b.goal.MaxShift) <= 0
}

// within is the design for the records at the stricter factor, as a design for the prior.
func (b *beside) within(ctx context.Context) (*mechanism.Mechanism, design.Evidence, error) {
	ratio := b.ratio()
	if ratio == nil {
		return nil, design.Evidence{}, fault.New(fault.Privacy, "give every value of the file a probability in --prior, "+
			"or leave --max-shift out", "no design was found that limits shares under a prior that lacks a value of the file")
	}
	own := b.goal
	own.Also = nil
	for range besideTries {
		at := new(big.Rat).Quo(b.goal.Epsilon.Factor(), ratio)
		if at.Cmp(one) < 0 {
			at.Set(one)
		}
		own.Epsilon = mechanism.LogOf(at)
		m, e, err := design.Make(ctx, b.d.Sample, b.order, own)
		if err != nil {
			return nil, e, b.loosened(err, ratio)
		}
		for _, c := range []*mechanism.Mechanism{m, b.refilled(m, e.Floor)} {
			if f := c.Factor(b.held...); b.goal.Epsilon.Admits(f) && b.keeps(c) {
				if c != m {
					e.Kind = "optimal"
				}
				return c, b.evidence(c, e, f), nil
			}
		}
		over := new(big.Rat).Quo(m.Factor(b.held...), b.goal.Epsilon.Factor())
		f, _ := over.Float64()
		if at.Cmp(one) == 0 {
			break
		}
		ratio = new(big.Rat).Mul(ratio, new(big.Rat).SetFloat64(math.Max(f, 1)*(1+1e-9)))
	}
	return nil, design.Evidence{}, fault.New(fault.Privacy, "give a larger epsilon, a larger --max-shift or a lower floor",
		"no design was found that keeps epsilon %s for another prior than the records and limits their shares",
		b.goal.Epsilon)
}

// ratio is the least r, nil where no r will do: the prior lacks a value that has records.
func (b *beside) ratio() *big.Rat {
	most := new(big.Rat).Set(one)
	for x, c := range b.d.Sample.Counts() {
		k := b.d.Prior.Count(x)
		switch {
		case c == 0:
			continue
		case k == 0:
			return nil
		}
		share := new(big.Rat).Quo(big.NewRat(c, b.d.Sample.Total()), big.NewRat(k, b.d.Prior.Total()))
		if share.Cmp(most) > 0 {
			most = share
		}
	}
	return most
}

// refilled gives each value without records the outputs that its floor allows it as often
// as others have them: no row tells less.
func (b *beside) refilled(m *mechanism.Mechanism, f mechanism.Floor) *mechanism.Mechanism {
	const unit = 1 << 24
	law, support := m.OutputLaw(b.d.Sample), mechanism.SupportOf(b.order, f)
	rows := make([]mechanism.Row, m.Inputs())
	for x := range rows {
		if rows[x] = m.Row(x); b.d.Sample.Count(x) > 0 {
			continue
		}
		var output []uint16
		var weight []int64
		for _, y := range support.AppendRow(nil, x) {
			if w := int64(unit * law[y]); w > 0 {
				output, weight = append(output, y), append(weight, w)
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

// evidence is what is known of m under the prior. What was proven for the records at the
// stricter factor proves nothing there.
func (b *beside) evidence(m *mechanism.Mechanism, e design.Evidence, factor *big.Rat) design.Evidence {
	p, s := b.d.Prior, mechanism.SupportOf(b.order, e.Floor)
	weights := b.goal.Weights
	if weights == nil {
		weights = mechanism.ValueWeights(b.order)
	}
	out := design.Evidence{Kind: e.Kind, Floor: e.Floor, Leakage: m.Leakage(p), Factor: factor, Upper: factor,
		Lower: big.NewRat(1, 1), ExpectedUtility: m.ExpectedUtility(p, b.order), Weighted: m.ExpectedWeight(p, weights),
		Stopped: e.Stopped, Sampled: e.Sampled, Shares: &design.Shares{}}
	out.WorstRank, out.WorstValue = m.Floor(b.order)
	if lower, err := optimum.LowerBound(p, s, b.goal.Also...); err == nil {
		out.Lower = lower
	}
	for _, k := range b.goal.Also {
		out.Also = append(out.Also, m.Leakage(k))
	}
	out.UtilityUpperBound = max(out.ExpectedUtility, optimum.UtilityBound(p, b.order, s, b.goal.Epsilon.Factor()))
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

// loosened turns what could not be designed for the records into what was asked for: a
// factor that does there is ratio times as large here, but for values without records,
// whose rows may need more.
func (b *beside) loosened(err error, ratio *big.Rat) error {
	unseen := slices.Contains(b.d.Sample.Counts(), 0)
	times := func(f *big.Rat) *big.Rat {
		if f == nil || unseen {
			return nil
		}
		return new(big.Rat).Mul(f, ratio)
	}
	var off *design.ShiftError
	var far *design.UnreachableError
	switch {
	case errors.As(err, &off):
		e := *off
		if e.Epsilon, e.Factor, e.Free = b.goal.Epsilon, times(off.Factor), nil; unseen {
			e.Least, e.Best = nil, nil
		}
		return &e
	case errors.As(err, &far):
		e := *far
		if e.Epsilon, e.Least = b.goal.Epsilon, times(far.Least); unseen {
			e.Best = nil
		}
		return &e
	}
	return err
}
