package verify

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/verify/document"
)

// edits are what a forger may do to a text, whatever it is.
var edits = map[string]func(string) string{
	"a figure larger":     func(s string) string { return digit.ReplaceAllString(s, "${1}9") },
	"the first figure":    func(s string) string { return replaceFirst(s, digit, "7") },
	"a word":              func(s string) string { return strings.Replace(s, " the ", " no ", 1) },
	"a line at the end":   func(s string) string { return s + "approved\n" },
	"a line left out":     func(s string) string { _, rest, _ := strings.Cut(s, "\n"); return rest },
	"half of it":          func(s string) string { return s[:len(s)/2] },
	"nothing":             func(string) string { return "" },
	"a blank":             func(s string) string { return s + " " },
	"a date":              func(s string) string { return year.ReplaceAllString(s+"2020", "1999") },
	"warnings left out":   func(s string) string { return strings.ReplaceAll(s+"arning", "arning", "orning") },
	"the neighbours told": func(s string) string { return strings.ReplaceAll(s+"beside", "beside", "inside") },
	"upper case":          strings.ToUpper,
}

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

// TestForgedFiles edits every file of a signed release in every way: with
// --trust all of them are refused, even where the forger states the release
// anew; without it those are refused that the statement contradicts.
func TestForgedFiles(t *testing.T) {
	r, k := signed(t, "0.9")
	trusting := r.trust(k)
	trusting.Trust = strings.Split(trusting.Trust, "\n")[1]
	plain := trusting
	plain.Trust = ""
	refused := func(name string, q document.Request) {
		t.Helper()
		got, err := Run(t.Context(), q)
		if err == nil && len(got.Failed()) == 0 {
			t.Errorf("%s: nothing failed", name)
		}
	}
	stated, public := mustRead(t, r.path(report.StatementFile)), mustRead(t, r.path("public/"+report.StatementFile))
	n := 0
	for _, file := range []string{"report.json", "report.txt", "report.md", "report.html", "plan.json", "order.csv",
		"public/report.json", "public/report.txt", "public/report.md", "public/report.html",
		"public/codebook.json", "public/codebook.md", "public/datapackage.json",
		report.CommitmentFile, report.StatementFile, "public/" + report.StatementFile} {
		whole := mustRead(t, r.path(file))
		for name, edit := range edits {
			forged := edit(whole)
			if forged == whole {
				continue
			}
			n++
			name = fmt.Sprintf("%s: %s", file, name)
			must(t, os.WriteFile(r.path(file), []byte(forged), 0o600))
			refused(name, trusting)
			if file != report.CommitmentFile && !strings.HasSuffix(file, report.StatementFile) {
				refused(name+", without trust", plain)
				if file != "report.json" {
					restate(t, r.path(""))
					refused(name+", stated anew", trusting)
				}
			}
			must(t, os.WriteFile(r.path(file), []byte(whole), 0o600))
			must(t, os.WriteFile(r.path(report.StatementFile), []byte(stated), 0o600))
			must(t, os.WriteFile(r.path("public/"+report.StatementFile), []byte(public), 0o600))
		}
	}
	for _, gone := range []string{report.StatementFile} {
		whole := mustRead(t, r.path(gone))
		must(t, os.Remove(r.path(gone)))
		refused("without "+gone, trusting)
		must(t, os.WriteFile(r.path(gone), []byte(whole), 0o600))
	}
	if got, err := Run(t.Context(), trusting); err != nil || len(got.Failed()) > 0 {
		t.Errorf("control: the release as it was: %v, %v", err, got.Failed())
	}
	if n < 150 {
		t.Errorf("only %d forgeries", n)
	}
}

// TestForgedPublic does the same to a public release, whose recipient has the
// public folder alone.
func TestForgedPublic(t *testing.T) {
	r, k := signed(t, "0.9")
	q := r.trust(k)
	q.Report, q.Input, q.Trust = r.path("public/report.json"), "", strings.Split(q.Trust, "\n")[1]
	if got, err := Run(t.Context(), q); err != nil || len(got.Failed()) > 0 || !slices.ContainsFunc(got.Checks,
		func(c document.Check) bool { return c.Name == "signature" }) {
		t.Fatalf("control: %v, %v", err, got.Checks)
	}
	for _, file := range []string{"report.json", "report.txt", "report.md", "report.html", report.StatementFile,
		"codebook.json", "codebook.md", "datapackage.json"} {
		path := filepath.Join(r.path("public"), file)
		whole := mustRead(t, path)
		for name, edit := range edits {
			forged := edit(whole)
			if forged == whole {
				continue
			}
			must(t, os.WriteFile(path, []byte(forged), 0o600))
			if got, err := Run(t.Context(), q); err == nil && len(got.Failed()) == 0 {
				t.Errorf("public/%s: %s: nothing failed", file, name)
			}
		}
		must(t, os.WriteFile(path, []byte(whole), 0o600))
	}
}

func mustRead(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	return string(data)
}
