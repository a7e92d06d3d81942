package nights

import (
	"math/big"

	"github.com/tacet-privacy/tacet/pipeline/verify/book"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/replay"
	"github.com/tacet-privacy/tacet/pipeline/verify/verdict"
)

// tried is how many outputs of all releases together are tried.
const tried = 100_000

// checkFresh recomputes what releases without record ids tell together, each
// a new draw of every record: over all outputs where they are few, else within
// what one release tells and the closed bound that docs/series.md gives.
func (n *nights) checkFresh(r *book.Release) {
	const name = "reserved worst case"
	if r.Key != "" || n.Rows == nil {
		return
	}
	var plans []*replay.Plan
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
	var w verdict.Faults
	if most, all := together(plans); all {
		w.Match(r.Claim.Label == "exact" && claim.Cmp(most) == 0 || r.Claim.Label == "bound" && claim.Cmp(most) >= 0, "the largest factor of all outputs together")
		n.Settle(name, w, "%d releases, each a draw of its own: %s, over all their outputs", len(plans), ratText(most))
		return
	}
	if claim.Cmp(ceilingOf(plans[0])) > 0 {
		w.Addf("it is more than any outputs can tell")
	}
	n.Settle(name, w, "%d releases, each a draw of its own: between what one tells and what any outputs can; their outputs are too many to try all", len(plans))
}

// together is the largest factor over the outputs of all plans; all is false
// where they are too many. Outputs of one design are tried in one order.
func together(plans []*replay.Plan) (most *big.Rat, all bool) {
	var channels []replay.Channel
	for _, p := range plans {
		channels = append(channels, replay.Channel{Plan: p})
	}
	w := replay.NewWorld(channels)
	var peak replay.Peak
	left := tried
	var walk func(s *replay.State, at, from int)
	walk = func(s *replay.State, at, from int) {
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
func ceilingOf(p *replay.Plan) *big.Rat {
	total, least := int64(0), int64(0)
	for _, c := range p.Count {
		if total += c; c > 0 && (least == 0 || c < least) {
			least = c
		}
	}
	return big.NewRat(total, max(least, 1))
}
