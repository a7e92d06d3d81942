package mechanism

import (
	"math/big"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
)

// A plan whose factor, share, target and epsilon do not go together fails.
func TestHeadroomHeld(t *testing.T) {
	for _, c := range []struct {
		epsilon, share, Target, factor, option string
		want                                   document.Outcome
	}{
		{"log(2)", "1/10", "log(20/11)", "20/11", "", document.Passed},
		{"log(2)", "1/10", "log(20/11)", "3/2", "10%", document.Passed},
		{"1", "1/10", "log(247/100)", "2", "0.1", document.Passed},
		{"1", "1/10", "log(248/100)", "2", "", document.Failed},
		{"log(2)", "1/10", "log(20/11)", "21/11", "", document.Failed},
		{"log(2)", "1/10", "log(19/11)", "3/2", "", document.Failed},
		{"log(2)", "1/5", "log(20/11)", "3/2", "", document.Failed},
		{"log(2)", "1/10", "log(20/11)", "3/2", "20%", document.Failed},
		{"log(2)", "1/10", "0.5", "3/2", "", document.Failed},
		{"log(2)", "-1/10", "log(20/9)", "3/2", "", document.Failed},
		{"log(2)", "0", "log(2)", "3/2", "", document.Failed},
	} {
		v := document.NewView(&document.Report{Node: document.NodeOf(map[string]any{
			"design": map[string]any{"headroom": c.share}, "options": []any{map[string]any{"name": "headroom",
				"value": c.option}}})})
		v.Plan.Headroom = &document.PlanHeadroom{Share: c.share, Target: c.Target}
		v.Plan.Epsilon.Target = c.epsilon
		v.Most, _ = new(big.Rat).SetString(c.factor)
		CheckHeadroom(v)
		if len(v.Checks) != 1 || v.Checks[0].Outcome != c.want {
			t.Errorf("%v: %v", c, v.Checks)
		}
	}
}
