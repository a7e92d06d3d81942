package decide

import (
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// Under is a plan as it reads with the counts of another file: the same
// mechanisms, and what they tell and keep of that file's records. The counts are
// over the letters of the plan, by its groups. What only the plan's own counts
// prove is proven again, more loosely, or left out: the next floor is not known. It
// is the plan itself where the counts are those that it was made from.
func Under(p *plan.Plan, given [][]int64) (*plan.Plan, error) {
	if p.Empty() || given == nil || madeFrom(p, given) {
		return p, nil
	}
	q, err := *p, error(nil)
	q.Made = p
	q.Pi, q.NextRank, q.NextFactor, q.Next, q.Gap = nil, 0, nil, nil, 0
	s := mechanism.SupportOf(p.Order, p.Floor)
	if err := underGroups(&q, given); err != nil {
		return nil, err
	}
	if q.Upper = q.Factor(); q.Also() != nil {
		if own := q.Sampled().Factor(); own.Cmp(q.Upper) > 0 {
			q.Upper = own
		}
	}
	if q.Lower = big.NewRat(1, 1); len(q.Groups) == 1 { // of several nothing is proven together
		if q.Lower, err = optimum.LowerBound(q.Prior, s, q.Also()...); err != nil {
			return nil, err
		}
	}
	q.UpperBound = max(q.Expected, optimum.UtilityBound(q.Prior, p.Order, s, q.Upper))
	if s := p.Shares; s != nil {
		q.Shares = &plan.Shares{Asked: s.Asked, Limit: s.Limit, Room: s.Room, Keep: s.Keep, Shift: q.ShiftOf()}
	}
	if p.Prefer == request.Unchanged {
		same := plan.Unchanged(p.Inputs, p.Outputs)
		q.ShareBound = 1
		q.Share = q.Mean(func(g *plan.Group) float64 { return g.Mechanism.ExpectedWeight(g.Prior, same) })
	}
	return &q, nil
}

// madeFrom reports whether these are the counts that the plan was made from. Nothing was added
// then to values that came later, and it is now.
func madeFrom(p *plan.Plan, given [][]int64) bool {
	if p.Late() {
		return false
	}
	for i, c := range given {
		if !slices.Equal(c, p.RecordsOf(i).Counts()) {
			return false
		}
	}
	return true
}

// priorWith is what the prior of the plan is with other records: they, or they
// smoothed, or the law that was declared.
func priorWith(p *plan.Plan, records mechanism.Prior) (mechanism.Prior, error) {
	switch p.Of {
	case plan.Declared:
		if p.Given.Column != "" { // each group weighs as much as its records
			return plan.Scaled(p.Prior, records.Total())
		}
		return p.Prior, nil
	case plan.Smoothed:
		add, ok := report.Number(p.Smooth)
		if !ok {
			return records, fault.New(fault.Input, "make a new plan with tacet design",
				"the smoothing of the plan is not a number")
		}
		count := records.Counts()
		for x, c := range count {
			count[x] = c*add.Denom().Int64() + add.Num().Int64()
		}
		return mechanism.NewPrior(count)
	}
	return records, nil
}

// underGroups counts the groups of q anew, and what q has of all.
func underGroups(q *plan.Plan, given [][]int64) error {
	groups := slices.Clone(q.Groups)
	for i := range groups {
		g := &groups[i]
		records, err := mechanism.NewPrior(given[i])
		if err != nil {
			return err
		}
		if g.Prior, err = priorWith(q, records); err != nil {
			return err
		}
		g.Sample = records
		g.Expected = g.Mechanism.ExpectedUtility(g.Prior, q.Order)
	}
	if err := q.Recount(groups); err != nil {
		return err
	}
	q.Expected = q.Mean(func(g *plan.Group) float64 { return g.Expected })
	return nil
}
