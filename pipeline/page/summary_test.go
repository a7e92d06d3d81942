package page

import (
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// The terminal says how many pairs of columns were judged where some were not.
func TestSummaryOfPairs(t *testing.T) {
	for _, c := range []struct {
		looked, possible int
		says             string
	}{{4950, 5050, "4950 of 5050 pairs"}, {10, 10, ""}} {
		var b strings.Builder
		r := &report.Report{Stated: report.Stated{Beside: report.Beside{Looked: c.looked, Possible: c.possible}}}
		if err := Summary(&b, []*report.Report{r}); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); c.says == "" == strings.Contains(got, "pairs") || !strings.Contains(got, c.says) {
			t.Errorf("%d of %d: %s", c.looked, c.possible, got)
		}
	}
}
