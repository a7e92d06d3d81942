package verify

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
)

// TestPublic checks a release as its recipient can: public report and output.
func TestPublic(t *testing.T) {
	r, _ := signed(t, "0.9")
	report := r.path("public/report.json")
	q := document.Request{Report: report, Output: r.output}
	got, err := Run(t.Context(), q)
	must(t, err)
	var left []string
	for _, c := range got.Checks {
		if c.Outcome != document.Passed {
			left = append(left, c.Name)
		}
	}
	if !slices.Equal(left, []string{"all else"}) || len(got.Checks) != 10 {
		t.Errorf("not passed: %v of %v", left, got.Checks)
	}
	other, _ := signed(t, "1.4")
	q.Output = other.output
	got, err = Run(t.Context(), q)
	if must(t, err); !slices.Equal(got.Failed(), []string{"output hash", "output file"}) &&
		!slices.Equal(got.Failed(), []string{"output hash"}) {
		t.Errorf("another output: failed %v", got.Failed())
	}
	for _, c := range []struct{ old, fresh, want string }{
		{`"rows": 400`, `"rows": 401`, "output file"},
		{`"target": "0.9"`, `"target": "0.8"`, "caps, claims, codebook"},
		{`"target_factor": 2.4596`, `"target_factor": 2.4595`, "caps, claims, codebook"},
		{`"target_factor": 2.4596`, `"target_factor": 2.4597`, "caps, claims, codebook"},
		{`"times": 2.4`, `"times": 2.3`, "claims"},
		{`"key": "floor"`, `"key": "leakage.reached"`, "claims, codebook"},
		{`"words": "the floor (rank`, `"words": "the floor (rung`, "claims"},
		{`"share": 0.05`, `"share": 0.06`, "caps"},
		{`"fate": "privatized"`, `"fate": "published in clear"`, "columns, data package"},
		{`"name": "k"`, `"name": "q"`, "columns, data package"},
		{`"stamp": "NOT A`, `"stamp": "A`, "report, codebook"},
	} {
		kept, err := os.ReadFile(report)
		must(t, err)
		changeFile(t, report, replace(c.old, c.fresh))
		got, err := Run(t.Context(), document.Request{Report: report, Output: r.output})
		if must(t, err); strings.Join(got.Failed(), ", ") != "statement, "+c.want {
			t.Errorf("%s: failed %v, want %s", c.fresh, got.Failed(), c.want)
		}
		must(t, os.WriteFile(report, kept, 0o600))
	}
	changeFile(t, report, replace(`"column"`, `"colunm"`))
	q.Output = r.output
	if got, err := Run(t.Context(), q); err == nil && !slices.Contains(got.Failed(), "claims") {
		t.Errorf("an unknown member: %v", got.Failed())
	}
}
