package plan

import (
	"fmt"
	"math"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
)

// verifyDesign recomputes what the plan says of how it was made, on which its promises do not
// rest: which letters are treated alike, which groups share a mechanism and, where the order is
// no larger than a table, what it is worth.
func (p *Plan) verifyDesign() error {
	for _, verify := range []func() error{p.verifyStated, p.verifyOther, p.verifyRule, p.verifyHeadroom} {
		if err := verify(); err != nil {
			return err
		}
	}
	if p.Kind == "safe" && !p.uniform(mechanism.SupportOf(p.Order, p.Floor)) {
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

// verifyOther: letters that are treated alike have one row and few records, or none when the
// plan was made, and those that the order is said to have no row for that of the letter they
// are treated as; all others have more records.
func (p *Plan) verifyOther() error {
	o := p.Other
	if o == nil {
		return nil
	}
	records, other := p.Records(), slices.Index(p.Inputs.Label, o.Label)
	merged, adopted, lent := setOf(o.Merged), setOf(o.Adopted), setOf(o.Lent, o.Adopted)
	a, b := make([]float64, p.Order.Outputs()), make([]float64, p.Order.Outputs())
	if other >= 0 {
		p.Order.Row(other, nil, a)
	}
	known := 0 // letters that are treated alike
	for x, l := range p.Inputs.Label {
		c, alike := records.Count(x), merged[l] || adopted[l]
		if alike {
			known++
		}
		switch {
		case other < 0 || alike && x == other || lent[l] && !alike:
			return fmt.Errorf("it treats letters alike that it does not name")
		case alike && c >= o.MinCount || adopted[l] && c > 0 || !alike && x != other && c < o.MinCount:
			return fmt.Errorf("it treats other letters alike than the rare ones")
		case lent[l]:
			if p.Order.Row(x, nil, b); !slices.Equal(a, b) {
				return fmt.Errorf("its order has a row for a letter that is said to have none")
			}
		}
		for _, g := range p.Groups {
			if alike && !sameRow(g.Mechanism.Row(x), g.Mechanism.Row(other)) {
				return fmt.Errorf("letters that it treats alike have several rows")
			}
		}
	}
	if known < len(o.Merged)+len(o.Adopted) || len(lent) < len(o.Lent)+len(o.Adopted) ||
		(o.Extends != "") != (len(o.Adopted) > 0) {
		return fmt.Errorf("it treats letters alike that it does not name")
	}
	return nil
}

func setOf(lists ...[]string) map[string]bool {
	set := map[string]bool{}
	for _, l := range slices.Concat(lists...) {
		set[l] = true
	}
	return set
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

// uniform reports whether rows give all that the floor allows equally often; those of letters
// that are treated alike, all that it allows to every one of them.
func (p *Plan) uniform(s *mechanism.Support) bool {
	var alike map[string]bool
	var common, allowed []uint16
	if o := p.Other; o != nil {
		alike = setOf([]string{o.Label}, o.Merged, o.Adopted)
	}
	for x, l := range p.Inputs.Label {
		switch {
		case alike[l] && common == nil:
			common = s.AppendRow(nil, x)
		case alike[l]:
			common = slices.DeleteFunc(common, func(y uint16) bool { return !s.Allowed(x, int(y)) })
		}
	}
	for x := range p.Inputs.Len() {
		row := p.Groups[0].Mechanism.Row(x)
		if allowed = s.AppendRow(allowed[:0], x); x < len(p.Inputs.Label) && alike[p.Inputs.Label[x]] {
			allowed = append(allowed[:0], common...)
		}
		if !slices.Equal(row.Output, allowed) ||
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
