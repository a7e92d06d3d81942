package account

import (
	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// noDraw says why a figure of this release's mechanism is not there.
const noDraw = "no record was drawn anew"

// earlierNames says which rows may not be drawn anew, by what was asked for
// and not by what was found, so that everybody may read it.
func earlierNames(r *report.Report) (names []string) {
	s := r.History.Series
	if s == nil || s.Published == nil {
		return nil
	}
	switch {
	case s.Night == 1:
	case s.OnChange == "hold":
		names = []string{"a record that was released before shows its first output again, whatever its value is now"}
	case s.Budget != "":
		names = []string{"a record shows its last output again where a draw would pass the total"}
	}
	return names
}

// drawnOf are the records that claims about this release's mechanism are about.
func drawnOf(r *report.Report) claim.Records {
	records := recordsOf(r)
	switch {
	case len(earlierNames(r)) == 0:
		return records
	case records == claim.Valued:
		return claim.DrawnValued
	}
	return claim.Drawn
}

// noneDrawn reports that all rows are of earlier draws.
func noneDrawn(r *report.Report) bool {
	s := r.History.Mixed()
	return s != nil && s.Drawn == 0
}

// earlierPromise is what is promised of rows that are not drawn anew: a run
// in which they would tell more than epsilon ends without a release.
func earlierPromise(r *report.Report) (claim.Value, bool) {
	v := about(claim.Promised, claim.Leakage, claim.SeesRow, claim.FirstPlan, claim.Earlier)
	v.Facts = claim.Facts{Column: r.Column, Asked: r.Epsilon.Target, Names: earlierNames(r)}
	v.Figure = &claim.Figure{Times: r.Most}
	return v, len(v.Names) > 0
}

func earlierFloor(r *report.Report) (claim.Value, bool) {
	v := about(claim.Nothing, claim.Floor, claim.Anyone, claim.NoPrior, claim.Earlier)
	v.Names = earlierNames(r)
	return v, len(v.Names) > 0
}

// heldLeakage is what the rows tell that are not drawn anew: where records show their
// first output, exactly what that draw told; else a bound.
func heldLeakage(r *report.Report) (claim.Value, bool) {
	v := about(claim.Told, claim.Leakage, claim.SeesRow, claim.FirstPlan, claim.Held)
	m := r.History.Mixed()
	if m == nil {
		return v, false
	}
	s := m.Held
	v.Figure = &claim.Figure{Factor: s.Factor, Nats: s.Nats, Count: s.Rows,
		Exact: r.History.Series.OnChange == "hold" && s.Factor != ""}
	if s.Visible > 0 {
		v.Note = report.Several(s.Visible, "of the records", "of the records") +
			" changed visibly, and nothing bounds what that tells"
	}
	return v, true
}

func heldFloor(r *report.Report) (claim.Value, bool) {
	v := about(claim.Told, claim.Floor, claim.Anyone, claim.NoPrior, claim.Held)
	m := r.History.Mixed()
	if m == nil || m.Held.Rank == 0 {
		return v, false
	}
	s := m.Held
	v.Figure = &claim.Figure{Rank: s.Rank, Of: r.Floor.Of, Count: s.Rows, Exact: true}
	if s.Forbidden > 0 {
		v.Note = report.Several(s.Forbidden, "row shows", "rows show") + " what the order forbids"
	}
	return v, true
}

func cumulative(r *report.Report) (claim.Value, bool) {
	s := r.History.Series
	if s == nil {
		return claim.Value{}, false
	}
	v := about(claim.Reached, claim.Cumulative, claim.SeesReleases, claim.FirstPlan, recordsOf(r))
	v.Note = s.Cumulative.Rule
	if c := s.Cumulative; c.Factor != "" {
		v.Figure = factorOf(c.Factor, c.Nats, c.Label == "exact")
	}
	return v, true
}

// changes is what no figure bounds where an output may change.
func changes(r *report.Report) (claim.Value, bool) {
	v := about(claim.Nothing, claim.Cumulative, claim.SeesChanges, claim.NoPrior, recordsOf(r))
	s := r.History.Series
	if s == nil || s.OnChange == "hold" {
		return v, false
	}
	if s.OnChange != "" {
		rule := map[string]string{"draw": "a changed value is drawn anew", "refuse": "a changed value ends a run"}
		v.Note = rule[s.OnChange] + "; only showing first outputs again covers that"
	}
	return v, true
}
