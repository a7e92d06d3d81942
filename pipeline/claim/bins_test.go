package claim

import (
	"fmt"
	"strings"
	"testing"
)

// TestBins: the sentence names every rule, and what is published of a bin.
func TestBins(t *testing.T) {
	var long []string
	for i := range 50 {
		long = append(long, fmt.Sprint(10*i))
	}
	for _, c := range []struct{ rule, of, as, want string }{
		{"-inf,18,65,inf", "integer", "text", "their edges are -inf, 18, 65, inf, and each holds its lower edge"},
		{strings.Join(long, ","), "float", "text", "they have 50 edges, from 0 to 490, and each"},
		{"width:10", "integer", "lower", "each is 10 wide, and one begins at 0. "},
		{"width:2.5:1", "float", "text", "each is 2.5 wide, and one begins at 1. "},
		{"width:7:2020-01-06", "date", "middle", "each is 7 days wide, and one begins at 2020-01-06. "},
		{"width:7", "date", "text", "each is 7 days wide, and one begins at 1970-01-01. "},
		{"month", "date", "text", "each is one month of the calendar. "},
		{"hour", "timestamp", "text", "each is one hour of the calendar, in UTC. "},
	} {
		said := Value{Facts: Facts{Asked: c.rule, Given: c.of, Note: c.as}}.Bins()
		if !strings.Contains(said, c.want) {
			t.Errorf("%s of %ss: %s", c.rule, c.of, said)
		}
		for as, published := range map[string]string{"lower": "its lower end is published", "middle": "its middle is " +
			"published"} {
			if strings.Contains(said, published) != (c.as == as) {
				t.Errorf("%s as %s: %s", c.rule, c.as, said)
			}
		}
	}
}
