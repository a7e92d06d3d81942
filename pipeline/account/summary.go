package account

import (
	"fmt"
	"io"
	"math/big"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// WriteSummary prints what a plan decides and, where there is one, the advice
// on the next floor.
func WriteSummary(w io.Writer, p *plan.Plan, a *decide.Advice) error {
	var b strings.Builder
	say := func(head, format string, args ...any) {
		fmt.Fprintf(&b, "%-9s "+format+"\n", append([]any{head}, args...)...)
	}
	if p.Empty() {
		_, err := fmt.Fprintln(w, "there is nothing to privatize")
		return err
	}
	factor := p.Factor().RatString()
	if len(factor) > 24 {
		factor = "see the plan"
	}
	say("values:", "%d, outputs %d, records %d", p.Inputs.Len(), p.Outputs.Len(), p.Records().Total())
	say("epsilon:", "%s asked, %s reached (factor %s)", p.Target, report.Nats(p.Factor()), factor)
	floor := reportFloor(p)
	say("floor:", "%s (%s)", floor.Place(), p.Words)
	say("design:", "%s, %s", p.Kind, report.Mean(p.Expected, p.Spec.Unit))
	if given := p.Given.Column; given != "" {
		_, known := p.Known()
		_, overall := p.Leakage.Max()
		whom := "whoever does not"
		if p.Given.Only {
			whom = "whoever does not, who is promised nothing"
		}
		say("strata:", "%s reached for whoever knows %s, %s for %s", report.Nats(known), given, report.Nats(overall), whom)
		if n := p.Merged(); n > 1 {
			say("merged:", "%d strata: nothing is promised to whoever knows which of them a record is in", n)
		}
	}
	if p.Of != "" && p.Sample.Total() > 0 {
		own := report.Nats(p.Sampled().Factor())
		if p.PriorOnly {
			say("own:", "nothing is promised for the file's own frequencies (--prior-only): %s there", own)
		} else {
			say("own:", "%s reached for the file's own frequencies, which is promised, too", own)
		}
	}
	if p.Prefer == request.Unchanged {
		say("unchanged:", "%.2f %% of records expected, at most %.2f %% possible", 100*p.Share, 100*p.ShareBound)
	}
	if sure, response := recovered(p); sure > 0 {
		say("recovery:", "%s", sureWords(sure, response, p.Records().Total()))
	}
	if p.Records().Total() > 0 {
		counted := p.Counted()
		say("shares:", "%s", offBy(counted.Shift, counted.Used, p.Outputs.Len()))
		if n := len(counted.Never); n > 0 {
			say("", "%s", never(n, big.NewRat(counted.Absent, p.Records().Total()), counted.Shift.RatString()))
		}
		if s := p.Stated; s != nil && s.NoLimit != "" {
			say("", "no limit is kept: %s", s.NoLimit)
		} else if counted.Shift.Cmp(farOff) > 0 && p.Shares == nil {
			say("", "--max-shift 5%% keeps them closer, at another floor or with a larger epsilon")
		}
		sharesSummary(say, p)
	}
	switch b := decide.Populate(p, nil, ""); {
	case b == nil:
	case b.Bounded:
		say("sampled:", "population at most %s with probability 1 - %s over the sample (%s)", report.RoundUp(b.Nats, 4),
			b.Delta, b.Rule)
	default:
		say("sampled:", "population nothing can be said: too few records for any bound")
	}
	if open := unsearchedWords(p.Kind, p.Inputs.Len(), p.Outputs.Len()); open != "" {
		say("open:", "%s", open)
	}
	if p.Gap > openGap {
		say("open:", "the utility may be %.2g of its range below the largest", p.Gap)
	}
	if a != nil {
		head := "next:"
		if a.Free() {
			head = "next better floor:"
		}
		for _, line := range a.Lines() {
			say(head, "%s", line)
			head = ""
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// sharesSummary says what a plan keeps of the shares of published values.
func sharesSummary(say func(head, format string, args ...any), p *plan.Plan) {
	s := p.Shares
	switch {
	case s == nil:
		return
	case s.Limit != nil:
		say("", "within the limit of %s of all records", s.Asked)
		if s.Room != nil {
			say("", "%s", roomWords(new(big.Rat).Quo(s.Room, big.NewRat(2, 1)), p.Drift()))
		}
	default:
		say("", "as little as the search found at this floor")
	}
	if s.Least != nil && s.Least.Value.Sign() > 0 {
		v, _ := s.Least.Value.Float64()
		say("", "no mechanism within epsilon at this floor has less than %.4f points", 100*v)
	}
	switch {
	case s.Open > 0:
		say("", "%s may do, too: neither a mechanism nor a proof that there is none was found",
			report.Several(s.Open, "better floor", "better floors"))
	case s.Refused != nil:
		say("", "%v is out of reach: every mechanism within epsilon there is off by %s points or more", s.At,
			pointsDown(s.Refused.Value))
	}
}

// pointsDown are a share in points of all records, rounded down to a hundredth.
func pointsDown(share *big.Rat) string {
	v := new(big.Rat).Mul(share, big.NewRat(10_000, 1))
	return new(big.Rat).SetFrac(new(big.Int).Quo(v.Num(), v.Denom()), big.NewInt(100)).FloatString(2)
}
