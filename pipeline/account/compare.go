package account

import (
	"math"

	"github.com/tacet-privacy/tacet/mechanism/design"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// compared is the table of letters up to which a run is compared with other
// mechanisms; beyond, that would take longer than the run.
const compared = 1 << 16

// compare puts beside the design what mechanisms of differential privacy keep at
// the same epsilon.
// What cannot be computed is left out.
func compare(r *report.Report, p *plan.Plan) {
	if p.Empty() || p.Stratified() || p.Prior.Total() == 0 || p.Inputs.Len()*p.Outputs.Len() > compared {
		return
	}
	baselines, err := design.All(p.Prior, p.Order, p.Epsilon)
	if err != nil {
		return
	}
	for _, b := range baselines {
		if !math.IsInf(b.Worst, 0) && !math.IsNaN(b.PML+b.Expected) && !math.IsInf(b.PML, 0) {
			r.Baselines = append(r.Baselines, report.Baseline{Kind: b.Kind, Tuned: b.Tuned, Nats: b.PML, Worst: b.Worst,
				Expected: b.Expected})
		}
	}
}
