package oracle_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/claim"
)

// checkRisk holds a row of the table of risks to its observer: times is no less than the
// largest factor, and before and after are the chances of a guess that becomes so much likelier.
func (r *release) checkRisk(t *testing.T, c claim.Claim, truth *big.Rat, seen map[string]int) {
	t.Helper()
	k := c.Risk
	if k == nil || k.Least || truth == nil {
		return
	}
	seen["risk"]++
	most, _ := truth.Float64()
	if !(k.Times >= most*(1-1e-12)) && k.Times != 0 {
		t.Errorf("%s: at most %v times as likely is told; the observer finds %v", c.Key, k.Times, most)
	}
	if k.Before == 0 || c.Relative != claim.ThisFile && c.Relative != claim.PlanData ||
		c.Observer != claim.SeesCell && c.Observer != claim.MissesStratum {
		return
	}
	seen["chances"]++
	found := false
	beliefs(r.rows(r.about(c)), func(before, after *big.Rat) {
		b, _ := before.Float64()
		a, _ := after.Float64()
		found = found || math.Abs(b-k.Before) <= 1e-9 && math.Abs(a-k.After) <= 1e-9 && a >= b*most*(1-1e-9)
	})
	if !found {
		t.Errorf("%s: no guess goes from %v to %v, %v times as likely", c.Key, k.Before, k.After, most)
	}
}
