package decide

import (
	"context"
	"math/big"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/count"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/request"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// stratified has the records of strata by letter.
func stratified(t *testing.T, label []string, strata [][]int64) *count.Domain {
	t.Helper()
	d := &count.Domain{Letters: utility.Letters{Label: label}, By: plan.Given{Column: "s"}}
	all := make([]int64, len(label))
	for _, counts := range strata {
		prior, err := mechanism.NewPrior(counts)
		if err != nil {
			t.Fatal(err)
		}
		d.Groups = append(d.Groups, plan.Group{Prior: prior, Sample: prior})
		for x, n := range counts {
			all[x] += n
		}
	}
	var err error
	if d.Prior, err = mechanism.NewPrior(all); err != nil {
		t.Fatal(err)
	}
	d.Sample = d.Prior
	return d
}

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
		d := stratified(t, []string{"a", "b", "c"}, [][]int64{{60, 30, 10}, {20, 30, 50}})
		if merged != "" {
			d.Rare, d.Merged = request.Rare{Other: "c", MinCount: 8}, []string{merged}
		}
		p, err := Plan(context.Background(), asked, d)
		if err != nil {
			t.Fatal(err)
		}
		if p.Given.Rule != rule || (p.Rest() == 2) != (merged != "") {
			t.Errorf("merged %q: mechanisms are %s, and other values are letter %d", merged, p.Given.Rule, p.Rest())
		}
	}
}

// TestManyStrata: strata that are too many for mechanisms of their own, where one for all would
// do, get them where none does; one for all leaves each stratum room below the limit of the shift.
func TestManyStrata(t *testing.T) {
	var strata [][]int64
	for s := range int64(260) {
		strata = append(strata, []int64{80, 80 + s%41, 80 + s%53})
	}
	for _, c := range []struct{ epsilon, shift, rule string }{{"0.3", "5%", plan.Apart}, {"1", "5%", plan.Shared},
		{"1", "30%", plan.Shared}} {
		o := &request.Options{Column: "x", Utility: "ordered:a,b,c", Epsilon: c.epsilon, Strata: "s", MaxShift: c.shift}
		asked, err := o.Decision()
		if err != nil {
			t.Fatal(err)
		}
		p, err := Plan(context.Background(), asked, stratified(t, []string{"a", "b", "c"}, strata))
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		if p.Given.Rule != c.rule {
			t.Errorf("%+v: mechanisms are %s", c, p.Given.Rule)
		}
		e, _ := mechanism.ParseEpsilon(c.epsilon)
		limit, _ := new(big.Rat).SetString(map[string]string{"5%": "1/20", "30%": "3/10"}[c.shift])
		for i, g := range p.Groups {
			if f := g.Mechanism.Factor(g.Prior); !e.Admits(f) {
				t.Fatalf("%+v: stratum %d has the factor %v", c, i+1, f)
			}
			if d := g.Mechanism.Shares(g.Sample, plan.Stands(p.Inputs, p.Outputs)).Shift; d.Cmp(limit) > 0 {
				t.Fatalf("%+v: stratum %d is shifted by %v", c, i+1, d)
			}
		}
	}
}
