package account

import (
	"fmt"
	"math"

	"github.com/tacet-privacy/tacet/mechanism/recovery"
	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/request"
)

// recovered are the standard errors of shares that are estimated from the outputs, for one record and in
// the root mean square over all values, and those of randomised response within the same epsilon; 0
// where nobody asked for them.
func recovered(p *plan.Plan) (sure, response float64) {
	if p.Prefer != request.Recovered {
		return 0, 0
	}
	n, of := float64(p.Inputs.Len()), p.Records()
	if of.Total() == 0 {
		of = p.Prior
	}
	spread, ok := recovery.Spread(p.Groups[0].Mechanism, of)
	if !ok {
		return 0, 0
	}
	factor, _ := p.Epsilon.Factor().Float64()
	return math.Sqrt(spread / n), math.Sqrt(recovery.Responded(p.Prior, factor) / n)
}

// recoveredShares is how sure estimates of this file's shares are.
func recoveredShares(r *report.Report) (claim.Value, bool) {
	if r.Utility.Error == 0 || r.Records == 0 {
		return claim.Value{}, false
	}
	words := sureWords(r.Utility.Error, r.Utility.Responded, r.Records)
	return claim.Value{Facts: claim.Facts{Note: words}}, true
}

func sureWords(sure, response float64, records int64) string {
	n := math.Sqrt(float64(records))
	return fmt.Sprintf("estimates by tacet recover have standard errors of at most %s points (root mean square over the "+
		"values; %.3g with randomised response within the same epsilon)", report.RoundUp(100*sure/n, 3), 100*response/n)
}
