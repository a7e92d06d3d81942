package nights

import (
	"github.com/tacet-privacy/tacet/pipeline/verify/book"
	"github.com/tacet-privacy/tacet/pipeline/verify/digest"
	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/law"
	"github.com/tacet-privacy/tacet/pipeline/verify/replay"
	"github.com/tacet-privacy/tacet/pipeline/verify/subject"
)

// planFor is a plan as package replay takes it.
func planFor(v *subject.View) *replay.Plan {
	p := &replay.Plan{Inputs: v.Plan.Inputs, Outputs: v.Plan.Outputs, Count: v.Count}
	for _, r := range v.Rows {
		p.Rows = append(p.Rows, replay.Row{Output: r.Output, Weight: r.Weight, Total: r.Total})
	}
	return p
}

// planAt is the plan of a release: tonight's own, or one that the ledger
// keeps; nil where neither has it.
func (n *nights) planAt(r, tonight *book.Release) *replay.Plan {
	if r.Plan == n.Plan.Plan {
		if n.own == nil {
			n.own = planFor(n.View)
		}
		return n.own
	}
	if p, known := n.plans[r.Plan]; known {
		return p
	}
	if n.plans == nil {
		n.plans = map[string]*replay.Plan{}
	}
	n.plans[r.Plan] = n.kept(r)
	return n.plans[r.Plan]
}

// kept reads a plan that the ledger keeps, and holds it to the hashes that the
// release names.
func (n *nights) kept(r *book.Release) *replay.Plan {
	text := func(name string) []byte {
		for _, d := range r.Documents {
			if d.Name == name {
				return n.book.Document(d.SHA256)
			}
		}
		return nil
	}
	data, order := text("plan.json"), text("order.csv")
	v := &subject.View{Report: &document.Report{}, Plan: &document.Plan{}}
	if data == nil || document.Decode(data, "the plan", v.Plan) != nil {
		return nil
	}
	if sum, last := digest.Plan(data, v.Plan.Plan); !last || sum != r.Plan || v.Plan.Strata != nil || !law.CheckCounts(v) {
		return nil
	}
	law.CheckOrder(v, order)
	law.CheckRows(v)
	if v.Rows == nil || digest.Design(v.Plan.Inputs, v.Plan.Outputs, v.Rows) != r.Design {
		return nil
	}
	return planFor(v)
}

// prepare builds the channels of the record history and the plans of its
// nights; why says what is missing.
func (n *nights) prepare() (why string, ok bool) {
	if n.Rows == nil {
		return "the rows are not known", false
	}
	n.own = planFor(n.View)
	byDesign := map[string]*replay.Plan{n.Plan.Design: n.own}
	n.begun = make([]*replay.Plan, n.claims.Night+1)
	n.begun[n.claims.Night] = n.own
	if n.book != nil {
		for _, r := range n.book.Releases {
			if r.Series != n.release.Series || !r.Counts() || r.Key == "" || r.Night >= n.claims.Night {
				continue
			}
			p := n.planAt(r, n.release)
			if n.begun[r.Night] = p; p != nil && byDesign[r.Design] == nil {
				byDesign[r.Design] = p
			}
		}
	}
	n.channel = -1
	var channels []replay.Channel
	for i, c := range n.history.Channels {
		rule, derived, known := ruleOf(c.Kind)
		if !known {
			return "a kind of draws is not known", false
		}
		p := byDesign[c.Design]
		if p == nil {
			return "plans of nights before are in the ledger, and what was given does not hold them", false
		}
		if c.Design == n.Plan.Design && c.Key == n.Report.Randomness.KeyID {
			if derived {
				n.derived = i
			} else if c.Kind == n.kind() {
				n.channel = i
			}
		}
		channels = append(channels, replay.Channel{Plan: p, Rule: rule, Derived: derived})
	}
	if n.channel < 0 {
		return "the record history has no draws under tonight's design, key and total", false
	}
	n.world = replay.NewWorld(channels)
	n.symbol = nil
	for _, c := range channels {
		var list []replay.Symbol
		for _, l := range c.Plan.Outputs {
			list = append(list, n.world.Of(l))
		}
		n.symbol = append(n.symbol, list)
	}
	return "", true
}
