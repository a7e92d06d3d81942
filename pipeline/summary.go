package pipeline

import (
	"fmt"
	"io"
	"strconv"
)

// WriteSummary prints what a plan decides.
func (p *Plan) WriteSummary(w io.Writer) error {
	if p.Empty() {
		_, err := fmt.Fprintln(w, "there is nothing to privatize")
		return err
	}
	factor := p.Factor().RatString()
	if len(factor) > 24 {
		factor = "see the plan"
	}
	_, err := fmt.Fprintf(w, "letters:  %d, outputs %d, records %d\nepsilon:  %s asked, %s reached (factor %s)\nfloor:    rank %d of %d (%s)\ndesign:   %s, mean utility %s\n",
		p.Inputs.Len(), p.Outputs.Len(), p.Prior.Total(), p.Target, nats(p.Factor()), factor,
		p.Rank, p.Outputs.Len(), p.Words, p.Kind, strconv.FormatFloat(p.Expected, 'g', 6, 64))
	return err
}
