package page

import (
	"fmt"
	"math"

	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/report/view"
)

// times is a factor rounded up: exactly where it has few decimals, and from its
// nats, which are rounded up, where the fraction cannot be read.
func times(fraction string, nats float64) string {
	if exact, ok := decimals(fraction, 4, true); ok {
		return exact
	}
	return report.RoundUp(math.Exp(nats), 4)
}

// factorOf is the factor of a report, in words.
func factorOf(r *report.Report) string { return times(r.Epsilon.Factor, r.Epsilon.Nats) }

func floor(r *report.Report) view.Section {
	if r.Floor.Of == 0 {
		return view.Section{ID: "floor", Title: "Floor", Notes: []string{"There are no letters, and so no replacements."}}
	}
	words := "no record was replaced by anything worse than rank " + fmt.Sprint(r.Floor.Rank)
	if r.Floor.InWords != "" {
		words = "every record was replaced by something " + r.Floor.InWords
	}
	s := view.Section{ID: "floor", Title: "Floor", Fields: []view.Sentence{
		field("in words", "%s", words),
		field("in numbers", "rank %d of %d, utility %s", r.Floor.Rank, r.Floor.Of, measured(r.Floor.Value, r.Utility.Unit)),
		field("asked for", "%s", yes(r.Floor.Asked == "best", "the best within epsilon", r.Floor.Asked)),
		field("outputs allowed per record", "%s", span(r.Floor.Least, r.Floor.Most)),
	}}
	s.Art, s.Tables = mapArt(r)
	s.Brief = fmt.Sprintf("%s; utility %s; %s per record", words, measured(r.Floor.Value, r.Utility.Unit), span(r.Floor.Least, r.Floor.Most)+" outputs")
	if r.Floor.NextNeed != "" {
		s.Fields = append(s.Fields, field("next better floor", "rank %d needs --max-factor %s", r.Floor.NextRank, short(r.Floor.NextNeed)))
		s.Brief += fmt.Sprintf("; rank %d needs --max-factor %s", r.Floor.NextRank, short(r.Floor.NextNeed))
	}
	return s
}

func prior(r *report.Report) view.Section {
	s := view.Section{ID: "prior", Title: "Prior", Fields: []view.Sentence{
		field("relative to", "%s", relativeTo(r)),
		field("this file", "%s", ofFile(r)),
		field("share of the commonest value", "%s", percent(r.Prior.Max)),
		field("share of the rarest value that occurs", "%s", percent(r.Prior.Min)),
		field("declared values without a record", "%d", r.Prior.Unseen),
	}}
	s.Brief = fmt.Sprintf("%s, not a population; delta 0; the commonest value has %s of the records, the rarest %s",
		relativeTo(r), percent(r.Prior.Max), percent(r.Prior.Min))
	s.Fields = append(s.Fields, populationFields(r)...)
	if r.Population != nil {
		s.Brief = briefReadings(r)
	}
	return s
}

func design(r *report.Report) view.Section {
	s := view.Section{ID: "mechanism", Title: "Mechanism", Fields: []view.Sentence{
		field("family", "%s", family(r.Design.Kind)),
		field("why", "%s", why(r)),
		field("certified bracket", "the least factor of any mechanism at this floor is between %s and %s", shortDown(r.Design.Lower), short(r.Design.Upper)),
	}}
	if r.Design.AnyPrior != "" {
		s.Fields = append(s.Fields, field("under every prior", "no mechanism at this floor stays below factor %s", shortDown(r.Design.AnyPrior)))
	}
	if r.Design.UtilityGap > 0 {
		s.Fields = append(s.Fields, field("left open", "%.2g of the range of utilities", r.Design.UtilityGap))
	}
	s.Art, s.Tables = transitionsArt(r)
	s.Brief = fmt.Sprintf("%s; the least factor at this floor is between %s and %s", family(r.Design.Kind), shortDown(r.Design.Lower), short(r.Design.Upper))
	if r.Design.AnyPrior != "" {
		s.Brief += fmt.Sprintf("; under every prior at least %s", shortDown(r.Design.AnyPrior))
	}
	return s
}

func family(kind string) string {
	switch kind {
	case "safe":
		return "safe: every allowed output is equally likely (Song and Oechtering's closed form)"
	case "flat":
		return "flat: every output is equally likely for all values that may give it"
	case "optimal":
		return "optimal: the best of all mechanisms at this floor and epsilon"
	}
	if kind == "strata" {
		return "by stratum: see the section on strata"
	}
	return kind + ": nothing is redrawn"
}

func why(r *report.Report) string {
	for _, o := range r.Settings {
		if o.Name == "design" && o.Value != "auto" && o.Value != "" {
			return "it was asked for"
		}
	}
	s := "of all designs it has the best floor within epsilon, and there the largest expected utility"
	if r.Command == "apply" || r.Pinned != nil && r.Pinned.State == "followed" {
		s = "the plan says so"
	}
	if r.Design.Prefer == "unchanged" {
		s += "; unchanged records were preferred to utility"
	}
	if r.Design.Stopped {
		s += "; time, not proof, ended the search"
	}
	return s
}

func leakage(r *report.Report) view.Section {
	t := view.Table{Caption: "Leakage of every output that can occur, most first",
		Head: []string{"output", "epsilon", "factor", "values that may give it", "share of records"}, Numeric: []bool{false, true, true, true, true}, Brief: 5}
	for _, o := range r.Outputs {
		t.Rows = append(t.Rows, []string{show(o.Label), nats(o.Nats), short(o.Factor), fmt.Sprint(o.Support), percent(o.Share)})
	}
	s := view.Section{ID: "leakage", Title: "Leakage per output", Tables: []view.Table{t}, Art: leakageArt(r)}
	s.Brief = count(len(r.Outputs), "output")
	if b := r.Binding; b != nil {
		s.Notes = []string{fmt.Sprintf("Epsilon is decided by output %s, which %s may give; %s one of these.", show(b.Output), count(b.Letters, "value"), yes(b.Records == 1, "1 record holds", fmt.Sprintf("%d records hold", b.Records)))}
		s.Brief += fmt.Sprintf("; epsilon is decided by %s, which %s (%s) may give", show(b.Output), count(b.Letters, "value"), count(b.Records, "record"))
	}
	return s
}
