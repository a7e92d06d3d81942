package account

import (
	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// reportOutputs lists the outputs that letters with records may give.
func reportOutputs(p *plan.Plan, t *plan.Written) []report.Output {
	letters := make([]int, p.Outputs.Len())
	for x := range p.Inputs.Len() {
		for _, y := range p.Reach(x) {
			letters[y]++
		}
	}
	out, of := []report.Output{}, t.Rows-t.Nulls
	if p.Null == "public" { // a record may show an earlier null, or an earlier value
		of = 0
		for _, n := range t.Output {
			of += n
		}
	}
	labels := p.OutputLabels()
	for y, f := range p.Leakage.Output {
		if f != nil {
			out = append(out, report.Output{Label: labels[y], Factor: f.RatString(), Nats: mechanism.Nats(f),
				Support: letters[y], Share: float64(t.Output[y]) / float64(max(of, 1))})
		}
	}
	return out
}
