package mechanism

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
)

// few is the number of records below which a set or a stratum is warned of, and
// openGap the utility gap above which a report warns of it.
const (
	few     = 100
	openGap = 1e-6
)

// A warning is called for by figures of a report, and recognised by its stem.
// Where it is called for, it holds what is said, with the figures.
type warning struct {
	called     bool
	stem, said string
}

// rowNumbers is what pandas calls an index that has no name.
var rowNumbers = regexp.MustCompile(`^__index_level_\d+__$`)

// CheckWarnings holds the warnings to the figures that call for them: none is
// missing, and none is there that nothing calls for, but for those of runs that
// died, which the ledger has.
func CheckWarnings(v *document.View) {
	var w document.Faults
	known := warningsOf(v.Report)
	found := make([]bool, len(known))
	for i, text := range v.Report.Warnings {
		at := slices.IndexFunc(known, func(k warning) bool {
			return k.called && strings.Contains(text, k.stem) && strings.Contains(text, k.said)
		})
		switch {
		case at >= 0:
			if found[at] && !strings.Contains(text, "--keep-earlier") && !strings.Contains(text, "changed visibly") {
				w.Addf("warning %d stands twice", i+1)
			}
			found[at] = true
		case !strings.Contains(text, "was reserved by a run that died"):
			w.Addf("nothing in the report calls for warning %d, or its figures are others", i+1)
		}
	}
	for i, k := range known {
		if k.called && !found[i] {
			w.Addf("the warning that %q is missing, or has other figures", k.stem)
		}
	}
	v.Settle("warnings", w, "%d, each of them called for by figures of the report, and none missing",
		len(v.Report.Warnings))
}

// warningsOf are the warnings that there are.
func warningsOf(r *document.Report) []warning {
	alike := r.Records > 0 && r.Prior.Max == 1
	c := r.Certainty
	uncapped := 0
	if n := r.Scale.Letters; n != nil {
		uncapped = *n
	}
	told := c != nil && c.Nothing != "" && r.Prior.Max < 1
	known := []warning{
		{r.Stamp != "", "the draws came from a test seed", ""},
		{r.Records == 0, "there are no records under the promise", ""},
		{alike, "all records hold one value: epsilon 0", ""},
		{c != nil && c.Unchanged != nil && *c.Unchanged, "the output is the input, up to the names of values", ""},
		{r.Design.Stopped, "time, not proof, ended the search", ""},
		{r.Design.Gap > openGap, "the utility is not proven to be the largest", ""},
		{uncapped > 0, "are so common that one output may confirm them",
			fmt.Sprintf("%d of %d values, held by", uncapped, r.Letters)},
		{r.Prior.Unseen > 0, "such a value keeps the floor but is outside epsilon",
			counted(r.Prior.Unseen, "declared value has", "declared values have")},
		{r.Prior.Late > 0, "the plan's epsilon does not cover them",
			counted(r.Prior.Late, "value has", "values have")},
		{r.Prior.Only, "they were given up (--prior-only)", ""},
		{r.Prior.Only && r.Prior.Own != "", "relative to its own it is", "(factor " + r.Prior.Own + ")"},
		{r.Prior.Part != nil && r.Records > 0, "a part of the data that the plan was made from", ""},
	}
	if told {
		known = append(known, warning{true, "the output tells nothing about the input", c.Nothing})
	}
	if b := r.Binding; b != nil && r.Epsilon.Nats > 0 && b.Records < few && r.Prior.Of != "declared prior" {
		known = append(known, warning{true, "epsilon is decided by a set of only",
			fmt.Sprintf("only %d records (%d values", b.Records, b.Letters)})
	}
	if n := r.Nulls; n != nil && n.Rule == "public" {
		known = append(known, warning{true, "epsilon is conditional on presence",
			counted(int(n.Count), "null stays", "nulls stay")})
	}
	if o := r.Other; o != nil {
		known = append(known, warning{true, "which they are was chosen from the data",
			fmt.Sprintf("with fewer than %d records (%d records in all)", o.MinCount, o.Records)},
			warning{o.Adopted > 0, "the plan was extended",
				counted(o.Adopted, "letter of this file was", "letters of this file were")},
			warning{o.Lent > 0, "floor and utility say nothing of their own",
				counted(o.Lent, "letter that the order has no row for", "letters that the order has no row for")})
	}
	if b := r.Population; b != nil {
		observed := b.Bounded && b.Domain == "observed"
		known = append(known, warning{!b.Bounded, "the records bound nothing about the population", ""},
			warning{observed, "the bound for the population holds if no value can occur but those of this file", ""})
	}
	return slices.Concat(known, strataWarnings(r), neighbourWarnings(r), earlierWarnings(r))
}

func strataWarnings(r *document.Report) []warning {
	s := r.Strata
	if s == nil {
		return nil
	}
	small, single := 0, 0
	for _, g := range s.Groups {
		if g.Records < few {
			small++
		}
		if g.Letters == 1 && g.Records > 0 {
			single++
		}
	}
	return []warning{
		{s.Only, "nothing is promised to whoever does not know", "(--given-only)"},
		{s.Merged > 1, "were merged, for fewer than", fmt.Sprintf("%d strata of ", s.Merged)},
		{small > 0, "such frequencies say little of anything else",
			counted(small, "group of strata has", "groups of strata have")},
		{single > 0, "whoever knows the stratum knows it", counted(single, "group of strata", "groups of strata")},
	}
}

// neighbourWarnings are those of columns published in clear.
func neighbourWarnings(r *document.Report) (known []warning) {
	open := r.Fate("published in clear")
	known = []warning{
		{slices.ContainsFunc(open, rowNumbers.MatchString), "pandas wrote the row numbers", ""},
		{len(open) > 0 && r.Conditional.State != "measured", "what they tell about it is not in epsilon",
			counted(len(open), "column is published beside it and not judged",
				"columns are published beside it and not judged")},
		{r.Conditional.Largest != nil, "epsilon does not bound what `", ": drop "},
	}
	for _, f := range r.Conditional.Found {
		known = append(known, warning{true, f.What, ""})
	}
	return known
}

// earlierWarnings are those of rows that are not drawn tonight.
func earlierWarnings(r *document.Report) (list []warning) {
	if r.History.Series == nil {
		return nil
	}
	for _, c := range r.History.Series.Published.Classes() {
		if c != nil {
			list = append(list, warning{c.Visible > 0, "changed visibly: nothing bounds",
				counted(int(c.Visible), "record", "records")})
		}
	}
	if p := r.History.Series.Published; p != nil && p.KeepEarlier {
		for _, c := range p.Classes() {
			f, ok := exact.Fraction(cmp.Or(shownFactor(c), "1"))
			if t, known := exact.ParseTarget(r.Epsilon.Target); ok && known && !t.Admits(f) {
				list = append(list, warning{true, "which is more than epsilon: --keep-earlier", "(factor " + c.Factor + ")"})
			}
		}
	}
	return list
}

// shownFactor is what rows of a class tell, "" for none.
func shownFactor(c *document.ShownClaim) string {
	if c == nil {
		return ""
	}
	return c.Factor
}

// counted is a number with what it counts.
func counted(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}
