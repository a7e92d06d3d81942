package claim

import (
	"fmt"
	"strings"
)

// mostEdges are named one by one.
const mostEdges = 40

// Bins says that values were put into bins, and by which edges. Asked is the rule, Given
// what the column holds.
func (v Value) Bins() string {
	return fmt.Sprintf("Values were put into bins before anything was drawn: %s. A bin counts as one value in all that "+
		"is promised here. The edges were given, and none was computed from the records by this program. Edges that "+
		"somebody chose after a look at the data depend on them, and epsilon does not cover that choice.",
		edges(v.Asked, v.Given))
}

// edges says a rule in words.
func edges(rule, of string) string {
	if width, ok := strings.CutPrefix(rule, "width:"); ok {
		unit, from := "", "0"
		if of == "date" {
			unit, from = " days", "1970-01-01"
		}
		return fmt.Sprintf("each is %s%s wide, and one begins at %s", width, unit, from)
	}
	all := strings.Split(rule, ",")
	switch n := len(all); {
	case n == 1:
		zone := ""
		if strings.HasPrefix(of, "timestamp") {
			zone = ", in UTC"
		}
		return fmt.Sprintf("each is one %s of the calendar%s", rule, zone)
	case n > mostEdges:
		return fmt.Sprintf("they have %d edges, from %s to %s, and each holds its lower edge and not its upper one", n,
			all[0], all[n-1])
	}
	return fmt.Sprintf("their edges are %s, and each holds its lower edge and not its upper one", strings.Join(all, ", "))
}
