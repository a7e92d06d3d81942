package kernel

import "io"

// Designed reads the mechanisms of a plan that is not the release's own, and holds them to
// the hashes of the plan; nil where they are not there.
func Designed(plan, order []byte, weights io.Reader) (*Plan, []Group) {
	read, err := ReadPlan(plan, "the plan")
	if err != nil {
		return nil, nil
	}
	p := &proof{Release: &Release{PlanData: plan, Plan: read, OrderData: order, Weights: weights,
		Claimed: Claimed{Followed: true}}, Facts: &Facts{}, Result: &Result{}}
	p.hashes()
	prior, records, ok := p.counts()
	if !p.letters() || !ok {
		return nil, nil
	}
	p.Records = records
	p.utilities()
	if laws, ok := p.laws(); ok {
		p.designHash(laws)
		p.groups(laws, prior, records)
	}
	if len(p.Failed()) > 0 {
		return nil, nil
	}
	return read, p.Groups
}
