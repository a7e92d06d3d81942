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

// TestRareValuesOfStrata: values that are counted as one have other shares of their records in
// the strata than that one. A mechanism for each stratum would be the better design here, and
// would tell whoever does not know the stratum more of a merged value than of their letter.
func TestRareValuesOfStrata(t *testing.T) {
	for merged, rule := range map[string]string{"": plan.Apart, "d": plan.Shared} {
		o := &request.Options{Column: "x", Utility: "ordered:a,b,c,d", MaxFactor: "3", Strata: "s"}
		asked, err := o.Decision()
		if err != nil {
			t.Fatal(err)
		}
		d := &count.Domain{Letters: utility.Letters{Label: []string{"a", "b", "c"}}, By: plan.Given{Column: "s"}}
		if merged != "" {
			d.Rare, d.Merged = request.Rare{Other: "c", MinCount: 8}, []string{merged}
		}
		all := make([]int64, 3)
		for _, counts := range [][]int64{{60, 30, 10}, {20, 30, 50}} {
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
		if p.Given.Rule != rule || (p.Rest() == 2) != (merged != "") {
			t.Errorf("merged %q: mechanisms are %s, and other values are letter %d", merged, p.Given.Rule, p.Rest())
		}
	}
}
