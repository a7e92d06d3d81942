package page

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// shownReleases is how many earlier releases the page lists.
const shownReleases = 14

// history says what was released before, what all of it tells together, and what became of
// the plan of an earlier night.
func history(r *report.Report) report.Section {
	s := series(r)
	if p := r.Pinned; p != nil {
		fields, words := pinned(r, p)
		s.Fields, s.Brief = append(s.Fields, fields...), s.Brief+"; "+words
		s.Notes = append(s.Notes, "That a night is stopped, that a plan is made anew and which one it is depend on the "+
			"counts and are outside epsilon.")
	}
	return s
}

// series is the place of this release among those of a ledger.
func series(r *report.Report) report.Section {
	s := report.Section{ID: "history", Title: "History"}
	h := r.History.Series
	if h == nil {
		s.Fields = []report.Sentence{field("earlier releases", "%s", "not tracked (no --ledger); repeated releases add "+
			"leakage")}
		s.Brief = brief(s.Fields)
		return s
	}
	s.Fields = []report.Sentence{
		field("series", "%s", quoted(h.Dataset)+yes(h.Population == "", "", " of "+quoted(h.Population))),
		field("release", "%d in the ledger, night %d of the series%s", h.Release, h.Night,
			yes(h.Again, ", the same as before: it tells nothing new", "")),
		field("cumulative epsilon", "%s", figured(h.Cumulative)),
		field("for whom", "%s", wordsOf(r.Claims, "cumulative")),
		field("total epsilon", "%s", cmp.Or(h.Budget, "none was set")),
	}
	s.Brief = fmt.Sprintf("night %d of %s; cumulative epsilon %s", h.Night, quoted(h.Dataset), figured(h.Cumulative))
	if k := h.Kept; k != nil {
		s.Fields = append(s.Fields,
			field("records", "%d known, %d new, %d vanished since the release before", k.Records, k.New, k.Vanished),
			field("change visible", "%d records show two outputs of one draw, now or before, or outputs that no value gives "+
				"together: they have no cumulative epsilon", k.Visible),
			field("when a value changes", "%s", changeRule(h)),
		)
		fields, tables := shownRows(r)
		s.Fields, s.Tables = append(s.Fields, fields...), append(s.Tables, tables...)
		s.Brief += fmt.Sprintf("; %d records, %d new, %d changed visibly (no cumulative epsilon), %d rows held", k.Records,
			k.New, k.Visible, h.Published.Earlier())
	}
	s.Fields = append(s.Fields, field("ledger", "%s, head %s", h.Ledger, h.Head))
	if n := len(h.Earlier); n > 0 {
		t := report.NewTable(fmt.Sprintf("The last %d of %d releases before", min(n, shownReleases), n), "#night",
			"when", "#rows", "#factor", "#together", "design", "key")
		for _, e := range h.Earlier[max(0, n-shownReleases):] {
			t.Add(fmt.Sprint(e.Night), e.When, fmt.Sprint(e.Rows), short(e.Factor),
				figured(e.Cumulative), e.Design[:min(12, len(e.Design))], cmp.Or(e.Key, "fresh"))
		}
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

func changeRule(h *report.Series) string {
	switch {
	case h.OnChange == "hold":
		return "the first output is shown for ever, which bounds the whole trajectory and gives up the floor for these " +
			"records"
	case h.OnChange == "refuse":
		return "the night is refused"
	case h.Budget != "":
		return "the new value is drawn anew where no draw would pass the total, as decided before the draw; else the last " +
			"output is shown again"
	}
	return "the new output is published, which shows that the value changed"
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

// pinned says what became of the plan of an earlier night.
func pinned(r *report.Report, p *report.Pinned) (out []report.Sentence, brief string) {
	followed := p.Followed()
	out = []report.Sentence{field("plan of an earlier night", "%s; its sha256 is %s", yes(followed, "it was followed",
		"it was replaced: this release is a redesign, drawn through another channel"), p.Plan)}
	switch {
	case p.Lacking > 0:
		out = append(out, field("values of this file that it lacks", "%d", p.Lacking))
	case p.Factor == "":
		out = append(out, field("under the counts of this file", "%s", "as ever: no counts move it"))
	default:
		out = append(out, field("under the counts of this file", "%s nats, rounded up (factor %s)", nats(p.Nats),
			short(p.Factor)),
			field("room left", "%.2f %% of the factor%s", 100*p.Room, yes(p.Holds, "", ": it does not keep epsilon")))
	}
	if r.Design.Headroom != "" {
		out = append(out, field("headroom of the design", "shares of values may fall to 1/(1+%s) of what they were",
			r.Design.Headroom))
	}
	return out, yes(followed, "the plan of an earlier night was followed",
		"a redesign: the plan of an earlier night was replaced") + "; stops, redesigns and the choice of the plan depend on " +
		"the counts and are outside epsilon"
}

// ofTonight are the sections that describe this release's mechanism.
var ofTonight = []string{"caps", "leakage", "floor", "utility"}

// published is by which draws the rows of a release were published; nil where
// all were drawn by its mechanism.
func published(r *report.Report) *report.Published {
	if r.History.Series == nil || r.History.Series.Published.Earlier() == 0 {
		return nil
	}
	return r.History.Series.Published
}

// tonight limits a section to the rows that it is about.
func tonight(r *report.Report, s report.Section) report.Section {
	p := published(r)
	switch {
	case p == nil || !slices.Contains(ofTonight, s.ID):
	case s.ID == "caps": // which takes what every row was drawn from
		said := "Not computed: " + report.EarlierShown + ". What single rows tell stands in the section on history."
		return report.Section{ID: s.ID, Title: s.Title, Notes: []string{said}, Brief: said}
	default:
		s.Notes = append([]string{fmt.Sprintf("Of this release's mechanism, which %s drawn by; %s not (see the section on "+
			"history).",
			yes(p.Drawn == 1, "1 row is", fmt.Sprintf("%d rows are", p.Drawn)), yes(p.Earlier() == 1, "1 row is",
				fmt.Sprintf("%d rows are", p.Earlier())))}, s.Notes...)
	}
	return s
}

// drawnOnly says of which rows a figure is, where not of all.
func drawnOnly(r *report.Report) string {
	return yes(published(r) == nil, "", ", of rows drawn anew")
}

// ofAll says of what a mean is, where not of the rows as published.
func ofAll(r *report.Report) string {
	return yes(published(r) == nil, "", ", had all rows been drawn anew")
}

// shownRows are the rows that are not drawn anew, by the outputs they show.
func shownRows(r *report.Report) (fields []report.Sentence, tables []report.Table) {
	p := published(r)
	if p == nil {
		return nil, nil
	}
	fields = []report.Sentence{field("drawn anew", "%d of %d rows", p.Drawn, p.Drawn+p.Earlier())}
	t := report.NewTable("Rows that are not drawn anew: what they show, and the most that one of them tells",
		"shows", "#rows", "#factor")
	for _, f := range [][2]string{{"held", "leakage.held"}, {"held, worst", "floor.held"}} {
		if words := wordsOf(r.Claims, f[1]); words != "" {
			fields = append(fields, report.Sentence{Head: f[0], Body: words})
		}
	}
	for _, o := range p.Held.Outputs {
		t.Add(show(o.Label), fmt.Sprint(o.Rows), yes(o.Factor == "", "none", short(o.Factor)))
	}
	return fields, []report.Table{t}
}
