package page

import (
	"fmt"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// strata is the reading of the promise stratum by stratum.
func strata(r *report.Report) report.Section {
	s := r.Strata
	if s == nil {
		return report.Section{}
	}
	t := report.NewTable("What one output tells whoever knows the stratum, exactly", "strata", "#records", "#values",
		"#epsilon", "#factor", "worst output", "#floor", "#mean", "#shares off by")
	for _, g := range s.Groups {
		t.Add(say("stratum", g), fmt.Sprint(g.Records), fmt.Sprint(g.Letters), nats(g.Nats), short(g.Factor), show(g.Output),
			fmt.Sprintf("rank %d", g.Rank), measured(g.Expected, r.Utility.Unit), points(g.Shift))
	}
	return section("strata", r, t)
}
