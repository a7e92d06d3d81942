package account

import (
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// TestEarlierRowsLeaveNoFigures: where a row shows an earlier draw, nothing is stated of
// persons that takes what every row was drawn from.
func TestEarlierRowsLeaveNoFigures(t *testing.T) {
	r := &report.Report{Records: 10, Letters: 2}
	r.Persons = &report.Persons{Persons: 3, Factor: "2", Nats: new(.7), Bound: new(false)}
	showEarlier(r, &report.Shown{Rows: 1, Factor: "1"})
	if *r.Persons != (report.Persons{Persons: 3}) {
		t.Errorf("%+v", r.Persons)
	}
}
