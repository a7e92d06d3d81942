package releases

import (
	"bytes"
	"math/big"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
	"github.com/tacet-privacy/tacet/pipeline/verify/mechanism"
)

// tried is how many outputs of all releases together are tried.
const tried = 100_000

// planFor is a plan as a channel has it.
func planFor(v *document.View) *Plan {
	return &Plan{Inputs: v.Plan.Inputs, Outputs: v.Plan.Outputs, Rows: v.Rows, Count: v.PlanCounts()}
}

// planAt is the plan of a release: this release's own, or one that the ledger
// keeps; nil where neither has it.
func (n *nights) planAt(r, tonight *Release) *Plan {
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
		n.plans = map[string]*Plan{}
	}
	n.plans[r.Plan] = n.kept(r)
	return n.plans[r.Plan]
}

// kept reads a plan that the ledger keeps, and holds it to the hashes that the
// release names.
func (n *nights) kept(r *Release) *Plan {
	text := func(name string) []byte {
		for _, d := range r.Documents {
			if d.Name == name {
				return n.book.Document(d.SHA256)
			}
		}
		return nil
	}
	data, order := text("plan.json"), text("order.csv")
	v := document.NewView(&document.Report{})
	if data == nil || document.Decode(data, "the plan", v.Plan) != nil {
		return nil
	}
	if sum, last := files.Plan(data, v.Plan.Plan); !last || sum != r.Plan || !mechanism.CheckCounts(v) {
		return nil
	}
	v.Weights = bytes.NewReader(text(files.WeightsFile))
	mechanism.CheckOrder(v, order)
	mechanism.CheckRows(v)
	if v.Rows == nil || v.Design() != r.Design {
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
	byDesign := map[string]*Plan{n.Plan.Design: n.own}
	n.begun = make([]*Plan, n.claims.Night+1)
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
	var channels []Channel
	for i, c := range n.history.Channels {
		rule, known := ruleOf(c.Kind)
		if !known {
			return "a kind of draws is not known", false
		}
		p := byDesign[c.Design]
		if p == nil {
			return "plans of nights before are in the ledger, and what was given does not hold them", false
		}
		if c.Design == n.Plan.Design && c.Key == n.Report.Text("randomness.key_id") && c.Kind == n.kind() {
			n.channel = i
		}
		channels = append(channels, Channel{Plan: p, Rule: rule})
	}
	if n.channel < 0 {
		return "the record history has no draws under this release's design, key and total", false
	}
	n.world = NewWorld(channels)
	n.symbol = nil
	for _, c := range channels {
		var list []Symbol
		for _, l := range c.Plan.Outputs {
			list = append(list, n.world.Of(l))
		}
		n.symbol = append(n.symbol, list)
	}
	return "", true
}

// checkFresh recomputes what releases without record ids tell together, each
// a new draw of every record: over all outputs where they are few, else within
// what one release tells and the closed bound that docs/series.md gives.
func (n *nights) checkFresh(r *Release) {
	const name = "reserved worst case"
	if r.Key != "" || n.Rows == nil {
		return
	}
	var plans []*Plan
	for _, o := range n.book.Releases {
		if o.Series != r.Series || !o.Counts() || o.ID > r.ID {
			continue
		}
		p := n.planAt(o, r)
		if p == nil {
			n.Skip(name, "plans of nights before are in the ledger, and what was given does not hold them")
			return
		}
		plans = append(plans, p)
	}
	claim, ok := exact.Fraction(r.Claim.Factor)
	own, ok2 := exact.Fraction(r.Factor)
	if !ok || !ok2 || claim.Cmp(own) < 0 {
		n.Add(name, false, "all releases together would tell less than one of them")
		return
	}
	var w document.Faults
	if most, all := together(plans); all {
		w.Match(r.Claim.Label == "exact" && claim.Cmp(most) == 0 || r.Claim.Label == "bound" && claim.Cmp(most) >= 0,
			"the largest factor of all outputs together")
		n.Settle(name, w, "%d releases, each a draw of its own: %s, over all their outputs", len(plans), ratText(most))
		return
	}
	if claim.Cmp(ceilingOf(plans[0])) > 0 {
		w.Addf("it is more than any outputs can tell")
	}
	n.Settle(name, w, "%d releases, each a draw of its own: between what one tells and what any outputs can; their "+
		"outputs are too many to try all", len(plans))
}

// together is the largest factor over the outputs of all plans; all is false
// where they are too many. Outputs of one design are tried in one order.
func together(plans []*Plan) (most *big.Rat, all bool) {
	var channels []Channel
	for _, p := range plans {
		channels = append(channels, Channel{Plan: p})
	}
	w := NewWorld(channels)
	var peak Peak
	left := tried
	var walk func(s *State, at, from int)
	walk = func(s *State, at, from int) {
		if s.Visible || left < 0 {
			return
		}
		if at == len(plans) {
			left--
			peak.State(s)
			return
		}
		if at == 0 || plans[at] != plans[at-1] {
			from = 0
		}
		for y := from; y < len(plans[at].Outputs); y++ {
			walk(s.After(at, w.Of(plans[at].Outputs[y])), at+1, y)
		}
	}
	walk(w.Start(plans[0]), 0, 0)
	most, exact := peak.Exact()
	return most, left >= 0 && exact && most != nil
}

// ceilingOf is 1/P_min: no outputs tell more.
func ceilingOf(p *Plan) *big.Rat {
	return big.NewRat(exact.Sum(p.Count), max(exact.Least(p.Count), 1))
}
