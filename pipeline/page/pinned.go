package page

import (
	"fmt"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// pinned says what became of the plan of an earlier night; the section is left
// out where there was none.
func pinned(r *report.Report) report.Section {
	p := r.Pinned
	if p == nil {
		return report.Section{}
	}
	s := report.Section{ID: "pinned", Title: "Plan of an earlier night", Fields: []report.Sentence{
		field("what became of it", "%s", yes(p.State == "followed", "it was followed",
			"it was replaced: this release is a redesign, drawn through another channel")),
		field("its sha256", "%s", p.Plan),
	}, Notes: []string{"That a night is stopped, that a plan is made anew and which one it is depend on the counts and " +
		"are outside epsilon."}}
	switch {
	case p.Lacking > 0:
		s.Fields = append(s.Fields, field("values of this file that it lacks", "%d", p.Lacking))
	case p.Factor == "":
		s.Fields = append(s.Fields, field("under the counts of this file", "%s", "as ever: no counts move it"))
	default:
		s.Fields = append(s.Fields, field("under the counts of this file", "%s nats, rounded up (factor %s)", nats(p.Nats),
			short(p.Factor)),
			field("room left", "%.2f %% of the factor%s", 100*p.Room, yes(p.Holds, "", ": it does not keep epsilon")))
	}
	if r.Design.Headroom != "" {
		s.Fields = append(s.Fields, field("headroom of the design", "shares of values may fall to 1/(1+%s) of what they were",
			r.Design.Headroom))
	}
	s.Brief = fmt.Sprintf("%s; stops, redesigns and the choice of the plan depend on the counts and are outside epsilon",
		yes(p.State == "followed", "the plan of an earlier night was followed",
			"a redesign: the plan of an earlier night was replaced"))
	return s
}
