package design

import (
	"math"
	"testing"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/mechtest"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
)

// identity is the letter of equal number.
func identity(n int) []int {
	same := make([]int, n)
	for x := range same {
		same[x] = x
	}
	return same
}

// Preferring unchanged records leaves floor and epsilon and changes no fewer
// than any other design; the values stay in the evidence.
func TestDesignPrefersUnchanged(t *testing.T) {
	p, o := mechtest.Plane(30)
	kept := mechanism.MatchWeights(identity(30))
	gained := false
	for _, eps := range []string{"0.9", "1.7", "2.5"} {
		for _, kind := range []string{"auto", "optimal"} {
			g := Goal{Epsilon: mechtest.Epsilon(eps), Kind: kind}
			m, ev := mustDesign(t, p, o, g)
			if ev.Weighted != ev.ExpectedUtility {
				t.Errorf("%s at %s: %v and %v without weights", kind, eps, ev.Weighted, ev.ExpectedUtility)
			}
			g.Weights = kept
			n, with := mustDesign(t, p, o, g)
			before, after := m.ExpectedWeight(p, kept), n.ExpectedWeight(p, kept)
			if with.Floor != ev.Floor || !(after >= before-1e-6) || with.Weighted != after ||
				!(math.Abs(with.ExpectedUtility-n.ExpectedUtility(p, o)) <= 1e-12) {
				t.Errorf("%s at %s: %v and %v unchanged at %v and %v", kind, eps, before, after, ev.Floor, with.Floor)
			}
			if with.UtilityUpperBound < with.ExpectedUtility {
				t.Errorf("%s at %s: mean %v above its bound %v", kind, eps, with.ExpectedUtility,
					with.UtilityUpperBound)
			}
			gained = gained || after > before+.01
			if with.Worth == nil {
				continue
			}
			if v, _ := with.Worth.Lower.Float64(); !(math.Abs(v-after) <= 1e-12) || with.UtilityGap > 1e-6 {
				t.Errorf("%s at %s: worth %v of %v, gap %v", kind, eps, v, after, with.UtilityGap)
			}
			at := optimum.Problem{Prior: p, Support: mechanism.SupportOf(o, with.Floor)}
			if err := with.Worth.Verify(at, g.Epsilon.Factor(), nil, kept); err != nil {
				t.Error(err)
			}
		}
	}
	if !gained {
		t.Error("the weights changed nothing")
	}
}
