package pipeline

import (
	"fmt"
	"math/big"

	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// changes refuses a release that would publish the column as it is, up to the
// names of its values: every published value could come from one value only.
func (p *part) changes() error {
	if p.Options.AllowUnchanged {
		return nil
	}
	q := p.reads()
	if !decide.CertaintyOf(q).Unchanged {
		return nil
	}
	hint := "give a smaller epsilon or a lower floor, or publish the column as it is with --allow-unchanged"
	if _, least := q.Records().Least(); len(q.Groups) == 1 && least > 0 {
		// Only the output that confirms the rarest letter has so large a factor.
		f := big.NewRat(q.Records().Total(), least)
		hint = fmt.Sprintf("give --max-factor below %s (epsilon below %s), or publish the column as it is with "+
			"--allow-unchanged", report.FactorUp(f), report.Nats(f))
	}
	return fault.New(fault.Privacy, hint,
		"%s: column %q would be published unchanged or only renamed: every published value could come from one value only",
		p.Source.Path, q.Column)
}
