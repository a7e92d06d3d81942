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
	s.Tables = sharesTable(r) // page one has the picture
	s.Notes = sharesNotes(r)
	if r.Design.Prefer == "unchanged" {
		s.Fields = append(s.Fields, field("unchanged, expected"+ofAll(r), "%s, at most %s possible", percent(u.Share),
			percent(u.ShareBound)))
	}
	s.Fields = append(s.Fields, field("shares that analysts can estimate", "%s", estimable(r)))
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

// estimable is what analysts can estimate of the shares before the release: P with p^T P =
// q, where p is the mechanism and q the shares of the outputs.
func estimable(r *report.Report) string {
	a := r.Analysts
	switch {
	case published(r) != nil:
		return "not computed: " + report.EarlierShown
	case a == nil:
		return "not computed: there are no records, too many values, or strata with mechanisms of their own that are not " +
			"published"
	}
	least := yes(r.Strata != nil, ", the least of any stratum", "")
	if a.Rank == a.Letters {
		return fmt.Sprintf("of every value, without bias: the mechanism has full rank %d%s. Small shares come with large "+
			"variances, and estimates may be negative", a.Rank, least)
	}
	return fmt.Sprintf("of %s; of others only sums or ranges: the mechanism has rank %d of %d%s", count(a.Estimable, "value"),
		a.Rank, a.Letters, least)
}

// randomness says where the draws come from.
func randomness(r *report.Report) []report.Sentence {
	out := []report.Sentence{field("generator", "%s", r.Draws.Generator), field("key", "%s", r.Draws.Key),
		field("draws", "%s", r.Draws.Kind)}
	if r.Draws.RunID != "" {
		out = append(out, field("run", "%s: the same run of this plan and file draws the same again", quoted(r.Draws.RunID)))
	}
	return append(out, personsTogether(r.Persons)...)
}
