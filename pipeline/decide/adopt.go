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
	known := map[string]bool{}
	for _, l := range p.Inputs.Label {
		known[l] = true
	}
	var fresh []string
	for x, l := range d.Letters.Label {
		if !known[l] && d.Prior.Count(x) > 0 {
			fresh = append(fresh, l)
		}
	}
	if len(fresh) == 0 {
		return p, nil
	}
	q, n := *p, len(p.Inputs.Label)
	q.Inputs.Label = slices.Concat(p.Inputs.Label, fresh)
	to := make([]int, 0, q.Inputs.Len())
	for x := range n {
		to = append(to, x)
	}
	other := slices.Index(p.Inputs.Label, p.Other.Label)
	for range fresh {
		to = append(to, other)
	}
	if p.Inputs.Null {
		to = append(to, n)
	}
	return &q, extend(&q, p, to, fresh)
}

// extend fills in what follows from the letters of q, which take the rows of
// p that to names.
func extend(q, p *plan.Plan, to []int, fresh []string) (err error) {
	take := func(count func(int) int64) []int64 {
		out := make([]int64, len(to))
		for x := range to {
			if x < len(p.Inputs.Label) || x == len(to)-1 && p.Inputs.Null {
				out[x] = count(to[x])
			}
		}
		return out
	}
	if q.Prior, err = mechanism.NewPrior(take(p.Prior.Count)); err != nil {
		return err
	}
	if p.Of != "" {
		if q.Sample, err = mechanism.NewPrior(take(p.Sample.Count)); err != nil {
			return err
		}
	}
	if p.Pi != nil {
		q.Pi = take(func(x int) int64 { return p.Pi[x] })
	}
	q.Order = count.Folded{Order: p.Order, To: to}
	groups, laws := slices.Clone(p.Groups), count.NewWidening(to)
	for i := range groups {
		g := &groups[i]
		if g.Prior, err = mechanism.NewPrior(take(g.Prior.Count)); err != nil {
			return err
		}
		if p.Of != "" {
			if g.Sample, err = mechanism.NewPrior(take(g.Sample.Count)); err != nil {
				return err
			}
		}
		if g.Mechanism, err = laws.Of(g.Mechanism); err != nil {
			return err
		}
		g.Leakage = g.Mechanism.Leakage(g.Prior)
	}
	q.Redraw(groups...)
	if q.OrderCSV, err = utility.CSV(&utility.Result{Order: q.Order, Inputs: q.Inputs, Outputs: q.Outputs}); err != nil {
		return err
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
	return nil
}
