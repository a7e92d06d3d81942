package page

import (
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// TestCountable: a limit stands in the public report where it was promised for all rows and
// nowhere else.
func TestCountable(t *testing.T) {
	for _, c := range []struct {
		standing claim.Standing
		begins   string
	}{
		{claim.Promised, "Large groups yes"},
		{claim.Nothing, "Not as it stands. w"},
		{"", "Not as it stands: the shares"},
	} {
		p := &report.Public{Column: "x"}
		if c.standing != "" {
			v := claim.Value{Standing: c.standing, Facts: claim.Facts{Asked: "5%", Given: "s"}}
			p.Claims = []claim.Claim{{Key: "shift", Section: "lead", Value: v, Words: "w"}}
		}
		if column, table := say("countable", p), say("countable table", p); !strings.HasPrefix(column, c.begins) ||
			strings.Contains(table, "the limit holds in each") != (c.standing == claim.Promised) {
			t.Errorf("%s: %s\n%s", c.standing, column, table)
		}
	}
}
