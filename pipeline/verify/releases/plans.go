package releases

import (
	"bytes"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel/files"
)

// planAt is the plan of a release: this release's own, or one that the ledger
// keeps; nil where neither has it, or where several mechanisms draw.
func (n *nights) planAt(r *Booked) *Plan {
	if r.Plan == n.Plan.Hash {
		return n.own
	}
	if p, known := n.plans[r.Plan]; known {
		return p
	}
	if n.plans == nil {
		n.plans = map[string]*Plan{}
	}
	text := func(name string) []byte {
		for _, d := range r.Documents {
			if d.Name == name {
				return n.book.Document(d.SHA256)
			}
		}
		return nil
	}
	var kept *Plan
	plan, groups := kernel.Designed(text("plan.json"), text("order.csv"), bytes.NewReader(text(files.WeightsFile)))
	if len(groups) == 1 && plan.Hash == r.Plan && plan.Design == r.Design {
		kept = &Plan{plan.Inputs, plan.Outputs, groups[0].Rows, groups[0].Prior}
	}
	n.plans[r.Plan] = kept
	return kept
}

// prepare builds the channels of the record history and the plans of its
// nights; why says what is missing.
func (n *nights) prepare() (why string, ok bool) {
	if len(n.Groups) != 1 {
		return "the rows are not known, or are of several mechanisms", false
	}
	n.own = &Plan{n.Plan.Inputs, n.Plan.Outputs, n.Groups[0].Rows, n.Groups[0].Prior}
	byDesign := map[string]*Plan{n.Plan.Design: n.own}
	n.begun = make([]*Plan, n.claims.Night+1)
	n.begun[n.claims.Night] = n.own
	if n.book != nil {
		for _, r := range n.book.Releases {
			if r.Series != n.booked.Series || !r.Counts() || r.Key == "" || r.Night >= n.claims.Night {
				continue
			}
			p := n.planAt(r)
			if n.begun[r.Night] = p; p != nil && byDesign[r.Design] == nil {
				byDesign[r.Design] = p
			}
		}
	}
	n.channel = -1
	var channels []Channel
	for i, c := range n.history.Channels {
		total, limited := strings.CutPrefix(c.Kind, "draw; total ")
		t, known := kernel.ParseTarget(total)
		if c.Kind != "draw" && !(limited && known) {
			return "the record history has a kind of draws that only the version that made it checks", false
		}
		p := byDesign[c.Design]
		if p == nil {
			return "plans of nights before are in the ledger, and what was given does not hold them", false
		}
		if c.Design == n.Plan.Design && c.Key == n.report.Draws.KeyID && c.Kind == kindOfDraws(n.claims.Budget) {
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
