package page

import (
	"fmt"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

func useful(r *report.Report) report.Section {
	u := r.Utility
	n := max(r.Records, 1)
	s := report.Section{ID: "utility", Title: "Utility", Fields: []report.Sentence{
		field(farthest(u.Unit)+drawnOnly(r), "%s", measured(u.Worst, u.Unit)),
		field("mean, expected"+ofAll(r), "%s", measured(u.Expected, u.Unit)),
		field("mean, as written", "%s", measured(u.Realised, u.Unit)),
		field(bestMean(u.Unit)+" at this floor and factor"+ofAll(r), "%s", measuredDown(u.UpperBound, u.Unit)),
		field("records unchanged", "%d of %d (%s)", u.Unchanged, r.Records, percent(float64(u.Unchanged)/float64(n))),
	}}
	_, s.Tables = sharesArt(r) // page one has the picture
	s.Notes = sharesNotes(r)
	if r.Design.Prefer == "unchanged" {
		s.Fields = append(s.Fields, field("unchanged, expected"+ofAll(r), "%s, at most %s possible", percent(u.Share),
			percent(u.ShareBound)))
	}
	s.Brief = fmt.Sprintf(farthest(u.Unit)+
		"%s %s, mean %s expected%s, %s written, "+strings.TrimPrefix(bestMean(u.Unit), "mean, ")+" %s",
		yes(published(r) == nil, "", " drawn anew"), measured(u.Worst, u.Unit), measured(u.Expected, u.Unit), ofAll(r),
		measured(u.Realised, u.Unit), measuredDown(u.UpperBound, u.Unit))
	return s
}

// bestMean is the head of the bound on the mean utility: from above, or of a distance from
// below.
func bestMean(unit string) string { return "mean, at " + yes(unit == "", "most", "least") }

// worst is the same in a table.
func worst(unit string) string { return yes(unit == "", "worst", "farthest") }

// farthest is the head of the worst utility.
func farthest(unit string) string {
	if unit == "" {
		return "worst"
	}
	return "farthest replacement"
}

func analysts(r *report.Report) report.Section {
	s := report.Section{ID: "analysts", Title: "For analysts"}
	a := r.Analysts
	if a == nil {
		s.Brief = "what can be estimated was not computed"
		s.Notes = []string{"What can be estimated from the output was not computed: there are no records, too many values, " +
			"or strata with mechanisms of their own that are not published."}
		return s
	}
	s.Fields = []report.Sentence{
		field("rank of the mechanism"+yes(r.Strata != nil, ", the least of any stratum", ""), "%d of %d", a.Rank, a.Letters),
		field("values whose share can be estimated", "%d of %d", a.Estimable, a.Letters),
	}
	if a.Rank == a.Letters {
		s.Brief = fmt.Sprintf("the share of every value can be estimated: the mechanism has full rank %d", a.Rank)
		s.Notes = []string{"Every value's share can be estimated without bias by solving q = p^T P for P, where p is the " +
			"mechanism and q the shares of the outputs. Small shares come with large variances, and estimates may be negative."}
		return s
	}
	s.Brief = fmt.Sprintf("rank %d of %d: the shares of %s can be estimated, of others only some sums", a.Rank, a.Letters,
		count(a.Estimable, "value"))
	s.Notes = []string{"q = p^T P, where p is the mechanism, q the shares of the outputs and P those of the values, has " +
		"many solutions. Only sums c.P with c in the column space of p can be estimated; for any other share there is an " +
		"interval, and a method that returns one number for it, such as expectation maximisation, picks one of infinitely " +
		"many."}
	return s
}

func randomness(r *report.Report) report.Section {
	s := report.Section{ID: "randomness", Title: "Randomness", Fields: []report.Sentence{
		field("generator", "%s", r.Draws.Generator), field("key", "%s", r.Draws.Key), field("draws", "%s", r.Draws.Kind),
	}}
	if r.Draws.RunID != "" {
		s.Fields = append(s.Fields, field("run", "%s: the same run of this plan and file draws the same again",
			quoted(r.Draws.RunID)))
	}
	s.Fields = append(s.Fields, personsTogether(r.Persons)...)
	key, _, _ := strings.Cut(r.Draws.Key, ",")
	s.Brief = fmt.Sprintf("%s draws; key: %s", r.Draws.Kind, key)
	return s
}

func alternatives(r *report.Report) report.Section {
	s := report.Section{ID: "alternatives", Title: "Alternatives"}
	if len(r.Floors) > 0 {
		caption := "Other floors, by the utility-safe mechanism; tacet frontier searches the best of each"
		if r.Strata != nil {
			caption = "Other floors, by one utility-safe mechanism for all strata, for every observer whom epsilon is kept for"
		}
		t := report.NewTable(caption, "floor", "#"+worst(r.Utility.Unit), "#epsilon of safe", "#mean of safe",
			"#no mechanism stays below factor")
		for _, f := range r.Floors {
			t.Add(f.Floor, measured(f.Value, r.Utility.Unit), nats(f.Nats),
				measured(f.Mean, r.Utility.Unit), shortDown(f.Lower))
		}
		s.Tables = append(s.Tables, t)
	}
	if s.Brief = "other floors: tacet frontier"; len(s.Tables) == 0 {
		s.Notes = []string{"Other floors were not computed: there are no records, or too many values. tacet frontier searches " +
			"them."}
	}
	return s
}
