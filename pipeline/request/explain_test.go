package request

import (
	"strings"
	"testing"
)

// TestFactors: what is said of a factor is factor times the chance, and at most always.
func TestFactors(t *testing.T) {
	all := strings.Join(factors(), "\n")
	for _, want := range []string{"--max-factor 3/2  or  --epsilon 'log(3/2)'     1.5   7.5    30\n",
		"--max-factor 4  or  --epsilon 'log(4)'           4    20    80\n",
		"--max-factor 20  or  --epsilon 'log(20)'        20   100   100\n"} {
		if !strings.Contains(all, want) {
			t.Errorf("no line %q in\n%s", want, all)
		}
	}
}

func TestReportOf(t *testing.T) {
	for output, want := range map[string]string{"": "", "out.parquet": "out.report", "a.b/out": "a.b/out.report",
		"a.b/out.x.arrow": "a.b/out.x.report"} {
		if got := ReportOf(output); got != want {
			t.Errorf("the report of %q is in %q, want %q", output, got, want)
		}
	}
}

// TestMeant: a name that is like one, or a part of it, is proposed; another is not.
func TestMeant(t *testing.T) {
	names := []string{"run", "report", "epsilon", "max-factor", "floor-rank", "total-epsilon"}
	for written, want := range map[string]string{"rnu": "run", "reprot": "report", "eps": "epsilon",
		"factor": "max-factor", "FLOOR_RANK": "floor-rank", "xyz": "", "frobnicate": "", "q": "", "": ""} {
		if got := Meant(written, names); got != want {
			t.Errorf("for %q %q is proposed, want %q", written, got, want)
		}
	}
}
