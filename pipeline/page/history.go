package page

import (
	"cmp"
	"fmt"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// shownReleases is how many earlier releases the page lists.
const shownReleases = 14

// history says what was released before and what all of it tells together.
func history(r *report.Report) report.Section {
	s := report.Section{ID: "history", Title: "History"}
	h := r.History.Series
	if h == nil {
		s.Fields = []report.Sentence{field("earlier releases", "%s", "not tracked (no --ledger)")}
		s.Brief = brief(s.Fields)
		return s
	}
	s.Fields = []report.Sentence{
		field("series", "%s", quoted(h.Dataset)+yes(h.Population == "", "", " of "+quoted(h.Population))),
		field("release", "%d in the ledger, night %d of the series%s", h.Release, h.Night,
			yes(h.Again, ", the same as before: it tells nothing new", "")),
		field("cumulative epsilon", "%s", figured(h.Cumulative)),
		field("for whom", "%s", wordsOf(r.Claims, "cumulative")),
		field("worst case, reserved before the draw", "%s", figured(h.Reserved)),
		field("total epsilon", "%s", cmp.Or(h.Budget, "none was set")),
	}
	s.Brief = fmt.Sprintf("night %d of %s; cumulative epsilon %s", h.Night, quoted(h.Dataset), figured(h.Cumulative))
	if k := h.Kept; k != nil {
		s.Fields = append(s.Fields,
			field("records", "%d known, %d new, %d vanished since the release before", k.Records, k.New, k.Vanished),
			field("other outputs than last", "%d records", k.Changed),
			field("change visible", "%d records show two outputs of one draw, now or before, or outputs that no letter gives "+
				"together: they have no cumulative epsilon", k.Visible),
			field("held, or limited by the total", "%d rows; %d of them by the total, %d published as null", k.Held, k.Limited,
				k.Suppressed),
			field("when a letter changes", "%s", changeRule(h.OnChange)),
		)
		fields, tables := shownRows(r)
		s.Fields, s.Tables = append(s.Fields, fields...), append(s.Tables, tables...)
		if h.OverBudget != "" {
			s.Fields = append(s.Fields, field("when a draw would pass the total", "%s", overRule(h.OverBudget)))
		}
		for _, q := range k.Spread {
			s.Fields = append(s.Fields, field(fmt.Sprintf("%s of records at most", percent(q.Share)), "%s nats together",
				nats(q.Nats)))
		}
		s.Brief += fmt.Sprintf("; %d records, %d new, %d changed visibly (no cumulative epsilon), %d rows held", k.Records,
			k.New, k.Visible, k.Held)
	}
	s.Fields = append(s.Fields, field("ledger", "%s, head %s", h.Ledger, h.Head))
	if n := len(h.Earlier); n > 0 {
		t := report.Table{Caption: fmt.Sprintf("The last %d of %d releases before", min(n, shownReleases), n),
			Head: []string{"night", "when", "rows", "epsilon", "together", "design", "key"}, Numeric: []bool{true, false, true,
				true, true, false, false}}
		for _, e := range h.Earlier[max(0, n-shownReleases):] {
			t.Rows = append(t.Rows, []string{fmt.Sprint(e.Night), e.When, fmt.Sprint(e.Rows), short(e.Factor),
				figured(e.Cumulative), e.Design[:min(12, len(e.Design))], cmp.Or(e.Key, "fresh")})
		}
		t.Head[3] = "factor"
		s.Tables = append(s.Tables, t)
	}
	if words := wordsOf(r.Claims, "cumulative.changes"); words != "" {
		s.Notes = append(s.Notes, words)
	}
	s.Items = h.Limits
	return s
}

func figured(f report.Figure) string {
	if f.Label == "none" {
		return "none: " + f.Rule
	}
	return fmt.Sprintf("%s nats, %s (factor %s; %s)", nats(f.Nats), f.Label, short(f.Factor), f.Rule)
}

func changeRule(rule string) string {
	switch rule {
	case "hold":
		return "the first output is repeated for ever, which bounds the whole trajectory and gives up the floor for these " +
			"records"
	case "refuse":
		return "the night is refused"
	}
	return "the new output is published, which shows that the letter changed"
}

func overRule(rule string) string {
	switch rule {
	case "repeat":
		return "the last output is published again, as decided before the draw"
	case "suppress":
		return "a null is published, as decided before the draw"
	}
	return "the night is refused before anything is published"
}

// personsTogether says what rows of one person tell together.
func personsTogether(p *report.Persons) []report.Sentence {
	if p == nil {
		return nil
	}
	together := field("rows of one person together", "not computed: %s", report.EarlierShown)
	if p.Factor != "" {
		together = field("rows of one person together",
			"at most %s nats (factor %s, %s), their values taken as independent; rows with one value share a draw",
			nats(of(p.Nats)), short(p.Factor), yes(of(p.Bound), "a bound", "exact"))
	}
	return []report.Sentence{
		field("persons", "%d, of which %d have several rows and %d several values; at most %d rows each", p.Persons,
			p.Several, p.Mixed, p.Most),
		together,
	}
}
