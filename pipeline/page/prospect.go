package page

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// A Limit of the shift that stops are compared at.
type Limit struct {
	Asked string // as the flag takes it; "" for none
}

// Points is the limit in words.
func (l Limit) Points() string {
	if l.Asked == "" {
		return "no limit"
	}
	return "at most " + l.Asked + " of all records"
}

// A Share is how many of the records hold a value, and are published as it.
type Share struct {
	Label           report.Label
	True, Published float64
}

// An Outcome is what analysts get of the share of a value, among all records.
type Outcome struct {
	Label         report.Label
	True, Counted float64 // in the data; by counting the output, expected
	Plain         float64 // half the interval of that count
	PlainCovers   float64 // part of releases in which it holds the true share, by the normal law

	Told bool // the mechanism lets the share be estimated
	Half float64
}

// Value is the value as people read it.
func (o *Outcome) Value() string { return show(o.Label) }

// Bias is by how many points counting is off, expected.
func (o *Outcome) Bias() string { return fmt.Sprintf("%+.2f", 100*(o.Counted-o.True)) }

// Interval is half the interval of the plain count, in points.
func (o *Outcome) Interval() string { return fmt.Sprintf("%.2f", 100*o.Plain) }

// Recovered says what is recovered of the share.
func (o *Outcome) Recovered() string {
	if o.Told {
		return fmt.Sprintf("\u00b1 %.2f points", 100*o.Half)
	}
	return "not estimable"
}

// shownShares is how many values a picture of one stop has.
const shownShares = 10

// Commonest are those of the values that are commonest in one or the other, at most as
// many as a picture has.
func Commonest(all []Share) []Share {
	commonestFirst(all)
	return slices.Clone(all[:min(len(all), shownShares)])
}

// What is suggested makes no guess more than tenfold as likely, and is off by bearable at
// most where there is such a stop.
var bearable, tenfold = big.NewRat(1, 20), math.Log(10) + 1e-12

// Suggest chooses a stop to begin with: the one at which the mean gains most for its
// epsilon, both as parts of what there is between the two ends of the frontier. Ends are
// not suggested, and nothing above tenfold. The page starts there, or at what was asked for.
func (p *Page) Suggest() {
	p.Suggested = -1
	low, high, dear := math.Inf(1), math.Inf(-1), 0.
	for _, s := range p.Stops {
		if !math.IsNaN(s.Mean) && s.Refused == "" {
			low, high, dear = min(low, s.Mean), max(high, s.Mean), max(dear, s.Asked)
		}
	}
	gain := func(s *Stop) (mean, epsilon float64) { return (s.Mean - low) / (high - low), s.Asked / dear }
	most, within, words := 0., false, ""
	for i := range p.Stops {
		s := &p.Stops[i]
		if s.Unchanged || s.Nothing || s.Refused != "" || s.Open || p.Limit > 0 && s.Limit != p.Limit ||
			!(s.Asked <= tenfold) {
			continue
		}
		near := s.Shift != nil && s.Shift.Cmp(bearable) <= 0
		mean, epsilon := gain(s)
		if worth := mean - epsilon; worth > 0 && (near && !within || near == within && worth > most) {
			p.Suggested, most, within = i, worth, near
		}
	}
	if p.Suggested >= 0 {
		if within {
			words = " and 5 points"
		}
		mean, epsilon := gain(&p.Stops[p.Suggested])
		p.Why = fmt.Sprintf("It has %.0f\u00a0%% of the gain in the mean for %.0f\u00a0%% of the epsilon: the best "+
			"difference within 10 times%s", 100*mean, 100*epsilon, words)
	}
	switch {
	case p.Asked >= 0:
		p.Start = p.Asked
	case p.Suggested >= 0:
		p.Start = p.Suggested
	default:
		p.Start = p.startOf(p.Limit)
	}
	p.Limit = p.Stops[p.Start].Limit
}

// startOf is the stop in the middle of those at a limit.
func (p *Page) startOf(limit int) int {
	var at []int
	for i, s := range p.Stops {
		if s.Limit == limit {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return len(p.Stops) / 2
	}
	return at[len(at)/2]
}

// likely is the factor e^nats, rounded up: how many times as likely a guess becomes.
func likely(nats float64) string {
	digits, f := 2, math.Exp(nats)
	if near := math.Round(100*f) / 100; math.Abs(f-near) <= 1e-13*f { // nats is the logarithm of that, rounded up
		f = near
	}
	if nats > math.Log(100) {
		digits = 0
	}
	return report.Grouped(report.RoundUp(f, digits))
}

// guess says what becomes of a guess that is right now and then; "" where any may become
// certain.
func guess(nats float64) string {
	for _, in := range []struct {
		share float64
		words string
	}{{.05, "5 in 100"}, {.01, "1 in 100"}, {.001, "1 in 1,000"}} {
		if f := in.share * math.Exp(nats); f < 1 {
			return "; one right " + in.words + " times becomes right at most " + atMost(f)
		}
	}
	return ""
}
