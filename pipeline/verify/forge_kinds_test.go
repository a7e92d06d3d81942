package verify

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/key"
	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/verify/document"
)

// TestForgedKinds edits every file of signed releases of strata, of several
// columns and of a series: with --trust each edit is refused, even where the
// release is stated anew; without it where the statement is as it was, and, stated
// anew, wherever the file is one that others contradict. TACET_TORTURE makes
// every edit to every file.
func TestForgedKinds(t *testing.T) {
	all := os.Getenv("TACET_TORTURE") != ""
	names := slices.Sorted(maps.Keys(edits))
	for _, kind := range []string{"strata", "columns", "nights"} {
		k, err := key.New(key.Signing, "")
		must(t, err)
		path := filepath.Join(t.TempDir(), "key")
		must(t, key.Write(path, k))
		r := walks[kind](t, path)
		trusting := r.request
		trusting.Trust = strings.Split(k.Public(), "\n")[1]
		for _, q := range []document.Request{r.request, trusting} {
			if got, err := Run(t.Context(), q); err != nil || len(got.Failed()) > 0 {
				t.Fatalf("control: %s: %v, %v", kind, err, got)
			}
		}
		stated, public := mustRead(t, filepath.Join(r.folder, report.StatementFile)),
			mustRead(t, filepath.Join(r.folder, "public", report.StatementFile))
		n := 0
		must(t, filepath.WalkDir(r.folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasSuffix(path, report.SignatureEnding) {
				return err
			}
			file, err := filepath.Rel(r.folder, path)
			must(t, err)
			whole, tries := mustRead(t, path), 0
			for i := range names {
				name := names[(i+n)%len(names)]
				forged := edits[name](whole)
				if forged == whole || !all && tries == 1 {
					continue
				}
				tries, n = tries+1, n+1
				name = kind + ": " + file + ": " + name
				must(t, os.WriteFile(path, []byte(forged), 0o600))
				refuses(t, name, trusting)
				stating := strings.HasSuffix(file, report.StatementFile) || file == report.CommitmentFile
				if !stating {
					refuses(t, name+", without trust", r.request)
				}
				if !stating && json.Valid([]byte(mustRead(t, filepath.Join(r.folder, firstReport(r.folder))))) {
					restate(t, r.folder)
					refuses(t, name+", stated anew", trusting)
					if base := filepath.Base(file); base == "plan.json" || base == "order.csv" {
						refuses(t, name+", stated anew, without trust", r.request)
					}
				}
				must(t, os.WriteFile(path, []byte(whole), 0o600))
				must(t, os.WriteFile(filepath.Join(r.folder, report.StatementFile), []byte(stated), 0o600))
				must(t, os.WriteFile(filepath.Join(r.folder, "public", report.StatementFile), []byte(public), 0o600))
			}
			return nil
		}))
		if n < 13 {
			t.Errorf("%s: only %d forgeries", kind, n)
		}
	}
}

// firstReport is the report from which a statement has its version and stamp.
func firstReport(folder string) string {
	if _, err := os.Stat(filepath.Join(folder, "report.json")); err == nil {
		return "report.json"
	}
	return "1/report.json"
}

// refuses wants a check to fail, or the files to be refused.
func refuses(t *testing.T, name string, q document.Request) {
	t.Helper()
	if got, err := Run(t.Context(), q); err == nil && len(got.Failed()) == 0 {
		t.Errorf("%s: nothing failed", name)
	}
}
