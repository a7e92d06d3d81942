package decide

import (
	"math"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/plan"
	"github.com/tacet-privacy/tacet/pipeline/utility"
)

// ballPlan is a plan with the column (1, .1, 0) over 5, 55 and 40 records,
// bounded by the ball. At delta = 6 exp(-4.5) its radius is .3.
func ballPlan(t *testing.T) *plan.Plan {
	t.Helper()
	p := &plan.Plan{Inputs: utility.Letters{Label: []string{"a", "b", "c"}},
		Outputs:    utility.Letters{Label: []string{"a", "b"}},
		Population: &plan.Population{Delta: "0.06665397923", Rules: []string{byBall}, Letters: 3, Domain: "declared"}}
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
	p.Redraw(plan.Group{Prior: p.Prior, Mechanism: m})
	return p
}

// A column with a zero stays finite although half the radius is more than the
// letter holds that gives it always: -log .045, where -log(e^-l - .15) has no
// value.
func TestBallStaysFinite(t *testing.T) {
	b := Populate(ballPlan(t), nil, "")
	if b == nil || !b.Bounded || b.Rule != byBall || !(math.Abs(b.Nats+math.Log(.045)) <= 1e-6) {
		t.Fatalf("%+v, want 3.10", b)
	}
	if r := b.Rules[0]; !(math.Abs(r.Radius-.3) <= 1e-9) || r.Output == nil || r.Output.Text != "a" {
		t.Errorf("%+v", r)
	}
}

// Rules of which the least counts share delta, and no more than delta.
func TestRulesShareDelta(t *testing.T) {
	p := ballPlan(t)
	p.Population.Rules = []string{byBall, byLetters}
	b := Populate(p, &p.Prior, "")
	total := 0.0
	for _, r := range b.Rules {
		total += r.Delta
		if !r.Bounded || r.Nats < b.Nats {
			t.Errorf("%+v beside the least, %v", r, b.Nats)
		}
	}
	if len(b.Rules) != 3 || b.Rules[2].Rule != bySplit || !(math.Abs(total-.06665397923) <= 1e-12) {
		t.Errorf("%+v share %v", b.Rules, total)
	}
}
