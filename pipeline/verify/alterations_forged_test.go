package verify_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/verify"
	"github.com/tacet-privacy/tacet/test/torture"
)

// edits are what a forger may do to a text, whatever it is.
var edits = []func(string) string{add(" "), half, nothing,
	func(s string) string { return digit.ReplaceAllString(s, "${1}9") + "9" },
	func(s string) string { _, rest, _ := strings.Cut(s, "\n"); return rest }}

var (
	digit = regexp.MustCompile(`(\d)\d`)
	year  = regexp.MustCompile(`20\d\d`)
)

func replaceFirst(s string, at *regexp.Regexp, fresh string) string {
	loc := at.FindStringIndex(s)
	if loc == nil {
		return s + fresh
	}
	return s[:loc[0]] + fresh + s[loc[1]:]
}

// TestForgedFiles edits every file of signed releases: with --trust each edit is refused,
// even where the release is stated anew; without it where the statement is as it was, and,
// stated anew, wherever the file is one that others contradict. Every file gets one edit, and with
// TACET_TORTURE all.
func TestForgedFiles(t *testing.T) {
	t.Parallel()
	all := torture.Long()
	for _, kind := range []string{"plain", "strata", "columns", "nights"} {
		k, path := newKey(t)
		r := build(t, kind, path)
		plain, trusting := r.request(t), r.request(t)
		trusting.Trust = strings.Split(k.Public(), "\n")[1]
		untouched(t, kind, plain)
		untouched(t, kind, trusting)
		inside, outside := r.path(report.StatementFile), r.path("public/"+report.StatementFile)
		stated, public := mustRead(t, inside), mustRead(t, outside)
		n := 0
		must(t, filepath.WalkDir(r.path(""), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasSuffix(path, report.SignatureEnding) {
				return err
			}
			file, err := filepath.Rel(r.path(""), path)
			must(t, err)
			whole := mustRead(t, path)
			n++
			for i, edit := range edits {
				if !all && i != n%len(edits) {
					continue
				}
				name := fmt.Sprint(kind, ": ", file, ": edit ", i)
				must(t, os.WriteFile(path, []byte(edit(whole)), 0o600))
				refuses(t, name, trusting)
				if open, ok := strings.CutPrefix(file, "public/"); ok && kind == "plain" && open != "mechanism.json" {
					public := trusting
					public.Report, public.Input = r.path("public/report.json"), ""
					refuses(t, name+", by itself", public)
				}
				stating := strings.HasSuffix(file, report.StatementFile) || file == report.CommitmentFile
				if !stating {
					refuses(t, name+", without trust", plain)
				}
				if !stating && json.Valid([]byte(mustRead(t, r.path(firstReport(r.path("")))))) {
					restate(t, r.path(""))
					refuses(t, name+", stated anew", trusting)
					if base := filepath.Base(file); base == "plan.json" || base == "order.csv" {
						refuses(t, name+", stated anew, without trust", plain)
					}
				}
				for path, was := range map[string]string{inside: stated, outside: public, path: whole} {
					must(t, os.WriteFile(path, []byte(was), 0o600))
				}
			}
			return nil
		}))
		if n < 12 {
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
func refuses(t *testing.T, name string, q verify.Request) {
	t.Helper()
	if got, err := verify.Run(t.Context(), q); err == nil && len(got.Failed()) == 0 {
		t.Errorf("%s: nothing failed", name)
	}
}
