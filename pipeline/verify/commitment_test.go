package verify

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/verify/trust"
	"github.com/tacet-privacy/tacet/pipeline/verify/verdict"
)

// TestCommitment: what was published of the report binds it, for those who
// have the key.
func TestCommitment(t *testing.T) {
	r := jobs["safe"].make(t)
	passes(t, r.request(), nil)
	outcome := func() (verdict.Outcome, string) {
		t.Helper()
		got, err := Run(context.Background(), r.request())
		must(t, err)
		for _, c := range got.Checks {
			if c.Name == "commitment" {
				return c.Outcome, c.Detail
			}
		}
		t.Fatal("there is no such check")
		return 0, ""
	}
	whole := map[string]string{}
	for _, f := range []string{"report.json", trust.CommitmentFile, trust.CommitmentKey} {
		data, err := os.ReadFile(r.path(f))
		must(t, err)
		whole[f] = string(data)
	}
	report, sum, key := whole["report.json"], whole[trust.CommitmentFile], whole[trust.CommitmentKey]
	other := strings.NewReplacer("0", "1", "1", "0")
	for name, changed := range map[string][2]string{
		"a blank in the report": {"report.json", strings.Replace(report, "\n", "\n ", 1)},
		"another sum":           {trust.CommitmentFile, trust.CommitmentHead + other.Replace(strings.TrimPrefix(sum, trust.CommitmentHead))},
		"half a sum":            {trust.CommitmentFile, sum[:len(sum)-9]},
		"another scheme":        {trust.CommitmentFile, strings.Replace(sum, "hmac-sha256", "sha256", 1)},
		"another key":           {trust.CommitmentKey, other.Replace(key)},
		"no key":                {trust.CommitmentKey, ""},
		"a long key":            {trust.CommitmentKey, strings.Repeat(key, 100)},
	} {
		must(t, os.WriteFile(r.path(changed[0]), []byte(changed[1]), 0o600))
		if got, detail := outcome(); got != verdict.Failed || strings.Contains(detail, strings.TrimSpace(key)) {
			t.Errorf("%s: %v: %s", name, got, detail)
		}
		must(t, os.WriteFile(r.path(changed[0]), []byte(whole[changed[0]]), 0o600))
	}
	for _, f := range []string{trust.CommitmentKey, trust.CommitmentFile} {
		must(t, os.Remove(r.path(f)))
		if got, detail := outcome(); got != verdict.NotChecked || !strings.Contains(detail, f) {
			t.Errorf("without %s: %v: %s", f, got, detail)
		}
	}
}
