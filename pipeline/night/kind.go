package night

import (
	"fmt"
	"strings"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/mechanism/series"
)

// A Kind says by which law an output has come about, as a channel of a history
// names it: "draw", "draw; total TOTAL, else OVER", or "derived".
type Kind string

// The kinds without a rule.
const (
	Draw    Kind = "draw"    // the design's own
	Derived Kind = "derived" // drawn from what was published before, not from the letter
)

// overs are the ways of a rule, as users name them.
var overs = map[string]series.Over{"repeat": series.Repeat, "suppress": series.Suppress, "refuse": series.Refuse}

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
func (k Kind) rule() (*series.Rule, error) {
	if k == Draw || k == Derived {
		return nil, nil
	}
	rest, ok := strings.CutPrefix(string(k), "draw; total ")
	total, over, cut := strings.Cut(rest, ", else ")
	way, known := overs[over]
	epsilon, err := mechanism.ParseEpsilon(total)
	if !ok || !cut || !known || err != nil {
		return nil, fmt.Errorf("the record history names a kind of draws that this version does not know")
	}
	return &series.Rule{Total: epsilon, Over: way}, nil
}
