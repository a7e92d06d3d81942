package page

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// JointSummary writes what several private columns tell together, as the report
// of any of them has it.
func JointSummary(w io.Writer, r *report.Report) error {
	if _, err := fmt.Fprintln(w, "all columns together"); err != nil {
		return err
	}
	lines := claimed(r.Claims, "joint")
	for _, words := range r.Joint.Words[1:] {
		lines = append(lines, report.Sentence{Head: "note", Body: words})
	}
	return report.Lead(w, lines)
}

// together is what the column tells with the other private columns of the run.
func together(r *report.Report) report.Section {
	j, claims := r.Joint, claimed(r.Claims, "joint")
	switch {
	case len(claims) == 0:
		return report.Section{}
	case public(r):
		return report.Section{ID: "joint", Title: "Columns together", Fields: claims, Brief: brief(claims)}
	}
	s := report.Section{ID: "joint", Title: "Columns together", Brief: wordsOf(r.Claims, "joint.reached"), Notes: j.Words,
		Fields: []report.Sentence{
			field("together", "%s nats, rounded up (factor %s)", nats(j.Nats), short(j.Factor)),
			field("how", "%s", j.Rule),
			field("relative to", "the %d combinations of values that occur in %d records; the rarest has %d", j.Combinations,
				j.Records, j.Smallest),
			field("added up", "%s nats: the sum of the columns' own, which is no bound", nats(j.Added)),
		}}
	s.Fields = slices.Concat(claims, s.Fields)
	if j.Target != "" {
		s.Fields = append(s.Fields, field("asked for", "%s for all columns together; epsilons scaled by %s", j.Target,
			j.Scale))
	}
	alone := report.NewTable("Each column alone", "column", "#asked for", "#epsilon", "#factor")
	for _, c := range j.Columns {
		alone.Add(quoted(c.Column), c.Target, nats(c.Nats), short(c.Factor))
	}
	s.Tables = append(s.Tables, alone)
	if w := j.Worst; w != nil {
		t := report.NewTable("Who learns most: whoever sees these outputs of one record", "guess", "#records",
			"#before", "#after", "#factor")
		for _, g := range w.Guesses {
			t.Add(labels(g.Guess), fmt.Sprint(g.Records), percent(g.Before), percent(min(1, g.After)),
				short(g.Factor))
		}
		s.Notes = append(slices.Clone(s.Notes), w.Words)
		s.Fields = append(s.Fields, field("outputs that tell most", "%s", labels(w.Output)))
		s.Tables = append(s.Tables, t)
	}
	if len(j.Presence) > 0 {
		t := report.NewTable("What nulls that stay tell of the value of another column: the largest factor by which "+
			"some guess becomes likelier, and in how many more records the best guess is right", "nulls of", "tell of",
			"#factor", "#epsilon", "#best guess: more")
		for _, p := range j.Presence {
			t.Add(list(p.By), quoted(p.Of), short(p.Factor), nats(p.Nats), atMostPercent(p.Gain))
		}
		s.Tables = append(s.Tables, t)
	}
	if len(j.Columns) > 2 {
		t := report.NewTable("Pairs, for explanation only", "columns", "#epsilon", "#factor")
		for _, p := range j.Pairs {
			t.Add(quoted(p.Columns[0])+", "+quoted(p.Columns[1]), nats(p.Nats), short(p.Factor))
		}
		s.Tables = append(s.Tables, t)
	}
	return s
}

// list names columns, and labels lists labels.
func list(columns []string) string { return listed(columns, quoted) }

func labels(all []report.Label) string { return listed(all, show) }

func listed[T any](all []T, words func(T) string) string {
	var parts []string
	for _, v := range all {
		parts = append(parts, words(v))
	}
	return strings.Join(parts, ", ")
}
