package decide

import (
	"context"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/request"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// TestRareValuesOfStrata: values that are drawn alike have other shares of their
// records in the strata, and whoever does not know the stratum is held to epsilon
// for each of them. Here one of two is all in one stratum, so that a mechanism that
// keeps epsilon for both together need not keep it for each.
func TestRareValuesOfStrata(t *testing.T) {
	for _, c := range []struct {
		factor string
		strata [][]int64
	}{{"19/5", [][]int64{{16, 21, 7, 0}, {32, 23, 0, 7}}}, {"4", [][]int64{{17, 16, 7, 0}, {8, 29, 0, 5}}}} {
		o := &request.Options{Column: "x", Utility: "ordered:a,b,c,d", MaxFactor: c.factor, MinCount: 8, Other: "c",
			Strata: "s"}
		asked, err := o.Decision()
		if err != nil {
			t.Fatal(err)
		}
		d := &count.Domain{Letters: utility.Letters{Label: []string{"a", "b", "c", "d"}},
			By: plan.Given{Column: "s"}}
		all := make([]int64, 4)
		for _, counts := range c.strata {
			prior, err := mechanism.NewPrior(counts)
			if err != nil {
				t.Fatal(err)
			}
			d.Groups = append(d.Groups, plan.Group{Prior: prior, Sample: prior})
			for x, n := range counts {
				all[x] += n
			}
		}
		if d.Prior, err = mechanism.NewPrior(all); err != nil {
			t.Fatal(err)
		}
		d.Sample = d.Prior
		p, err := Plan(context.Background(), asked, d)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Other.Merged) != 1 || !p.Epsilon.Admits(p.Factor()) {
			t.Errorf("strata %v: factor %v above %s, %d values are drawn alike", c.strata, p.Factor(), c.factor,
				len(p.Other.Merged))
		}
	}
}
