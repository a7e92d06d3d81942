package releases

import (
	"fmt"
	"strings"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/composition"
)

// A Kind says by which law an output has come about, as a channel of a history
// names it: "draw", or "draw; total TOTAL, else OVER".
type Kind string

// Draw is the kind without a rule.
const Draw Kind = "draw"

// overs are the ways of a rule, as users name them.
var overs = map[string]composition.Over{"repeat": composition.Repeat, "suppress": composition.Suppress,
	"refuse": composition.Refuse}

// Limited is the kind of draws within a total (as mechanism.ParseEpsilon reads
// it) and what is published where a draw would pass it.
func Limited(total, over string) Kind { return Kind("draw; total " + total + ", else " + over) }

// Given is how users ask for a kind of draws.
func (k Kind) Given() string {
	total, over, ok := strings.Cut(strings.TrimPrefix(string(k), "draw; total "), ", else ")
	if !ok {
		return "without --total-epsilon"
	}
	return "with --total-epsilon " + total + " --over-budget " + over
}

// rule is the rule of a kind, nil where it has none.
func (k Kind) rule() (*composition.Rule, error) {
	if k == Draw {
		return nil, nil
	}
	rest, ok := strings.CutPrefix(string(k), "draw; total ")
	total, over, cut := strings.Cut(rest, ", else ")
	way, known := overs[over]
	epsilon, err := mechanism.ParseEpsilon(total)
	if !ok || !cut || !known || err != nil {
		return nil, fmt.Errorf("the record history names a kind of draws that this version does not know")
	}
	return &composition.Rule{Total: epsilon, Over: way}, nil
}
