package account

import (
	"fmt"
	"io"
	"strconv"

	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// WriteSummary prints what a plan decides and, where there is one, the advice
// on the next floor.
func WriteSummary(w io.Writer, p *plan.Plan, a *decide.Advice) error {
	if p.Empty() {
		_, err := fmt.Fprintln(w, "there is nothing to privatize")
		return err
	}
	factor := p.Factor().RatString()
	if len(factor) > 24 {
		factor = "see the plan"
	}
	if _, err := fmt.Fprintf(w, "letters:  %d, outputs %d, records %d\nepsilon:  %s asked, %s reached (factor "+
		"%s)\nfloor:    rank %d of %d (%s)\ndesign:   %s, mean utility %s\n",
		p.Inputs.Len(), p.Outputs.Len(), p.Records().Total(), p.Target, report.Nats(p.Factor()), factor,
		p.Rank, p.Outputs.Len(), p.Words, p.Kind, strconv.FormatFloat(p.Expected, 'g', 6, 64)); err != nil {
		return err
	}
	if p.Stratified() {
		_, known := p.Known()
		_, overall := p.Leakage.Max()
		whom := "whoever does not"
		if p.Given.Only {
			whom = "whoever does not, who is promised nothing"
		}
		if _, err := fmt.Fprintf(w, "strata:   %s reached for whoever knows %s, %s for %s\n", report.Nats(known),
			(&report.Strata{Column: p.Given.Column, Function: p.Given.Function}).Given(), report.Nats(overall), whom); err != nil {
			return err
		}
		if n := p.Merged(); n > 1 {
			if _, err := fmt.Fprintf(w, "merged:   %d strata: nothing is promised to whoever knows which of them a record is "+
				"in\n", n); err != nil {
				return err
			}
		}
	}
	if p.Of != "" && p.Sample.Total() > 0 {
		own := p.Mechanism().Factor(p.Sample)
		said := fmt.Sprintf("%s reached for the file's own frequencies, which is promised, too", report.Nats(own))
		if p.PriorOnly {
			said = fmt.Sprintf("nothing is promised for the file's own frequencies (--prior-only): %s there", report.Nats(own))
		}
		if _, err := fmt.Fprintf(w, "own:      %s\n", said); err != nil {
			return err
		}
	}
	if p.Prefer == request.Unchanged {
		if _, err := fmt.Fprintf(w, "unchanged: %.2f %% of records expected, at most %.2f %% possible\n", 100*p.Share,
			100*p.ShareBound); err != nil {
			return err
		}
	}
	if b := decide.Populate(p, nil, ""); b != nil {
		said := "nothing can be said: too few records for any bound"
		if b.Bounded {
			said = fmt.Sprintf("at most %s with probability 1 - %s over the sample (%s)", report.RoundUp(b.Nats, 4), b.Delta,
				b.Rule)
		}
		if _, err := fmt.Fprintf(w, "sampled:  population %s\n", said); err != nil {
			return err
		}
	}
	if p.Gap > openGap {
		if _, err := fmt.Fprintf(w, "open:     the utility may be %.2g of its range below the largest\n", p.Gap); err != nil {
			return err
		}
	}
	if a == nil {
		return nil
	}
	for i, line := range a.Lines() {
		head := "next:    "
		switch {
		case i > 0:
			head = "         "
		case a.Free():
			head = "next better floor:"
		}
		if _, err := fmt.Fprintln(w, head, line); err != nil {
			return err
		}
	}
	return nil
}
