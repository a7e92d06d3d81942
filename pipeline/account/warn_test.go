package account

import (
	"slices"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

func TestWarnsOfAnOpenGap(t *testing.T) {
	for gap, want := range map[float64]bool{0: false, 1e-7: false, 2e-3: true} {
		got := slices.ContainsFunc(warnings(&report.Report{Records: 5, Design: report.Design{UtilityGap: gap}}),
			func(s string) bool {
				return strings.Contains(s, "not proven to be the largest")
			})
		if got != want {
			t.Errorf("gap %v: warned %v", gap, got)
		}
	}
}
