package law

import (
	"math/big"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/subject"
	"github.com/tacet-privacy/tacet/pipeline/verify/verdict"
)

// A plan whose factor, share, target and epsilon do not go together fails.
func TestHeadroomHeld(t *testing.T) {
	for _, c := range []struct {
		epsilon, share, Target, factor, option string
		want                                   verdict.Outcome
	}{
		{"log(2)", "1/10", "log(20/11)", "20/11", "", verdict.Passed},
		{"log(2)", "1/10", "log(20/11)", "3/2", "10%", verdict.Passed},
		{"1", "1/10", "log(247/100)", "2", "0.1", verdict.Passed},
		{"1", "1/10", "log(248/100)", "2", "", verdict.Failed},
		{"log(2)", "1/10", "log(20/11)", "21/11", "", verdict.Failed},
		{"log(2)", "1/10", "log(19/11)", "3/2", "", verdict.Failed},
		{"log(2)", "1/5", "log(20/11)", "3/2", "", verdict.Failed},
		{"log(2)", "1/10", "log(20/11)", "3/2", "20%", verdict.Failed},
		{"log(2)", "1/10", "0.5", "3/2", "", verdict.Failed},
		{"log(2)", "-1/10", "log(20/9)", "3/2", "", verdict.Failed},
		{"log(2)", "0", "log(2)", "3/2", "", verdict.Failed},
	} {
		v := &subject.View{Report: &document.Report{}, Plan: &document.Plan{Headroom: &document.PlanHeadroom{Share: c.share, Target: c.Target}}}
		v.Plan.Epsilon.Target, v.Report.Design.Spare = c.epsilon, c.share
		v.Most, _ = new(big.Rat).SetString(c.factor)
		v.Report.Options = append(v.Report.Options, struct {
			Name   string `json:"name"`
			Value  string `json:"value"`
			Origin string `json:"origin"`
		}{"headroom", c.option, "flag"})
		CheckHeadroom(v)
		if len(v.Checks) != 1 || v.Checks[0].Outcome != c.want {
			t.Errorf("%v: %v", c, v.Checks)
		}
	}
}
