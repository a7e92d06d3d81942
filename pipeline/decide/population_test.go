package decide

import (
	"math"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// Rules of which the least counts share delta, and no more than delta.
func TestRulesShareDelta(t *testing.T) {
	p := &plan.Plan{Inputs: utility.Letters{Label: []string{"a", "b", "c"}},
		Outputs:    utility.Letters{Label: []string{"a", "b"}},
		Population: &plan.Population{Delta: "0.06", Rules: []string{byLetters}, Letters: 3, Domain: "declared"}}
	var err error
	if p.Prior, err = mechanism.NewPrior([]int64{5, 55, 40}); err != nil {
		t.Fatal(err)
	}
	m, err := mechanism.New(2, []mechanism.Row{
		mechanism.UniformRow([]uint16{0}), mechanism.WeightedRow([]uint16{0, 1}, []int64{1, 9}),
		mechanism.UniformRow([]uint16{1})})
	if err != nil {
		t.Fatal(err)
	}
	p.Sample = p.Prior
	p.Redraw(plan.Group{Prior: p.Prior, Sample: p.Prior, Mechanism: m})
	b := Populate(p, &p.Prior, "")
	total := 0.0
	for _, r := range b.Rules {
		total += r.Delta
		if !r.Bounded || r.Nats < b.Nats {
			t.Errorf("%+v beside the least, %v", r, b.Nats)
		}
	}
	if len(b.Rules) != 2 || b.Rules[1].Rule != bySplit || !(math.Abs(total-.06) <= 1e-12) {
		t.Errorf("%+v share %v", b.Rules, total)
	}
}
