package verify_test

import (
	"slices"
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
	{"neighbours", slices.Concat([]string{"conditional.largest?", "conditional.blind_letters?", "conditional.pairs_judged?",
		"conditional.pairs_possible?", "conditional.findings?",
		"conditional.together?"}, heldOut("conditional.columns[]"), heldOut("conditional.pairs[]"),
		heldOut("conditional.place"))},
	{"options", []string{"options[]", "certainty.unchanged_allowed?"}},
	{"paths", []string{"input.path", "output.path", "input.empty?"}},
	{"types of columns", []string{"type", "columns[].type"}},
	{"version", []string{"version"}},
	{"words of conditions", []string{"population.conditions?", "history.series.not_covered?", "joint.words?",
		"joint.worst.words?"}},
	{"words of sentences", []string{"claims[].words", "claims[].given?", "claims[].note?", "claims[].names?"}},
	{"words of warnings", []string{"warnings"}},
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
