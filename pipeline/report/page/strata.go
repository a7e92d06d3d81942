package page

import (
	"fmt"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/report/view"
)

// promisedBy is what was asked for in a report, in words.
func promisedBy(r *report.Report) string {
	if r.Strata == nil {
		return promised(r.Column, r.Epsilon.Target)
	}
	return promisedGiven(r.Strata.Given(), r.Column, r.Epsilon.Target)
}

// promisedGiven is the promise to those who know the stratum, "" for none.
func promisedGiven(given, column, target string) string {
	if given == "" {
		return promised(column, target)
	}
	return "given " + brisk(given) + ", " + promised(column, target)
}

// strata is the reading of the promise stratum by stratum.
func strata(r *report.Report) view.Section {
	s := r.Strata
	if s == nil {
		return view.Section{}
	}
	t := view.Table{Caption: "What one output tells whoever knows the stratum, exactly",
		Head: []string{"strata", "records", "values", "epsilon", "factor", "worst output", "floor", "mean utility"}, Numeric: []bool{false, true, true, true, true, false, true, true}, Brief: 8}
	for _, g := range s.Groups {
		t.Rows = append(t.Rows, []string{stratumName(g), fmt.Sprint(g.Records), fmt.Sprint(g.Letters), nats(g.Nats), short(g.Factor), show(g.Output),
			fmt.Sprintf("rank %d", g.Rank), measured(g.Expected, r.Utility.Unit)})
	}
	weighed := view.Table{Caption: "Designs that were weighed", Head: []string{"design", "floor", "worst utility", "mean utility"}, Numeric: []bool{false, true, true, true}}
	for _, w := range s.Tried {
		row := []string{ruleOf(w.Rule), "none found within epsilon", "", ""}
		if w.Found {
			row = []string{ruleOf(w.Rule), fmt.Sprintf("rank %d", w.Rank), measured(w.Value, r.Utility.Unit), measured(w.Expected, r.Utility.Unit)}
		}
		weighed.Rows = append(weighed.Rows, row)
	}
	merged := "none"
	if s.Merged > 0 {
		merged = yes(s.Merged == 1, "1 stratum", fmt.Sprintf("%d strata", s.Merged)) + ", and any that are not in the plan"
	}
	out := view.Section{ID: "strata", Title: "Given " + brisk(s.Given()), Tables: []view.Table{t, weighed}, Fields: []view.Sentence{
		field("epsilon", "%s, the largest of %s", nats(r.Epsilon.Nats), count(len(s.Groups), "group")),
		field("whoever does not know the stratum", "epsilon %s, exactly", nats(s.Nats)),
		field("design", "%s", ruleOf(s.Rule)),
		field("merged, for fewer than "+fmt.Sprint(s.Min)+" records", "%s", merged),
	}, Notes: []string{"Each factor is relative to the frequencies of the stratum's own records. What the stratum itself tells of a record is not in it: that is in the section on columns published beside."}}
	out.Brief = fmt.Sprintf("epsilon %s in the worst of %s, %s for whoever does not know the stratum; %s", nats(r.Epsilon.Nats), count(len(s.Groups), "group"), nats(s.Nats), ruleOf(s.Rule))
	if c := floorCost(s); c != "" {
		out.Fields = append(out.Fields, field("cost in floor", "%s", c))
		out.Brief += "; " + c
	}
	return out
}

// floorCost compares the floor with that of a design without strata.
func floorCost(s *report.Strata) string {
	var none, best *report.Weighed
	for i := range s.Tried {
		switch w := &s.Tried[i]; {
		case w.Rule == "none" && w.Found:
			none = w
		case w.Rule == s.Rule:
			best = w
		}
	}
	switch {
	case none == nil || best == nil:
		return ""
	case none.Rank == best.Rank:
		return fmt.Sprintf("none in rank: %d with strata and without", best.Rank)
	}
	return fmt.Sprintf("rank %d without strata, %d with", none.Rank, best.Rank)
}

func ruleOf(rule string) string {
	switch rule {
	case "shared":
		return "one mechanism that keeps epsilon in every stratum"
	case "apart":
		return "a mechanism for each stratum"
	case "none":
		return "without strata"
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
