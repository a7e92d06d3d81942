package account

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/estimate"
	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/figure"
	"github.com/tacet-privacy/tacet/pipeline/picture"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// gridShares are the round shares whose caps every report shows.
var gridShares = []int64{1, 5, 10, 25, 50} // in 100

// believe fills in what an observer who knows the frequencies can come to
// believe, and what an analyst can estimate.
func believe(r *report.Report, p *plan.Plan) {
	r.Most = min(p.Epsilon.FactorUp(), math.MaxFloat64)
	r.Grid = grid(p.Epsilon)
	r.Caps = []report.Cap{}
	if p.Mechanism == nil || p.Prior.Total() == 0 {
		return
	}
	beliefs := p.Mechanism.Beliefs(p.Prior)
	r.Caps = caps(p, beliefs)
	r.Guess.Before, r.Guess.Mean = p.Mechanism.BayesVulnerability(p.Prior)
	held := int64(0)
	for x, b := range beliefs {
		r.Guess.Worst = max(r.Guess.Worst, b.Most)
		if b.Certain {
			r.Scale.Certain++
			held += p.Prior.Count(x)
		}
	}
	r.Scale.CertainRow = float64(held) / float64(p.Prior.Total())
	r.Story = story(p)
	r.Becomes = transitions(p)
	if p.Inputs.Len()*p.Outputs.Len() <= compared {
		rank, alone := estimate.Identifiable(p.Mechanism)
		r.Analysts = &report.Analysts{Letters: p.Inputs.Len(), Rank: rank}
		for _, ok := range alone {
			if ok {
				r.Analysts.Estimable++
			}
		}
	}
}

// grid is min(1, e^epsilon share) for a few shares, at the epsilon asked for:
// a declared choice that tells nothing of the counts.
func grid(e mechanism.Epsilon) []report.GridCap {
	out := []report.GridCap{}
	for _, s := range gridShares {
		out = append(out, report.GridCap{Share: float64(s) / 100, Cap: min(1, math.Nextafter(e.FactorUp()*float64(s)/100, math.Inf(1)))})
	}
	return out
}

// caps lists the letters that occur, the commonest first.
func caps(p *plan.Plan, beliefs []mechanism.Belief) []report.Cap {
	limit := mechanism.Cap(p.Prior, p.Factor())
	labels := p.InputLabels()
	out := []report.Cap{}
	for x, b := range beliefs {
		c := p.Prior.Count(x)
		if c == 0 {
			continue
		}
		out = append(out, report.Cap{Label: labels[x], Records: c, Share: float64(c) / float64(p.Prior.Total()),
			Cap: figure.FloatUp(limit[x]), Reached: b.Most, Certain: b.Certain})
	}
	slices.SortStableFunc(out, func(a, b report.Cap) int { return cmp.Compare(b.Records, a.Records) })
	return out
}

// transitions are the probabilities of the mechanism, grouped.
func transitions(p *plan.Plan) *report.Transitions {
	t := &picture.Transitions{Row: func(x int, to []float64) {
		for y := range to {
			to[y] = 0
		}
		r := p.Mechanism.Row(x)
		for i, y := range r.Output {
			to[y] = float64(r.At(i)) / float64(r.Total)
		}
	}}
	for x, l := range p.InputLabels() {
		t.Inputs, t.Prior = append(t.Inputs, l.String()), append(t.Prior, float64(p.Prior.Count(x))/float64(p.Prior.Total()))
	}
	for _, l := range p.OutputLabels() {
		t.Outputs = append(t.Outputs, l.String())
	}
	out := &report.Transitions{}
	out.Inputs, out.Outputs, out.Share = t.Grouped()
	return out
}

// story is the guess that the most telling output helps most.
func story(p *plan.Plan) *report.Story {
	x, y := p.Mechanism.WorstGuess(p.Prior, p.Leakage)
	if x < 0 {
		return nil
	}
	share, factor := p.Prior.Probability(x), p.Leakage.Output[y]
	before, _ := share.Float64()
	return &report.Story{Output: p.OutputLabels()[y], Guess: p.InputLabels()[x], Before: before,
		After: figure.FloatUp(new(big.Rat).Mul(share, factor)), Factor: factor.RatString()}
}
