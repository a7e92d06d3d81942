package verify

import (
	"math/big"
	"slices"
	"testing"
)

// A plan whose factor, share, target and epsilon do not go together fails.
func TestHeadroomHeld(t *testing.T) {
	for _, c := range []struct {
		epsilon, share, target, factor, option string
		want                                   Outcome
	}{
		{"log(2)", "1/10", "log(20/11)", "20/11", "", Passed},
		{"log(2)", "1/10", "log(20/11)", "3/2", "10%", Passed},
		{"1", "1/10", "log(247/100)", "2", "0.1", Passed},
		{"1", "1/10", "log(248/100)", "2", "", Failed},
		{"log(2)", "1/10", "log(20/11)", "21/11", "", Failed},
		{"log(2)", "1/10", "log(19/11)", "3/2", "", Failed},
		{"log(2)", "1/5", "log(20/11)", "3/2", "", Failed},
		{"log(2)", "1/10", "log(20/11)", "3/2", "20%", Failed},
		{"log(2)", "1/10", "0.5", "3/2", "", Failed},
		{"log(2)", "-1/10", "log(20/9)", "3/2", "", Failed},
		{"log(2)", "0", "log(2)", "3/2", "", Failed},
	} {
		v := &verifier{report: &reportFile{}, plan: &planFile{Headroom: &planHeadroom{c.share, c.target}}}
		v.plan.Epsilon.Target, v.report.Design.Spare = c.epsilon, c.share
		v.most, _ = new(big.Rat).SetString(c.factor)
		v.report.Options = append(v.report.Options, struct {
			Name   string `json:"name"`
			Value  string `json:"value"`
			Origin string `json:"origin"`
		}{"headroom", c.option, "flag"})
		v.checkHeadroom()
		if len(v.Checks) != 1 || v.Checks[0].Outcome != c.want {
			t.Errorf("%v: %v", c, v.Checks)
		}
	}
}

func TestShares(t *testing.T) {
	for text, want := range map[string]string{"10%": "1/10", "0.1": "1/10", ".5": "1/2", "1/3": "1/3", "7": "7", "1/0": "", "-1": "", "1e3": "", "%": "", "": ""} {
		got, ok := shareOf(text)
		if ok != (want != "") || ok && got.RatString() != want {
			t.Errorf("%q is %v", text, got)
		}
	}
}

func TestSmoothedCounts(t *testing.T) {
	if got, ok := smoothed([]int64{3, 0}, "1/2"); !ok || !slices.Equal(got, []int64{7, 1}) {
		t.Errorf("%v", got)
	}
	if got, ok := smoothed([]int64{1 << 46}, "1/2"); ok {
		t.Errorf("%v", got)
	}
}
