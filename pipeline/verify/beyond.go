package verify

import (
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
)

// An uncovered part of a report is no claim that any check looks at. A member that
// ends in "?" may be left out unseen, one that ends in "!" may be left out unseen and
// is held to the files where it is there.
type uncovered struct {
	name    string
	members []string
}

// beyond are the members of an internal report that no check compares with
// anything, by the names under which verify and docs/verify.md list them. [] is
// any place in a list; what lies below a member belongs to it.
var beyond = []uncovered{
	{"about", []string{"about?", "inside?"}},
	{"date", []string{"made?"}},
	{"declared files", []string{"declared", "domain.declared"}},
	{"details of the run's own checks", []string{"checks[].detail"}},
	{"neighbours", slices.Concat([]string{"conditional.largest?", "conditional.blind_letters?", "conditional.findings?",
		"conditional.together?"}, heldOut("conditional.columns[]"), heldOut("conditional.pairs[]"),
		heldOut("conditional.place"))},
	{"options", []string{"options[]"}},
	{"paths", []string{"input.path", "output.path", "input.empty?"}},
	{"types of columns", []string{"type", "columns[].type"}},
	{"version", []string{"version"}},
	{"words of conditions", []string{"population.conditions?", "history.series.not_covered?", "joint.words?",
		"joint.worst.words?"}},
	{"words of sentences", []string{"claims[].words", "claims[].given?", "claims[].note?", "claims[].names?"}},
	{"words of warnings", []string{"warnings"}},
}

// beyondJoint are those of a joint report.
var beyondJoint = []uncovered{
	{"paths", []string{"input.path", "output.path", "input.empty?"}},
	{"version", []string{"version"}},
	{"words of conditions", []string{"joint.words?", "joint.worst.words?"}},
}

// beyondPublic are those of a public report.
var beyondPublic = []uncovered{
	{"about", []string{"about?"}},
	{"declared files", []string{"declared", "domain.declared"}},
	{"design", []string{"design"}},
	{"domain rule", []string{"domain.rule", "domain.null", "domain.other?"}},
	{"floor", []string{"floor.declared?", "floor.rank?", "floor.of?", "floor.in_words?", "floor.level.at?",
		"floor.level.of?"}},
	{"how the columns were chosen", []string{"kept", "dropped"}},
	{"key of the draws", []string{"randomness"}},
	{"order", []string{"order.form", "order.spec"}},
	{"paths", []string{"output.name"}},
	{"sentences", []string{"claims[].words", "claims[].observer", "claims[].relative", "claims[].records",
		"claims[].given?", "claims[].note?", "claims[].names?"}},
	{"stratum", []string{"given?"}},
	{"types of columns", []string{"columns[].type"}},
	{"version", []string{"version"}},
}

// heldOut is what held-out rows show of a column, several, or the places of rows.
func heldOut(at string) (members []string) {
	for _, m := range []string{"judged", "why", "verdict", "held_out_records", "held_out_gain", "held_out_gain_at_most",
		"by",
		"held_out_lift", "above_epsilon"} {
		members = append(members, at+"."+m+"?")
	}
	return members
}

// checkMembers notes which of a list a report has, and wants somebody to have
// looked at all else in it.
func checkMembers(v *document.View, list []uncovered) {
	missing := 0
	for _, b := range list {
		found := false
		for _, m := range b.members {
			bare := strings.TrimRight(m, "?!")
			found = found || has(v.Report.Node, strings.Split(bare, "."))
			if !strings.HasSuffix(m, "!") {
				v.Seen(bare)
			}
			if bare == m && !strings.Contains(m, "[]") && !v.Report.At(m).There() {
				missing++
			}
		}
		if found {
			v.Beyond = append(v.Beyond, b.name)
		}
	}
	if missing > 0 {
		v.Add("members", false, "%d members are missing that every such report has", missing)
	}
	if open := v.Unseen(); len(open) > 0 {
		v.Add("members", false, "it has %d members that are not known, or belong into other reports", len(open))
	}
}

// has reports whether a document has a member at a path, and something in it.
func has(n document.Node, path []string) bool {
	if len(path) == 0 {
		return n.Has("") && (!n.IsText() || n.Text("") != "") && !(n.IsList() && len(n.List("")) == 0)
	}
	name, list := strings.CutSuffix(path[0], "[]")
	if !list {
		return has(n.At(name), path[1:])
	}
	return slices.ContainsFunc(n.List(name), func(e document.Node) bool { return has(e, path[1:]) })
}
