package plan

import (
	"fmt"
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
)

// verifyDesign recomputes what the plan says of how it was made, on which its promises do not
// rest: which values are rare, which groups share a mechanism and, where the order is
// no larger than a table, what it is worth.
func (p *Plan) verifyDesign() error {
	for _, verify := range []func() error{p.verifyStated, p.verifyOther, p.verifyRule, p.verifyHeadroom} {
		if err := verify(); err != nil {
			return err
		}
	}
	if p.Kind == "safe" && p.Other.listed() == 0 && !p.uniform(mechanism.SupportOf(p.Order, p.Floor)) {
		return fmt.Errorf("a row of its safe design is not uniform on what the floor allows")
	}
	if p.Spec.Load != "matrix:"+OrderFile {
		return nil
	}
	if err := p.verifyWorth(); err != nil {
		return err
	}
	if p.Kind == "blocks" && len(p.Groups) == 1 && p.Other == nil && !p.inProportion(p.Prior) &&
		(p.Shares == nil || !p.inProportion(p.Records())) {
		return fmt.Errorf("a row of its blocks is not in proportion to the counts")
	}
	return nil
}

// verifyWorth recomputes what is expected of utility and unchanged records.
func (p *Plan) verifyWorth() error {
	mean, same, n := 0.0, 0.0, float64(max(1, p.Prior.Total()))
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-11*max(1, math.Abs(b)) }
	for i := range p.Groups {
		g := &p.Groups[i]
		own, share := g.Mechanism.ExpectedUtility(g.Prior, p.Order), float64(g.Prior.Total())/n
		if g.Prior.Total() > 0 && !near(g.Expected, own) {
			return fmt.Errorf("%sits rows do not have the utility it states", p.which(i))
		}
		if mean += share * own; p.Prefer == "unchanged" {
			same += share * g.Mechanism.ExpectedWeight(g.Prior, p.weights())
		}
	}
	switch {
	case !near(p.Expected, mean) || !(p.UpperBound >= p.Expected && p.Gap >= 0):
		return fmt.Errorf("its rows do not have the utility it states")
	case p.Prefer == "unchanged" && !near(p.Share, same), !(p.ShareBound >= p.Share):
		return fmt.Errorf("its rows do not leave the records unchanged that it states")
	}
	return nil
}

// verifyHeadroom: the rows keep what they were designed for, however the records of a letter
// are shared among strata.
func (p *Plan) verifyHeadroom() error {
	if p.Headroom == nil {
		return nil
	}
	target, err := p.designed()
	if err != nil {
		return err
	}
	if !target.Admits(p.Factor()) || len(p.Groups) > 1 && !p.Given.Only && !target.Admits(mechanism.Shifted(p.Parts())) {
		return fmt.Errorf("its rows do not leave the headroom it states")
	}
	return nil
}

func sameRow(a, b mechanism.Row) bool {
	return a.Total == b.Total && slices.Equal(a.Output, b.Output) && slices.Equal(a.Weight, b.Weight)
}

// verifyRule: one mechanism is shared by all groups, several are one for each.
func (p *Plan) verifyRule() error {
	laws, _ := p.Laws()
	if is := p.Given.Rule; p.Given.Column == "" && is != "" || p.Given.Column != "" && is != Shared && is != Apart ||
		is == Shared && len(laws) > 1 || is == Apart && len(laws) < len(p.Groups) {
		return fmt.Errorf("its mechanisms are not those that its strata are said to have")
	}
	return nil
}

// uniform reports whether rows give all that the floor allows equally often.
func (p *Plan) uniform(s *mechanism.Support) bool {
	var allowed []uint16
	for x := range p.Inputs.Len() {
		row := p.Groups[0].Mechanism.Row(x)
		if allowed = s.AppendRow(allowed[:0], x); !slices.Equal(row.Output, allowed) ||
			slices.ContainsFunc(row.Weight, func(w int64) bool { return w != row.Weight[0] }) {
			return false
		}
	}
	return true
}

// inProportion reports whether every row gives its outputs as often as they are counted.
func (p *Plan) inProportion(counts mechanism.Prior) bool {
	stands := Stands(p.Inputs, p.Outputs)
	for x := range p.Inputs.Len() {
		r := p.Groups[0].Mechanism.Row(x)
		if !sameRow(r, mechanism.Proportional(r.Output, counts, stands)) {
			return false
		}
	}
	return true
}
