package claim

import (
	"fmt"
	"strings"
	"testing"
)

// TestBins: the sentence names every rule.
func TestBins(t *testing.T) {
	var long []string
	for i := range 50 {
		long = append(long, fmt.Sprint(10*i))
	}
	for _, c := range []struct{ rule, of, want string }{
		{"-inf,18,65,inf", "integer", "their edges are -inf, 18, 65, inf, and each holds its lower edge"},
		{strings.Join(long, ","), "float", "they have 50 edges, from 0 to 490, and each"},
		{"width:10", "integer", "each is 10 wide, and one begins at 0. "},
		{"width:7", "date", "each is 7 days wide, and one begins at 1970-01-01. "},
		{"month", "date", "each is one month of the calendar. "},
		{"hour", "timestamp", "each is one hour of the calendar, in UTC. "},
	} {
		said, err := Words("bins", Value{Facts: Facts{Asked: c.rule, Given: c.of}})
		if err != nil || !strings.Contains(said, c.want) {
			t.Errorf("%s of %ss: %s (%v)", c.rule, c.of, said, err)
		}
	}
}
