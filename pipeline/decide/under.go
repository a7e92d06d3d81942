package decide

import (
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// Under is a plan as it reads with the counts of another file: the same
// mechanism, and what it tells and keeps of that file's records. The counts are
// over the letters of the plan; given has those of its groups of strata. What
// only the plan's own counts prove is proven again, more loosely, or left out:
// the next floor is not known. It is the plan itself where the counts are those
// that it was made from.
func Under(p *plan.Plan, count []int64, given [][]int64) (*plan.Plan, error) {
	if p.Empty() || p.Strata != nil && given == nil || madeFrom(p, count, given) {
		return p, nil
	}
	q := *p
	q.Made = p
	records, err := mechanism.NewPrior(count)
	if err != nil {
		return nil, err
	}
	if q.Prior, err = priorWith(p, records); err != nil {
		return nil, err
	}
	if p.Of != "" {
		q.Sample = records
	}
	q.Pi, q.Prices, q.NextRank, q.NextFactor, q.Next, q.Gap = nil, nil, 0, nil, nil, 0
	s := mechanism.SupportOf(p.Order, p.Floor)
	if p.Strata != nil {
		q.Lower, err = big.NewRat(1, 1), underStrata(&q, given)
	} else {
		q.Leakage, q.Expected = p.Mechanism.Leakage(q.Prior), p.Mechanism.ExpectedUtility(q.Prior, p.Order)
		q.Lower, err = optimum.LowerBound(q.Prior, s, q.Also()...)
	}
	if err != nil {
		return nil, err
	}
	if q.Upper = q.Factor(); q.Strata == nil {
		q.Upper = q.Mechanism.Factor(append(q.Also(), q.Prior)...)
	}
	q.UpperBound = max(q.Expected, optimum.UtilityBound(q.Prior, p.Order, s, q.Upper))
	if p.Prefer != "" {
		q.Share, q.ShareBound = p.Mechanism.ExpectedWeight(q.Prior, mechanism.MatchWeights(places(p.Inputs, p.Outputs))), 1
	}
	return &q, nil
}

// madeFrom reports whether these are the counts that the plan was made from.
func madeFrom(p *plan.Plan, count []int64, given [][]int64) bool {
	if !slices.Equal(count, p.Records().Counts()) {
		return false
	}
	for i, c := range given {
		if !slices.Equal(c, p.Strata.Groups[i].Prior.Counts()) {
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
		return p.Prior, nil
	case plan.Smoothed:
		add, ok := report.Number(p.Smooth)
		if !ok {
			return records, fault.New(fault.Input, "make the plan again with tacet design",
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

// underStrata counts the groups of strata of q anew.
func underStrata(q *plan.Plan, given [][]int64) (err error) {
	s := *q.Strata
	s.Groups = slices.Clone(s.Groups)
	q.Strata, q.Expected = &s, 0
	for i := range s.Groups {
		g := &s.Groups[i]
		if g.Prior, err = mechanism.NewPrior(given[i]); err != nil {
			return err
		}
		g.Leakage, g.Expected = g.Mechanism.Leakage(g.Prior), 0
		if g.Prior.Total() > 0 {
			g.Expected = g.Mechanism.ExpectedUtility(g.Prior, q.Order)
			q.Expected += float64(g.Prior.Total()) / float64(q.Prior.Total()) * g.Expected
		}
	}
	q.Leakage = s.Mixed()
	return nil
}
