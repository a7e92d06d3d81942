package account

import (
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
	return claim.Value{Facts: claim.Facts{Note: text().Must("recovered", estimates{&r.Utility, r.Records})}}, true
}

// estimates are those of shares from so many records.
type estimates struct {
	*report.Utility
	Records int64
}

// Of is a standard error for one record as one for all of them, in points.
func (e estimates) Of(one float64) float64 { return 100 * one / math.Sqrt(float64(e.Records)) }
