package decide

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/design"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// counted reports whether a goal says something of the shares of published values.
func counted(g design.Goal) bool { return g.MaxShift != nil || g.Nearest }

// made makes a design. What a goal says of shares is of the records, whatever prior
// epsilon is relative to.
func made(ctx context.Context, d *count.Domain, o mechanism.Order, goal design.Goal) (*mechanism.Mechanism,
	design.Evidence, error) {
	if !counted(goal) || d.Of == "" || d.Sample.Total() == 0 {
		return design.Make(ctx, d.Prior, o, goal)
	}
	return (&beside{d, o, goal, append([]mechanism.Prior{d.Prior}, goal.Also...)}).make(ctx)
}

// setShares keeps what was asked of shares. Proofs are of all mechanisms within epsilon for
// the records: where epsilon is relative to something else, values were merged, or there
// are strata, there is none.
func setShares(p *plan.Plan, asked *request.Decision, e *design.Evidence) error {
	if !counted(asked.Goal) {
		return nil
	}
	proven := e.Shares
	if p.Of != "" || p.Other != nil {
		proven = nil
	}
	if err := p.SetShares(asked.MaxShift, asked.Goal.MaxShift, proven); err != nil {
		return err
	}
	if s := p.Shares; s.Limit != nil && s.Shift.Cmp(s.Limit) > 0 {
		return fmt.Errorf("the shift %s of the design is above its limit", s.Shift.RatString())
	}
	return nil
}

// lost is the share of the records that hold values which are merged: no output stands
// for these.
func (m *merging) lost() *big.Rat { return m.lostOf(m.fold.Wide.Sample) }

// lostOf is the same among some records.
func (m *merging) lostOf(records mechanism.Prior) *big.Rat {
	rare := int64(0)
	for _, x := range m.fold.Rare {
		rare += records.Count(x)
	}
	return big.NewRat(rare, max(1, records.Total()))
}

// limit is that of the shift of the design, nil for none. With R the share of the merged
// values, the shift among all values is at most R above that among those of the design:
// only the output of OTHER has another true share, which is R less.
func (m *merging) limit(asked *request.Decision) (*big.Rat, error) {
	if asked.Goal.MaxShift == nil {
		return nil, nil
	}
	left := new(big.Rat).Sub(asked.Goal.MaxShift, m.lost())
	if left.Sign() < 0 {
		return nil, fault.New(fault.Privacy, "give a smaller --min-count, or a larger --max-shift", "the values that "+
			"--min-count merges hold %s points of all records, above --max-shift %s", Points(m.lost()), asked.MaxShift)
	}
	return left, nil
}

// recordsOf are the counts of the records of a group.
func recordsOf(d *count.Domain, group int) mechanism.Prior {
	if d.Of == "" {
		return d.Groups[group].Prior
	}
	return d.Groups[group].Sample
}

// groupOf is the domain of the records of a group, as made reads it.
func (w *stratified) groupOf(group int) *count.Domain {
	d := *w.d
	d.Prior, d.Sample = w.prior[group], w.held[group]
	return &d
}

// limits sets that of the shift of every group. What holds of all records where values
// are merged holds of those of a group: merged values hold a share R of these.
func (w *stratified) limits() error {
	asked := w.asked.Goal.MaxShift
	if asked == nil {
		return nil
	}
	for g := range w.held {
		left := new(big.Rat).Set(asked)
		if w.merged != nil {
			left.Sub(left, w.merged.lostOf(recordsOf(w.merged.fold.Wide, g)))
		}
		if left.Sign() < 0 {
			return fault.New(fault.Privacy, "give a smaller --min-count, a larger --max-shift, or fewer and larger strata",
				"the values that --min-count merges hold %s points of the records of a stratum, above --max-shift %s",
				Points(new(big.Rat).Sub(asked, left)), w.asked.MaxShift)
		}
		w.limit = append(w.limit, left)
	}
	return nil
}

// shifted is what could not be designed within the limit, among all values and at floors
// of the order.
func (m *merging) shifted(e *design.ShiftError) error {
	off := *e
	more := func(share *big.Rat) *big.Rat {
		if share == nil {
			return nil
		}
		return new(big.Rat).Add(m.lost(), share)
	}
	floor := func(f *mechanism.Floor) *mechanism.Floor {
		if f == nil {
			return nil
		}
		of := m.floor(*f)
		return &of
	}
	off.Limit, off.Least = more(e.Limit), more(e.Least)
	off.AtFloor, off.Best, off.Free = m.floor(e.AtFloor), floor(e.Best), floor(e.Free)
	return &off
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
