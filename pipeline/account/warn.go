package account

import (
	"fmt"
	"regexp"

	"github.com/tacet-privacy/tacet/mechanism/design"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// pandasIndex is what pandas calls an index that has no name.
var pandasIndex = regexp.MustCompile(`^__index_level_\d+__$`)

// openGap is the utility gap above which a report says so.
const openGap = 1e-6

// warnings are what a reader must not overlook.
func warnings(r *report.Report) []string {
	out := []string{}
	warn := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if r.Stamp != "" {
		warn("the draws came from a test seed: whoever knows the seed can undo them")
	}
	switch {
	case r.Records == 0:
		warn("there are no records under the promise; epsilon 0 means nothing")
	case r.Prior.Max == 1:
		warn("all records hold one value: epsilon 0 means nothing beyond the file's histogram; the output may show the " +
			"value itself")
	}
	if c := r.Certainty; c != nil && c.Nothing != "" && r.Prior.Max < 1 {
		warn("the output tells nothing about the input: %s", c.Nothing)
	}
	if r.Certainty.Same() {
		warn("the output is the input, up to the names of values: every published value can come from one value only")
	}
	if b := r.Binding; b != nil && r.Epsilon.Nats > 0 && b.Records < smallSet && r.Prior.Of != "declared prior" {
		warn("epsilon is decided by fewer than %d records: those whose values may give one output, which report.html names",
			smallSet)
	}
	if r.Design.Stopped {
		warn("time, not proof, ended the search for the design: a longer --solve-time may find a better one")
	}
	if unsearched(r) {
		warn("%s; a better floor may be within epsilon: merge values, or take an order with levels (hierarchy, tree or "+
			"prefix)", unsearchedWords(r.Design.Kind, r.Letters, r.Floor.Of))
	}
	if r.Design.UtilityGap > openGap {
		hint := "a slightly larger epsilon closes that gap"
		if r.Prior.Held() {
			hint = "the best under two priors at once is not known; --prior-only looks for it under one"
		}
		warn("the utility is not proven to be the largest: up to %.2g of the range of utilities may be left; %s",
			r.Design.UtilityGap, hint)
	}
	if s := r.Shares; s != nil && r.Design.NoLimit != "" {
		warn("shares of the published column are off by up to %s points, and no limit was kept: %s", decide.Points(
			fraction(s.Shift)), r.Design.NoLimit)
	} else if s != nil && fraction(s.Shift).Cmp(farOff) > 0 {
		warn("shares of the published column are off by up to %s points: --max-shift 5%% keeps them closer, at another "+
			"floor or with a larger epsilon", decide.Points(fraction(s.Shift)))
	}
	clear := 0
	var index []string
	for _, c := range r.Columns {
		if c.Fate == "published in clear" {
			clear++
			if pandasIndex.MatchString(c.Name) {
				index = append(index, c.Name)
			}
		}
	}
	if len(index) > 0 {
		warn("pandas wrote the row numbers of a table into the file, and they are published: leave them out with --drop %s",
			report.Shell(report.NameList(index)))
	}
	if clear > 0 && r.Beside.State != Measured {
		warn("%s published beside it and not judged: what they tell about it is not in epsilon",
			report.Several(clear, "column is", "columns are"))
	}
	if names := r.Beside.Identifiers; len(names) > 0 {
		warn("nearly every record has a value of its own in %s, published in clear: whoever knows it finds the record; "+
			"drop such a column unless readers need it", report.And(names))
	}
	if l := r.Beside.Largest; l != nil {
		tells, it := " tells", "it"
		if len(l.Names) > 1 {
			tells, it = " tell", "one of them"
		}
		warn("epsilon does not bound what %s: drop %s unless readers need it", l.With()+tells, it)
	}
	for _, f := range r.Beside.Found {
		warn("%s", f.What)
	}
	if b := &r.Beside; b.Looked < b.Possible {
		warn("%d of %d pairs of columns were judged: what two of the others tell together is not known", b.Looked,
			b.Possible)
	}
	if r.Prior.Unseen > 0 {
		warn("%s no record: such a value keeps the floor but is outside epsilon", report.Several(r.Prior.Unseen,
			"declared value has", "declared values have"))
	}
	if r.Prior.Late > 0 {
		warn("%s records here and had none when the plan was made: the plan's epsilon does not cover them, this file's own "+
			"does", report.Several(r.Prior.Late, "value has", "values have"))
	}
	return append(out, notes(r)...)
}

// notes are those among the warnings that nobody has to act on: they follow from what was
// asked for, or from the data.
func notes(r *report.Report) []string {
	out := []string{}
	note := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if n := r.Scale.Uncapped; n != nil && *n > 0 {
		note("%d of %d values, held by at most %s %% of the %s, are so common that one output may confirm them with "+
			"certainty",
			*n, r.Letters, report.RoundUp(100**r.Scale.UncappedRow, 1), r.Whose())
	}
	if r.Nulls != nil && r.Nulls.Rule == "public" {
		note("%s as they are: epsilon is conditional on presence, and presence reveals itself%s",
			report.Several(r.Nulls.Count, "null stays", "nulls stay"), presenceNats(r.Nulls))
	}
	return out
}

// roomless warns of a series whose limit of shares the next counts may break.
func roomless(r *report.Report, f *Facts) []string {
	s := f.History.Series
	if s == nil || s.Night > 1 || r.Shares == nil || !f.Plan.Shares.Narrow() {
		return nil
	}
	return []string{Roomless}
}

// mourned warns of runs that died.
func mourned(r *report.Report) (out []string) {
	for _, d := range r.History.Died {
		out = append(out, fmt.Sprintf("release %d was reserved by a run that died before it published anything, and counts "+
			"until it is voided: %s", d.Release, d.Voiding))
	}
	return out
}

// Roomless is what is said of such a limit, before its first night, too.
const Roomless = "the limit of shares leaves no room for counts that drift, so that the next night may be stopped: " +
	"give a larger --max-shift, or more room with --headroom"

// unsearched reports whether a closed form stands where "auto" was to find the best.
func unsearched(r *report.Report) bool {
	asked := r.Design.Asked
	return (asked == "" || asked == "auto") && unsearchedWords(r.Design.Kind, r.Letters, r.Floor.Of) != ""
}

// unsearchedWords say that of a design over so many values; "" where the best was looked for.
func unsearchedWords(kind string, letters, outputs int) string {
	cells := letters * outputs
	if kind == design.Blocks && cells > decide.UsualCells {
		return fmt.Sprintf("the best mechanism was not searched for: %d by %d values are too many; design blocks stands in, "+
			"which keeps every share", letters, outputs)
	}
	if (kind == "safe" || kind == "grouped") && cells > optimum.FitCells {
		return fmt.Sprintf("the best mechanism was not searched for: %d by %d values are too many", letters, outputs)
	}
	return ""
}

// presenceNats are what a null and a value tell by being there.
func presenceNats(n *report.Nulls) string {
	switch {
	case n.Factor == "":
		return " (not computed: records go on showing an earlier null or value)"
	case n.Present == "":
		return fmt.Sprintf(" (a null: %s nats)", report.RoundUp(n.Nats, 4))
	}
	return fmt.Sprintf(" (a null: %s nats, a value: %s nats)", report.RoundUp(n.Nats, 4), report.RoundUp(n.Valued, 4))
}

// States of what the report says of the columns beside the private one.
const (
	Measured  = "measured"
	NotAsked  = "off"
	Nothing   = "nothing is published beside it"
	NoRecords = "there are no records to judge"
)
