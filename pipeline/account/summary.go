package account

import (
	"fmt"
	"io"
	"math/big"

	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// A decided plan has the figures of these lines; the last ones are nil where nothing is to be said.
type decided struct {
	*plan.Plan
	Floor          report.Floor
	Known, Overall *big.Rat
	Own            *big.Rat // under the file's own frequencies, where the prior is another

	Recovery *estimates
	Off      *report.Shares
	Sampled  *report.Population
}

// WriteSummary prints what a plan decides and, where there is one, the advice
// on the next floor.
func WriteSummary(w io.Writer, p *plan.Plan, a *decide.Advice) error {
	if p.Empty() {
		_, err := fmt.Fprintln(w, "there is nothing to privatize")
		return err
	}
	d := decided{Plan: p, Floor: reportFloor(p), Sampled: decide.Populate(p, nil, ""),
		Off: sharesOf(p, nil, true)}
	_, d.Known = p.Known()
	_, d.Overall = p.Leakage.Max()
	if p.Of != "" && p.Sample.Total() > 0 {
		d.Own = p.Sampled().Factor()
	}
	if sure, response := recovered(p); sure > 0 {
		d.Recovery = &estimates{&report.Utility{Error: sure, Responded: response}, p.Records().Total()}
	}
	if err := text().Lines(w, "decided", &d); err != nil || a == nil {
		return err
	}
	head := "next:"
	if a.Free() {
		head = "next better floor:"
	}
	for _, line := range a.Lines() {
		if _, err := fmt.Fprintf(w, "%-9s %s\n", head, line); err != nil {
			return err
		}
		head = ""
	}
	return nil
}

// pointsDown are a share in points of all records, rounded down to a hundredth.
func pointsDown(share *big.Rat) string {
	v := new(big.Rat).Mul(share, big.NewRat(10_000, 1))
	return new(big.Rat).SetFrac(new(big.Int).Quo(v.Num(), v.Denom()), big.NewInt(100)).FloatString(2)
}
