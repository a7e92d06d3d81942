package decide

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/tacet-privacy/tacet/mechanism/design"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// shifted says why no design keeps a limit of the shift, and what would help. All
// of it encodes counts.
func shifted(e *design.ShiftError) error {
	f := &fault.Fault{Class: fault.Privacy, Err: e, What: fmt.Sprintf("no design was found that keeps epsilon %s and a "+
		"shift of %s points at %v", e.Epsilon, Points(e.Limit), e.AtFloor)}
	var help []string
	if e.Least != nil {
		help = append(help, fmt.Sprintf("--max-shift %s%% suffices there", Points(e.Least)))
	}
	if e.Factor != nil {
		help = append(help, fmt.Sprintf("--max-factor %s (%s nats) suffices there", report.FactorUp(e.Factor),
			report.Nats(e.Factor)))
	}
	if e.Best != nil {
		help = append(help, fmt.Sprintf("the best floor with both is %v", *e.Best))
	}
	if e.Free != nil {
		help = append(help, fmt.Sprintf("the best floor within epsilon without --max-shift is %v", *e.Free))
	}
	if e.Large {
		help = append(help, "the values are too many for the optimum, and designs in closed form know no shift: merge "+
			"values before the run")
	}
	if help == nil {
		help = []string{"give a larger epsilon, a larger --max-shift or a lower floor"}
	}
	f.Hint = strings.Join(help, "; ")
	return f
}

// Points are a share in points of all records, rounded up to a hundredth.
func Points(share *big.Rat) string {
	v := new(big.Rat).Mul(share, big.NewRat(10_000, 1))
	n := new(big.Int).Add(v.Num(), new(big.Int).Sub(v.Denom(), big.NewInt(1)))
	text := new(big.Rat).SetFrac(n.Quo(n, v.Denom()), big.NewInt(100)).FloatString(2)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}
