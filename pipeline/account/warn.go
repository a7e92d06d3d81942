package account

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism/design"
	"github.com/tacet-privacy/tacet/mechanism/optimum"
	"github.com/tacet-privacy/tacet/pipeline/decide"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// openGap is the utility gap above which a report says so.
const openGap = 1e-6

// told are the warnings of a group.
func told(group string, of any) []string {
	out := []string{}
	text().Each(group, of, func(_, words string) { out = append(out, words) })
	return out
}

// warnings are those about the mechanism and what stands beside it.
func warnings(r *report.Report) []string {
	out := told("mechanism", r)
	for _, f := range r.Beside.Found {
		out = append(out, f.What)
	}
	return append(out, told("covered", r)...)
}

// pandasIndex is what pandas calls an index that has no name.
var pandasIndex = regexp.MustCompile(`^__index_level_\d+__$`)

// index are such columns among those published in clear, as --drop takes them; "" for none.
func index(r *report.Report) string {
	names := slices.DeleteFunc(r.Clear(), func(name string) bool { return !pandasIndex.MatchString(name) })
	if len(names) == 0 {
		return ""
	}
	return report.Shell(report.NameList(names))
}

// such counts the groups of strata of a kind.
func such(is func(g report.Stratum) bool) func(*report.Strata) int {
	return func(s *report.Strata) (n int) {
		for _, g := range s.Groups {
			if is(g) {
				n++
			}
		}
		return n
	}
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

// unsearched says that a closed form over so many values stands where "auto" was to find the best; "" where the
// best was looked for.
func unsearched(kind string, letters, outputs int) string {
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

// States of what the report says of the columns beside the private one.
const (
	Measured  = "measured"
	NotAsked  = "off"
	Nothing   = "nothing is published beside it"
	NoRecords = "there are no records to judge"
)
