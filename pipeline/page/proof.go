package page

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// checks are those of the written file.
func checks(r *report.Report) report.Table {
	t := report.NewTable("Checks of the written file, before it was put in place", "check", "result", "found")
	for _, c := range r.Checks {
		t.Add(c.Name, yes(c.Passed, "passed", "FAILED"), c.Detail)
	}
	return t
}

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

func reproduce(r *report.Report) report.Section {
	s := section("reproduce", r)
	if public(r) {
		return s
	}
	t := report.NewTable("Effective options and where each came from", "option", "value", "origin")
	for _, o := range r.Settings {
		t.Add(o.Name, cmp.Or(o.Value, "(none)"), o.Origin)
	}
	s.Tables = []report.Table{t}
	return s
}
