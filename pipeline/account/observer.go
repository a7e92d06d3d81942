package account

import (
	"cmp"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// observedCells bounds the cells of mechanisms, each counted for every group
// that has it, up to which beliefs are computed.
const observedCells = 1 << 28

// beliefs fills in what an observer can come to believe who knows the group of a record.
// Letters and scale are those of the part that lets most be believed; the best guess is
// the mean over records, and its worst that of any part. Nothing is filled in where there
// are no records, or too many cells, and the scale alone where rows show earlier draws.
func beliefs(r *report.Report, p *plan.Plan, anew bool) {
	n := float64(p.Prior.Total())
	if n == 0 || len(p.Groups)*p.Inputs.Len()*p.Outputs.Len() > observedCells {
		return
	}
	if r.Scale = scaleOf(p.Groups); !anew {
		return
	}
	r.Guess, r.Caps = &report.Guess{}, make([]report.Cap, p.Inputs.Len())
	confirmed, held, open := make([]bool, len(r.Caps)), int64(0), int64(0)
	uncapped, certain := 0, 0
	for _, g := range p.Groups {
		prior := g.Prior
		if prior.Total() == 0 {
			continue
		}
		_, factor := g.Leakage.Max()
		limit := mechanism.Cap(prior, factor)
		before, after := g.Mechanism.BayesVulnerability(prior)
		share := float64(prior.Total()) / n
		r.Guess.Before += share * before
		r.Guess.Mean += share * after
		for x, b := range g.Mechanism.Beliefs(prior) {
			records := prior.Count(x)
			if records == 0 {
				continue
			}
			c := &r.Caps[x]
			c.Most, c.Reached = max(c.Most, float64(records)/float64(prior.Total())), max(c.Reached, b.Most)
			c.Cap = max(c.Cap, mechanism.FloatUp(limit[x]))
			c.Certain = c.Certain || b.Certain
			if limit[x].Cmp(big.NewRat(1, 1)) >= 0 {
				confirmed[x] = true
				open += records
			}
			if b.Certain {
				held += records
			}
		}
	}
	labels := p.InputLabels()
	openRow, heldRow := float64(open)/n, float64(held)/n
	for x := range r.Caps {
		c := &r.Caps[x]
		c.Label, c.Records, c.Share = labels[x], p.Prior.Count(x), float64(p.Prior.Count(x))/n
		if r.Guess.Worst = max(r.Guess.Worst, c.Reached); confirmed[x] {
			uncapped++
		}
		if c.Certain {
			certain++
		}
		if len(p.Groups) == 1 {
			c.Most = 0
		}
	}
	s := &r.Scale
	s.Uncapped, s.UncappedRow, s.Certain, s.CertainRow = &uncapped, &openRow, &certain, &heldRow
	r.Caps = slices.DeleteFunc(r.Caps, func(c report.Cap) bool { return c.Records == 0 })
	slices.SortStableFunc(r.Caps, func(a, b report.Cap) int { return cmp.Compare(b.Records, a.Records) })
	r.Story = story(p, r.Outputs)
}

// scaleOf says from which epsilon on a letter may be confirmed with
// certainty: from -log P(x) on [Saeidian et al. 2023: l <= -log P_min].
func scaleOf(groups []plan.Group) (s report.Scale) {
	var commonest, rarest *big.Rat
	for _, g := range groups {
		prior := g.Prior
		if prior.Total() == 0 {
			continue
		}
		_, most := prior.Most()
		_, least := prior.Least()
		if f := big.NewRat(prior.Total(), most); commonest == nil || f.Cmp(commonest) < 0 {
			commonest = f
		}
		if f := big.NewRat(prior.Total(), least); rarest == nil || f.Cmp(rarest) > 0 {
			rarest = f
		}
	}
	if commonest != nil {
		s.Commonest, s.Rarest = mechanism.Nats(commonest), mechanism.Nats(rarest)
	}
	return s
}

// story is the guess that the most telling output helps most; of several such outputs it is
// told of the one that was written most often.
func story(p *plan.Plan, written []report.Output) *report.Story {
	worst, _ := p.Known()
	most := &p.Groups[worst]
	x, y := most.Mechanism.WorstGuess(most.Prior, commonest(most.Leakage, p.OutputLabels(), written))
	if x < 0 {
		return nil
	}
	share, factor := most.Prior.Probability(x), most.Leakage.Output[y]
	before, _ := share.Float64()
	return &report.Story{Output: p.OutputLabels()[y], Guess: p.InputLabels()[x], Before: before, Strata: most.Names,
		After: mechanism.FloatUp(new(big.Rat).Mul(share, factor)), Factor: factor.RatString()}
}

// commonest leaves of the outputs that tell most only the one that was written most often,
// the first of several.
func commonest(l mechanism.Leakage, labels []report.Label, written []report.Output) mechanism.Leakage {
	share := map[report.Label]float64{}
	for _, o := range written {
		share[o.Label] = o.Share
	}
	at, most := l.Max()
	if at < 0 {
		return l
	}
	for y, f := range l.Output {
		if f != nil && f.Cmp(most) == 0 && share[labels[y]] > share[labels[at]] {
			at = y
		}
	}
	one := mechanism.Leakage{Output: make([]*big.Rat, len(l.Output))}
	one.Output[at] = most
	return one
}
