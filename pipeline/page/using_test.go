package page

import (
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// TestCountable: a limit stands in the public report, and in its program, where it was
// promised for all rows and nowhere else.
func TestCountable(t *testing.T) {
	for name, c := range map[string]struct {
		standing    claim.Standing
		kind, limit string
		begins, off string
	}{
		"promised":      {claim.Promised, "fresh", "2.5%", "Large groups yes", "off = 2.5 / 100 + count.sum() ** -0.5"},
		"shared draws":  {claim.Promised, "memoised", "0.025", "Large groups yes", "off = 0.025  #"},
		"earlier draws": {claim.Nothing, "fresh", "", "Not as it stands. w", "# no limit is stated"},
		"no limit":      {"", "fresh", "", "Not as it stands: the shares", "# no limit is stated"},
	} {
		p := &report.Public{Column: "x", Draws: report.Draws{Kind: c.kind}, Output: report.PublicFile{Name: "out"}}
		if c.standing != "" {
			asked := c.limit
			if asked == "" {
				asked = "5%"
			}
			v := claim.Value{Standing: c.standing, Facts: claim.Facts{Asked: asked, Given: "s"}}
			p.Claims = []claim.Claim{{Key: "shift", Section: "lead", Value: v, Words: "w"}}
		}
		said := countable(p)
		if code := program(p, said.limit); said.limit != c.limit || !strings.HasPrefix(said.words, c.begins) ||
			strings.Contains(said.tables, "the limit holds in each") != (c.limit != "") || !strings.Contains(code, c.off) {
			t.Errorf("%s: %+v\n%s", name, said, code)
		}
	}
}
