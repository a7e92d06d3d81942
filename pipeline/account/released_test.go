package account

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// TestEarlierRowsLeaveNoFigures: where a row shows an earlier draw, no figure
// stands in report.json that takes what every row was drawn from.
func TestEarlierRowsLeaveNoFigures(t *testing.T) {
	of := func(earlier int64) string {
		r := &report.Report{Records: 10, Letters: 2, Warnings: []string{},
			Scale: report.Scale{Commonest: 1, Rarest: 2, Uncapped: new(1), UncappedRow: new(.5), Certain: new(0),
				CertainRow: new(0.)}}
		r.Persons = &report.Persons{Persons: 3, Factor: "2", Nats: new(.7), Bound: new(false)}
		r.History.Series = &report.Series{Published: &report.Published{Drawn: 10 - earlier, Held: &report.Shown{Rows: earlier,
			Factor: "1"}}}
		released(r)
		var b bytes.Buffer
		if err := r.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	all, mixed := of(0), of(1)
	for _, key := range []string{"uncapped_letters", "uncapped_share", "certain_letters", "certain_share", "bound"} {
		if !strings.Contains(all, `"`+key+`"`) {
			t.Errorf("%s is missing where all rows are drawn anew", key)
		}
		if strings.Contains(mixed, `"`+key+`"`) {
			t.Errorf("%s is stated where a row shows an earlier draw", key)
		}
	}
}
