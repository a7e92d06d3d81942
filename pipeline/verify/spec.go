package verify

import (
	"errors"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/utility"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
)

// specCells is the table of utilities up to which a spec's own are compared with it.
const specCells = 1 << 24

// checkSpec holds what the plan says of its order to the spec: its form, its unit and the
// floor in words. A spec that names no file gives all utilities again.
func (c *column) checkSpec() {
	p := c.plan
	s, w := p.Spec, kernel.Faults{}
	if p.Empty() {
		return
	}
	form, _, _ := strings.Cut(s.Spec, ":")
	w.Match(form == s.Form || form == utility.InBins && s.Form == "ordered", "the form of the order")
	said := utility.Described(s.Unit, p.Value)
	if p.Inputs.Null {
		for _, words := range said {
			said = append(said, words+", or null")
		}
	}
	w.Match(slices.Contains(said, p.Words), "the floor in words")
	elsewhere := errors.New("it is elsewhere")
	r, err := utility.Build(s.Spec, utility.Input{Letters: p.Inputs, Kind: utility.KindNamed(s.Kind),
		Outputs: p.Outputs.Label, Place: plan.BinPlace(p.Bins), ReadFile: func(string) ([]byte, error) {
			return nil, elsewhere
		}})
	switch {
	case errors.Is(err, elsewhere) || p.Other != nil || p.Inputs.Len()*p.Outputs.Len() > specCells:
		c.Settle("order as asked", w, "%s; the file that it names is not here", s.Form)
		return
	case err != nil:
		w.Addf("the order is none of these values")
	default:
		w.Match(r.Form == s.Form && r.Unit == s.Unit && r.Ties == s.Ties && r.Extra == s.Extra &&
			r.Describe(p.Value) == p.Words && alike(r, p), "what the plan says of its order")
	}
	c.Settle("order as asked", w, "%s, with the utilities that it gives", s.Form)
}

// alike reports whether a spec gives the utilities of a plan.
func alike(r *utility.Result, p *plan.Plan) bool {
	n, m := p.Inputs.Len(), p.Outputs.Len()
	if r.Order.Inputs() != n || r.Order.Outputs() != m {
		return false
	}
	at := map[string]int{} // the spec may have outputs in another order
	for i, l := range r.Outputs.Label {
		at[l] = i
	}
	a, b := make([]float64, m), make([]float64, m)
	for x := range n {
		r.Order.Row(x, nil, a)
		p.Order.Row(x, nil, b)
		for y, v := range b {
			i := y // null is the last of both
			if y < len(p.Outputs.Label) {
				i = at[p.Outputs.Label[y]]
			}
			if a[i] != v {
				return false
			}
		}
	}
	return true
}
