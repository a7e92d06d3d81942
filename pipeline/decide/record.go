package decide

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"os"
	"strings"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/design"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/request"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// tableCells is the size up to which order.csv is the whole table of
// utilities; above, it is the spec's own file.
const tableCells = 10_000_000

// record makes p the plan of the best of the proposals.
func (w *problem) record(p *plan.Plan, best *proposal) error {
	e := &best.Evidence
	p.Kind, p.Floor, p.Expected, p.Stopped = e.Kind, e.Floor, e.ExpectedUtility, e.Stopped
	if w.parted {
		p.Kind, p.Given = "strata", w.d.By
		p.Given.Rule = best.rule
		for i := range best.group {
			g := &best.group[i]
			g.Expected = g.Mechanism.ExpectedUtility(g.Prior, w.order.Order)
		}
	}
	p.Redraw(best.group...)
	p.Words = w.order.Describe(p.Value)
	if err := w.refuseNoise(p); err != nil {
		return err
	}
	prefer(p, w.asked.Prefer, e)
	if e.Next != nil {
		p.Next = &e.Next.Floor
		p.NextRank, p.NextFactor = e.Next.Floor.Rank, e.Next.Factor
	}
	if err := w.prove(p, e); err != nil {
		return err
	}
	if err := setShares(p, w.asked, e); err != nil {
		return err
	}
	p.DesignHash = p.HashDesign()
	return nil
}

// SetOrder keeps the normalised order of a spec, over values of a kind.
func SetOrder(p *plan.Plan, spec string, of utility.Kind, r *utility.Result) error {
	p.Order, p.Outputs, p.Lowest = r.Order, r.Outputs, r.Lowest
	p.Spec = plan.OrderSpec{Spec: spec, Form: r.Form, Ties: r.Ties, Extra: r.Extra, Unit: r.Unit,
		Kind: of.String(), Load: "matrix:" + plan.OrderFile}
	if r.Order.Inputs()*r.Order.Outputs() <= tableCells {
		var err error
		if p.OrderCSV, err = utility.CSV(r); err != nil {
			return fmt.Errorf("writing the order: %w", err)
		}
	} else if r.File != "" {
		data, err := os.ReadFile(r.File)
		if err != nil {
			return err
		}
		at := ""
		if strings.Contains(spec, ":@") {
			at = "@"
		}
		p.OrderCSV, p.Spec.Load = data, r.Form+":"+at+plan.OrderFile
	} else {
		p.OrderCSV, p.Spec.Load = []byte(spec+"\n"), spec
	}
	sum := sha256.Sum256(p.OrderCSV)
	p.Spec.SHA256 = hex.EncodeToString(sum[:])
	return nil
}

// lowestOf is the least utility that is not -inf; +Inf where all are.
func lowestOf(o mechanism.Order) float64 {
	lowest, row := math.Inf(1), make([]float64, o.Outputs())
	for x := range o.Inputs() {
		o.Row(x, nil, row)
		for _, v := range row {
			if !math.IsInf(v, -1) {
				lowest = math.Min(lowest, v)
			}
		}
	}
	return lowest
}

// prefer keeps what the second stage reached.
func prefer(p *plan.Plan, large string, e *design.Evidence) {
	if p.Gap = e.UtilityGap; large == request.Shares || large == request.Recovered {
		p.Prefer = large
	}
	if large != request.Unchanged {
		return
	}
	p.Prefer, p.Share, p.ShareBound = request.Unchanged, e.Weighted, 1
	upper := (*big.Rat)(nil)
	if e.Worth != nil {
		upper = e.Worth.Upper
	}
	if s := e.Shares; s != nil && s.Worth != nil {
		upper = s.Worth.Upper
	}
	if upper != nil {
		bound, _ := upper.Float64()
		p.ShareBound = min(1, bound*(1+1e-15))
	}
	p.ShareBound = max(p.ShareBound, p.Share)
}

// setShares keeps what was asked of shares. Proofs are of all mechanisms within epsilon for
// the records: where epsilon is relative to something else, or there are strata, there is none.
func setShares(p *plan.Plan, asked *request.Decision, e *design.Evidence) error {
	if !counted(asked.Goal) {
		return nil
	}
	proven := e.Shares
	if p.Of != "" {
		proven = nil
	}
	if err := p.SetShares(asked.MaxShift, asked.Limit(), asked.Room, asked.Goal.Keep, proven); err != nil {
		return err
	}
	if s := p.Shares; s.Limit != nil && s.Shift.Cmp(s.Made()) > 0 {
		return fmt.Errorf("the shift %s of the design is above its limit", s.Shift.RatString())
	}
	return nil
}
