package page

import (
	"fmt"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// passed names the checks of the written file, and how many of them passed.
func passed(r *report.Report) string {
	n := 0
	var found []string
	for _, c := range r.Checks {
		if c.Passed {
			n++
		}
		found = append(found, c.Name+yes(c.Passed, "", " FAILED"))
	}
	return fmt.Sprintf("%d of %d passed: %s", n, len(r.Checks), strings.Join(found, ", "))
}
