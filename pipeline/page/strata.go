package page

import (
	"fmt"
	"strings"

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
		t.Add(stratumName(g), fmt.Sprint(g.Records), fmt.Sprint(g.Letters), nats(g.Nats), short(g.Factor), show(g.Output),
			fmt.Sprintf("rank %d", g.Rank), measured(g.Expected, r.Utility.Unit), points(g.Shift))
	}
	merged := "none"
	switch {
	case s.Merged == 1:
		merged = "any that are not in the plan would be"
	case s.Merged > 1:
		merged = fmt.Sprintf("%d strata, and any that are not in the plan", s.Merged)
	}
	out := report.Section{ID: "strata", Title: "Given " + brisk(s.Given()), Tables: []report.Table{t},
		Fields: []report.Sentence{
			field("design", "%s", ruleOf(s.Rule)),
			field("merged"+yes(s.Min > 0, ", for fewer than "+fmt.Sprint(s.Min)+" records", ""), "%s", merged),
			field("published beside it", "%s", yes(s.Published, "yes", "no")),
		}, Notes: []string{"Each factor is relative to the frequencies of the stratum's own records in the data of the " +
			"plan. What the stratum itself tells of a record is not in it."}}
	for _, key := range []string{"leakage.reached", "leakage.overall", "leakage.together", "leakage.stratum"} {
		if words := wordsOf(r.Claims, key); words != "" {
			out.Notes = append(out.Notes, words)
		}
	}
	out.Brief = fmt.Sprintf("%s; %s", count(len(s.Groups), "group"), ruleOf(s.Rule))
	return out
}

func ruleOf(rule string) string {
	switch rule {
	case "shared":
		return "one mechanism that keeps epsilon in every stratum"
	case "apart":
		return "a mechanism for each stratum"
	}
	return stated(rule)
}

// stratumName names up to three strata of a group.
func stratumName(g report.Stratum) string {
	var names []string
	for _, n := range g.Names[:min(3, len(g.Names))] {
		names = append(names, show(n))
	}
	s := strings.Join(names, ", ")
	if n := len(g.Names) - 3; n > 0 {
		s += fmt.Sprintf(" and %d more", n)
	}
	if g.Rest {
		s = strings.TrimSpace("all others: " + s)
	}
	return s
}
