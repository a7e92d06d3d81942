package page

import (
	"slices"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// shiftOf is the claim of the limit of shares of a public report, nil where there is none. A
// limit is one only where it was promised for all rows.
func shiftOf(p *report.Public) *claim.Claim {
	if c, ok := claim.Find(p.Claims, "shift"); ok {
		return &c
	}
	return nil
}

// cited is what people said of a published file, as a citation has it.
func cited(p *report.Public) string {
	a := of(p.About)
	parts := []string{strings.TrimSpace(a.Owner), strings.TrimSpace(a.Date), strings.TrimSpace(a.Release)}
	if parts[1] != "" {
		parts[1] = "(" + parts[1] + ")"
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " ")
}
