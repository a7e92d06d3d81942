package page

import (
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// TestRecoveredOrder: the largest shares stand first, and of ranges those published most,
// not those of which least is known.
func TestRecoveredOrder(t *testing.T) {
	share := .3
	p := Recovered{Column: "x", Bars: []RecoveredBar{
		{Label: report.Label{Text: "unknown"}, Published: .1, High: 1},
		{Label: report.Label{Text: "told"}, Published: .2, Share: &share, Low: .2, High: .4},
		{Label: report.Label{Text: "common"}, Published: .7, Low: .1, High: .2},
	}}
	var svg strings.Builder
	if err := p.WriteSVG(&svg); err != nil {
		t.Fatal(err)
	}
	last := -1
	for _, name := range []string{">common<", ">told<", ">unknown<"} {
		at := strings.Index(svg.String(), name)
		if at <= last {
			t.Errorf("%s stands at %d, after %d", name, at, last)
		}
		last = at
	}
}
