package verify

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
)

// few is the number of records below which a set or a stratum is warned of, and
// openGap the utility gap above which a report warns of it.
const (
	few     = 100
	openGap = 1e-6
)

// searchedCells is the table of values up to which the best mechanism is searched for.
const searchedCells = 1 << 20

// A warning is called for by figures of a report, and recognised by its stem.
// Where it is called for, it holds what is said, with the figures.
type warning struct {
	called     bool
	stem, said string
}

// rowNumbers is what pandas calls an index that has no name.
var rowNumbers = regexp.MustCompile(`^__index_level_\d+__$`)

// checkWarnings holds the warnings to the figures that call for them: none is
// missing, and none is there that nothing calls for, but for those of runs that
// died, which the ledger has.
func checkWarnings(v *document.View) {
	var w document.Faults
	known, texts := warningsOf(v.Report), v.Report.Texts("warnings")
	v.Expect(&w, document.Figures{"warnings": slices.Repeat([]document.Rule{document.Text}, len(texts))})
	found := make([]bool, len(known))
	for i, text := range texts {
		at := slices.IndexFunc(known, func(k warning) bool {
			return k.called && strings.Contains(text, k.stem) && strings.Contains(text, k.said)
		})
		switch {
		case at >= 0:
			if found[at] {
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
		len(texts))
}

// warningsOf are the warnings that there are.
func warningsOf(r *document.Report) []warning {
	records, only, own := r.Int("records"), r.Bool("prior.only"), r.Text("prior.own_factor")
	c, p := r.At("certainty"), r.At("prior")
	open, unseen, late := r.Int("scale.uncapped_letters"), p.Int("unseen"), p.Int("late")
	known := []warning{
		{r.Has("stamp"), "the draws came from a test seed", ""},
		{records == 0, "there are no records under the promise", ""},
		{records > 0 && p.Float("max") == 1, "all records hold one value: epsilon 0", ""},
		{c.Bool("unchanged"), "the output is the input, up to the names of values", ""},
		{r.Bool("design.stopped"), "time, not proof, ended the search", ""},
		{(r.Option("design") == "" || r.Option("design") == "auto") && r.Text("design.kind") == "safe" &&
			r.Int("letters")*r.Int("floor.of") > searchedCells, "the best mechanism was not searched for",
			fmt.Sprintf("%d by %d values are too many", r.Int("letters"), r.Int("floor.of"))},
		{r.Float("design.utility_gap") > openGap, "the utility is not proven to be the largest", ""},
		{open > 0, "are so common that one output may confirm them",
			fmt.Sprintf("%d of %d values, held by", open, r.Int("letters"))},
		{unseen > 0, "such a value keeps the floor but is outside epsilon",
			counted(unseen, "declared value has", "declared values have")},
		{late > 0, "the plan's epsilon does not cover them", counted(late, "value has", "values have")},
		{only, "they were given up (--prior-only)", ""},
		{only && own != "", "relative to its own it is", "(factor " + own + ")"},
		{p.Has("part") && records > 0, "a part of the data that the plan was made from", ""},
		{c.Has("nothing") && p.Float("max") < 1, "the output tells nothing about the input", c.Text("nothing")},
	}
	if shift, ok := r.Factor("shares.shift"); ok && shift.Cmp(big.NewRat(1, 10)) > 0 {
		known = append(known, warning{true, "--max-shift 5% keeps them closer", "by up to " + inPoints(shift) + " points"})
	}
	if b := r.At("binding"); b.Has("") && r.Float("epsilon.nats") > 0 && b.Int("records") < few &&
		p.Text("of") != "declared prior" {
		known = append(known, warning{true, "epsilon is decided by a set of only",
			fmt.Sprintf("only %d records (%d values", b.Int("records"), b.Int("letters"))})
	}
	if n := r.At("nulls"); n.Text("rule") == "public" {
		known = append(known, warning{true, "epsilon is conditional on presence",
			counted(n.Int("count"), "null stays", "nulls stay")})
	}
	if o := r.At("other"); o.Has("") {
		adopted, lent := o.Int("adopted"), o.Int("lent")
		known = append(known, warning{true, "which they are was chosen from the data",
			fmt.Sprintf("with fewer than %d records (%d records in all)", o.Int("min_count"), o.Int("records"))},
			warning{adopted > 0, "the plan was extended",
				counted(adopted, "value of this file was", "values of this file were")},
			warning{lent > 0, "floor and utility say nothing of their own",
				counted(lent, "value that the order has no row for", "values that the order has no row for")})
	}
	if b := r.At("population"); b.Has("") {
		observed := b.Bool("bounded") && b.Text("domain") == "observed"
		known = append(known, warning{!b.Bool("bounded"), "the records bound nothing about the population", ""},
			warning{observed, "the bound for the population holds if no value can occur but those of this file", ""})
	}
	return slices.Concat(known, strataWarnings(r.At("strata")), neighbourWarnings(r), earlierWarnings(r))
}

func strataWarnings(s document.Node) []warning {
	small, single := int64(0), int64(0)
	for _, g := range s.List("groups") {
		if g.Int("records") < few {
			small++
		}
		if g.Int("letters") == 1 && g.Int("records") > 0 {
			single++
		}
	}
	return []warning{
		{s.Bool("given_only"), "nothing is promised to whoever does not know", "(--given-only)"},
		{s.Int("merged") > 1, "were merged, for fewer than", fmt.Sprintf("%d strata of ", s.Int("merged"))},
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
		{len(open) > 0 && r.Text("conditional.state") != "measured", "what they tell about it is not in epsilon",
			counted(int64(len(open)), "column is published beside it and not judged",
				"columns are published beside it and not judged")},
		{r.Has("conditional.largest"), "epsilon does not bound what `", ": drop "},
	}
	for _, f := range r.List("conditional.findings") {
		known = append(known, warning{true, f.Text("what"), ""})
	}
	return known
}

// earlierWarnings are those of rows that are not drawn anew.
func earlierWarnings(r *document.Report) (list []warning) {
	if c := r.Held(); c != nil {
		list = append(list, warning{c.Visible > 0, "changed visibly and show", counted(c.Visible, "record", "records")})
	}
	return list
}
