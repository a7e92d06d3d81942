package releases

import (
	"bytes"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
	"github.com/tacet-privacy/tacet/pipeline/verify/mechanism"
)

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
		total, limited := strings.CutPrefix(c.Kind, "draw; total ")
		t, known := exact.ParseTarget(total)
		if c.Kind != "draw" && !(limited && known) {
			return "the record history has a kind of draws that only the version that made it checks", false
		}
		p := byDesign[c.Design]
		if p == nil {
			return "plans of nights before are in the ledger, and what was given does not hold them", false
		}
		if c.Design == n.Plan.Design && c.Key == n.Report.Text("randomness.key_id") && c.Kind == within(n.claims.Budget) {
			n.channel = i
		}
		channels = append(channels, Channel{Plan: p})
		if limited {
			channels[i].Total = &t
		}
	}
	if n.channel < 0 {
		return "the record history has no draws under this release's design, key and total", false
	}
	n.world = NewWorld(channels)
	return "", true
}
