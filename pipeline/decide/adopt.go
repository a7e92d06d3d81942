package decide

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// Adopt gives letters that a plan with OTHER does not have the row of OTHER.
// What the plan leaks relative to its counts is the same.
func Adopt(p *plan.Plan, d *count.Domain) (*plan.Plan, error) {
	if p.Other == nil || p.Empty() {
		return p, nil
	}
	var fresh []string
	for _, x := range d.Lacking(p) {
		if x < len(d.Letters.Label) { // null is never drawn like another
			fresh = append(fresh, d.Letters.Label[x])
		}
	}
	if len(fresh) == 0 {
		return p, nil
	}
	n, none := len(p.Inputs.Label), make([]int64, len(fresh))
	to := make([]int, p.Inputs.Len())
	for x := range to {
		to[x] = x
	}
	to = slices.Insert(to, n, slices.Repeat([]int{slices.Index(p.Inputs.Label, p.Other.Label)}, len(fresh))...)
	q, groups, laws, err := *p, slices.Clone(p.Groups), newAlike(to), error(nil)
	q.Inputs.Label, q.Order = slices.Concat(p.Inputs.Label, fresh), folded{p.Order, to}
	if p.Pi != nil {
		q.Pi = slices.Insert(slices.Clone(p.Pi), n, none...)
	}
	for i := range groups {
		g := &groups[i]
		for _, c := range []*mechanism.Prior{&g.Prior, &g.Sample} {
			if *c, err = mechanism.NewPrior(slices.Insert(c.Counts(), n, none...)); err != nil {
				return nil, err
			}
		}
		if g.Mechanism, err = laws.law(g.Mechanism); err != nil {
			return nil, err
		}
	}
	if err := q.Recount(groups); err != nil {
		return nil, err
	}
	if q.OrderCSV, err = utility.CSV(&utility.Result{Order: q.Order, Inputs: q.Inputs, Outputs: q.Outputs}); err != nil {
		return nil, err
	}
	q.Spec.Ties = mechanism.Tied(q.Order)
	sum := sha256.Sum256(q.OrderCSV)
	q.Spec.SHA256, q.Spec.Load = hex.EncodeToString(sum[:]), "matrix:"+plan.OrderFile
	other := *p.Other
	if other.Extends == "" {
		other.Extends = p.Hash
	}
	other.Adopted = slices.Concat(other.Adopted, fresh)
	q.Other = &other
	q.DesignHash = q.HashDesign()
	return &q, nil
}
