package page

import (
	"fmt"
	"io"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/report/view"
)

// JointSummary writes what several private columns tell together.
func JointSummary(w io.Writer, j *report.Joint) error {
	if _, err := fmt.Fprintln(w, "all columns together"); err != nil {
		return err
	}
	lines := []view.Sentence{{Head: "together", Body: togetherOf(j)}}
	for _, words := range j.Words[1:] {
		lines = append(lines, view.Sentence{Head: "note", Body: words})
	}
	return view.Lead(w, lines)
}

// togetherOf is the joint leakage as a clause.
func togetherOf(j *report.Joint) string {
	s := fmt.Sprintf("all %d columns of one record together: at most %s times as often (epsilon %s, rounded up%s)", len(j.Columns), times(j.Factor, j.Nats), nats(j.Nats), exactly(j.Factor))
	if !j.Exact {
		s += "; this is a bound, the exact figure is not known"
	}
	return s + "."
}

// together is what the column tells with the other private columns of the run.
func together(r *report.Report) view.Section {
	j := r.Joint
	if j == nil {
		return view.Section{}
	}
	s := view.Section{ID: "joint", Title: "Columns together", Brief: togetherOf(j), Notes: j.Words, Fields: []view.Sentence{
		field("together", "%s nats, rounded up (factor %s)", nats(j.Nats), short(j.Factor)),
		field("how", "%s", j.Rule),
		field("relative to", "the %d combinations of values that occur in %d records; the rarest has %d", j.Combinations, j.Records, j.Smallest),
		field("added up", "%s nats: the sum of the columns' own, which is no bound", nats(j.Added)),
	}}
	if j.Target != "" {
		s.Fields = append(s.Fields, field("asked for", "%s for all columns together; epsilons scaled by %s", j.Target, j.Scale))
	}
	alone := view.Table{Caption: "Each column alone", Head: []string{"column", "asked for", "epsilon", "factor"}, Numeric: []bool{false, true, true, true}}
	for _, c := range j.Columns {
		alone.Rows = append(alone.Rows, []string{quoted(c.Column), c.Target, nats(c.Nats), short(c.Factor)})
	}
	s.Tables = append(s.Tables, alone)
	if w := j.Worst; w != nil {
		t := view.Table{Caption: "Who learns most: whoever sees these outputs of one record", Head: []string{"guess", "records", "before", "after", "factor"}, Numeric: []bool{false, true, true, true, true}}
		for _, g := range w.Guesses {
			t.Rows = append(t.Rows, []string{labels(g.Guess), fmt.Sprint(g.Records), percent(g.Before), percent(min(1, g.After)), short(g.Factor)})
		}
		s.Notes = append(slices.Clone(s.Notes), w.Words)
		s.Fields = append(s.Fields, field("outputs that tell most", "%s", labels(w.Output)))
		s.Tables = append(s.Tables, t)
	}
	if len(j.Columns) > 2 {
		t := view.Table{Caption: "Pairs, for explanation only", Head: []string{"columns", "epsilon", "factor"}, Numeric: []bool{false, true, true}}
		for _, p := range j.Pairs {
			t.Rows = append(t.Rows, []string{quoted(p.Columns[0]) + ", " + quoted(p.Columns[1]), nats(p.Nats), short(p.Factor)})
		}
		s.Tables = append(s.Tables, t)
	}
	return s
}

func labels(list []report.Label) string {
	s := ""
	for i, l := range list {
		if i > 0 {
			s += ", "
		}
		s += show(l)
	}
	return s
}
