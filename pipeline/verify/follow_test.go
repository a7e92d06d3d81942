package verify_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/verify"
)

// follows runs a job on a file, column c of which is private, and wants every
// check of what was published to pass, with and without the input. It reports
// whether anything was published.
func follows(t *testing.T, file []byte, ext string, o pipeline.Options) bool {
	t.Helper()
	dir := t.TempDir()
	seed := uint64(1)
	o.Input, o.Output = filepath.Join(dir, "in"+ext), filepath.Join(dir, "out"+ext)
	o.Report = filepath.Join(dir, "report")
	o.Column, o.Audit, o.TestSeed, o.Epsilon, o.Design = "c", "off", &seed, "3", "safe"
	o.AllowUnchanged = true // two letters may be exchanged
	must(t, os.WriteFile(o.Input, file, 0o600))
	if _, err := pipeline.Run(t.Context(), o); err != nil {
		t.Logf("not published: %v", err)
		return false
	}
	q := verify.Request{Report: filepath.Join(o.Report, "report.json"), Output: o.Output, Input: o.Input}
	for range 2 {
		got, err := verify.Run(t.Context(), q)
		if err != nil {
			t.Errorf("with input %q: %v", filepath.Base(q.Input), err)
			return true
		}
		for _, c := range got.Checks {
			if c.Outcome.String() == "FAILED" {
				t.Errorf("with input %q: %s: %v: %s", filepath.Base(q.Input), c.Name, c.Outcome, c.Detail)
			}
		}
		q.Input = ""
	}
	return true
}
