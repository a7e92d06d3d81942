package verify

import (
	"errors"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/utility"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
)

// checkSpec holds what the plan says of its order to the spec: its form, its unit and the
// floor in words. A spec that names no file gives order.csv again.
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
	told, kind := &plan.Plan{}, utility.KindNamed(s.Kind)
	r, err := utility.Build(s.Spec, utility.Input{Letters: p.Inputs, Kind: kind, Outputs: p.Outputs.Label,
		Place: plan.BinPlace(p.Bins), ReadFile: func(string) ([]byte, error) { return nil, elsewhere }})
	if err == nil {
		err = decide.SetOrder(told, s.Spec, kind, r)
	}
	if errors.Is(err, elsewhere) || p.Other != nil {
		c.Settle("order as asked", w, "%s; the file that it names is not here", s.Form)
		return
	}
	w.Match(err == nil && told.Spec == s && r.Describe(p.Value) == p.Words, "what the plan says of its order")
	c.Settle("order as asked", w, "%s, with the utilities that it gives", s.Form)
}
