package verify

import (
	"encoding/json"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
)

// An uncovered part of a report is no claim that any check looks at.
type uncovered struct {
	name    string
	members []string
}

// beyond are the members of an internal report that no check compares with
// anything, by the names under which verify and docs/verify.md list them. [] is
// any place in a list; what lies below a member belongs to it.
var beyond = []uncovered{
	{"about", []string{"about"}},
	{"date", []string{"made"}},
	{"declared files", []string{"declared", "domain.declared"}},
	{"details of the run's own checks", []string{"checks[].detail"}},
	{"difference to an earlier report", []string{"difference"}},
	{"neighbours", []string{"conditional"}},
	{"options", []string{"options[]"}},
	{"paths", []string{"input.path", "output.path"}},
	{"types of columns", []string{"type", "columns[].type"}},
	{"version", []string{"version"}},
	{"words of conditions", []string{"population.conditions", "history.series.not_covered", "joint.words",
		"joint.worst.words"}},
	{"words of sentences", []string{"claims[].words", "claims[].given", "claims[].note", "claims[].names"}},
	{"words of warnings", []string{"warnings"}},
}

// beyondPublic are those of a public report.
var beyondPublic = []uncovered{
	{"about", []string{"about"}},
	{"declared files", []string{"declared", "domain.declared"}},
	{"design", []string{"design"}},
	{"difference to an earlier report", []string{"difference"}},
	{"domain rule", []string{"domain.rule", "domain.null", "domain.other"}},
	{"floor", []string{"floor"}},
	{"key of the draws", []string{"randomness"}},
	{"order", []string{"order"}},
	{"paths", []string{"output.name", "output.path"}},
	{"sentences", []string{"claims[].words", "claims[].observer", "claims[].relative", "claims[].records",
		"claims[].given", "claims[].note", "claims[].names"}},
	{"stratum", []string{"given"}},
	{"types of columns", []string{"columns[].type"}},
	{"version", []string{"version"}},
	{"whether an allow-list chose the columns", []string{"kept"}},
}

// beyondIn are the names of those that a report has.
func beyondIn(report []byte, schema string) (names []string) {
	list := beyond
	if schema == document.PublicFormat {
		list = beyondPublic
	}
	var all any
	if json.Unmarshal(report, &all) != nil {
		return nil
	}
	for _, b := range list {
		for _, m := range b.members {
			if has(all, strings.Split(m, ".")) {
				names = append(names, b.name)
				break
			}
		}
	}
	return names
}

// has reports whether a document has a member at a path, and something in it.
func has(v any, path []string) bool {
	if len(path) == 0 {
		switch v := v.(type) {
		case []any:
			return len(v) > 0
		case string:
			return v != ""
		}
		return v != nil
	}
	object, _ := v.(map[string]any)
	name, list := strings.CutSuffix(path[0], "[]")
	if !list {
		return has(object[name], path[1:])
	}
	for _, each := range asList(object[name]) {
		if has(each, path[1:]) {
			return true
		}
	}
	return false
}

func asList(v any) []any {
	list, _ := v.([]any)
	return list
}
