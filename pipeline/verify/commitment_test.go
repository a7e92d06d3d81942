package verify

import (
	"context"
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/report"
	"github.com/tacet-privacy/tacet/pipeline/verify/document"
)

// outcomes are those of the checks of the statements.
func outcomes(t *testing.T, r *release) map[string]document.Check {
	t.Helper()
	got, err := Run(context.Background(), r.request())
	must(t, err)
	out := map[string]document.Check{}
	for _, c := range got.Checks {
		out[c.Name] = c
	}
	return out
}

// TestStatement: every file of a release is held to its statement, and the
// public statement to the internal one.
func TestStatement(t *testing.T) {
	r := jobs["safe"].make(t)
	passes(t, r.request(), nil)
	public := "public/" + report.StatementFile
	other := strings.NewReplacer("0", "1", "1", "0")
	whole := func(name string) string {
		data, err := os.ReadFile(r.path(name))
		must(t, err)
		return string(data)
	}
	secret := strings.TrimSpace(whole(report.CommitmentFile))
	for name, c := range map[string]struct{ file, text, check string }{
		"a blank in the report":   {"report.json", strings.Replace(whole("report.json"), "\n", "\n ", 1), "statement"},
		"a word of a page":        {"report.html", strings.Replace(whole("report.html"), "rank", "bank", 1), "statement"},
		"a figure of the text":    {"report.txt", whole("report.txt") + "9\n", "statement"},
		"a word of a public page": {"public/report.md", whole("public/report.md") + "\n", "statement"},
		"a file left out": {report.StatementFile, strings.Replace(whole(report.StatementFile), "report.md", "report.mt", 1),
			"statement"},
		"another type": {report.StatementFile, strings.Replace(whole(report.StatementFile), "Statement/v1", "Statement/v2",
			1), "statement"},
		"half a statement": {report.StatementFile, whole(report.StatementFile)[:500], "statement"},
		"a member twice": {report.StatementFile, strings.Replace(whole(report.StatementFile), "{", "{\"_type\": \"x\",", 1),
			"statement"},
		"another version": {report.StatementFile, strings.Replace(whole(report.StatementFile), "\"version\": \"\"",
			"\"version\": \"9\"", 1), "statement"},
		"another sum":             {public, other.Replace(whole(public)), "commitment"},
		"half a public statement": {public, whole(public)[:300], "commitment"},
		"another key":             {report.CommitmentFile, other.Replace(whole(report.CommitmentFile)), "commitment"},
		"no key":                  {report.CommitmentFile, "", "commitment"},
		"a long key":              {report.CommitmentFile, strings.Repeat(whole(report.CommitmentFile), 100), "commitment"},
	} {
		kept := whole(c.file)
		if kept == c.text {
			t.Fatalf("%s: nothing is changed", name)
		}
		must(t, os.WriteFile(r.path(c.file), []byte(c.text), 0o600))
		if got := outcomes(t, r)[c.check]; got.Outcome != document.Failed || strings.Contains(got.Detail, secret) {
			t.Errorf("%s: %v: %s", name, got.Outcome, got.Detail)
		}
		must(t, os.WriteFile(r.path(c.file), []byte(kept), 0o600))
	}
	for _, f := range []struct{ file, check string }{{report.CommitmentFile, "commitment"}, {public, "commitment"},
		{"report.html", "stated files"}} {
		kept := whole(f.file)
		must(t, os.Remove(r.path(f.file)))
		if got := outcomes(t, r)[f.check]; got.Outcome != document.NotChecked || !strings.Contains(got.Detail, f.file) {
			t.Errorf("without %s: %v: %s", f.file, got.Outcome, got.Detail)
		}
		must(t, os.WriteFile(r.path(f.file), []byte(kept), 0o600))
	}
	must(t, os.Remove(r.path(report.StatementFile)))
	var none *Error
	if _, err := Run(context.Background(), r.request()); !errors.As(err, &none) ||
		!strings.Contains(none.What, "holds no release") {
		t.Errorf("a folder without a statement: %v", err)
	}
}

// TestStatementWithoutHashes: under --hash none both statements say that output
// and input have no hash, and a forger cannot leave that out.
func TestStatementWithoutHashes(t *testing.T) {
	r := jobs["no hash"].make(t)
	passes(t, r.request(), map[string]bool{"input hash": true, "output hash": true})
	inside, outside := mustRead(t, r.path(report.StatementFile)), mustRead(t, r.path("public/"+report.StatementFile))
	list := func(names string) string { return "\"not_computed\": [\n      " + names + "\n    ]" }
	if !strings.Contains(inside, list("\"output\",\n      \"input\"")) || !strings.Contains(outside, list("\"output\"")) ||
		strings.Contains(inside+outside, "role") || strings.Contains(inside, "inputs") {
		t.Errorf("the statements are\n%s\n%s", inside, outside)
	}
	must(t, os.WriteFile(r.path(report.StatementFile), []byte(strings.Replace(inside, "\"output\",\n      \"input\"",
		"\"output\"", 1)), 0o600))
	if got := outcomes(t, r)["statement"]; got.Outcome != document.Failed ||
		!strings.Contains(got.Detail, "what has no hash") {
		t.Errorf("a list cut short: %v: %s", got.Outcome, got.Detail)
	}
}

// TestPublicStatement: whoever has commitment.key, but no key to sign with, may
// make a public statement that fits; what it says of the release is held to the
// internal one, and with --trust its signature is wanted.
func TestPublicStatement(t *testing.T) {
	r, k := signed(t, "0.9")
	public := r.path("public/" + report.StatementFile)
	whole := mustRead(t, public)
	q := r.trust(k)
	q.Trust = strings.Split(q.Trust, "\n")[1]
	for name, edit := range map[string]func(string) string{
		"the output": func(s string) string { return strings.Replace(s, "out.parquet", "oot.parquet", 1) },
		"its hash": func(s string) string {
			return replaceFirst(s, regexp.MustCompile("\"sha256\": \"[0-9a-f]{8}"), "\"sha256\": \"00000000")
		},
		"the version":      func(s string) string { return strings.Replace(s, "\"version\": \"", "\"version\": \"9", 1) },
		"the stamp":        func(s string) string { return strings.Replace(s, "NOT A PRIVATE", "A PRIVATE", 1) },
		"a file twice":     func(s string) string { return strings.Replace(s, "report.md", "report.html", 1) },
		"a file elsewhere": func(s string) string { return strings.Replace(s, "report.md", "../report.md", 1) },
	} {
		forged := edit(whole)
		if forged == whole {
			t.Fatalf("%s: nothing is changed", name)
		}
		must(t, os.WriteFile(public, []byte(forged), 0o600))
		if got := outcomes(t, r)["commitment"]; got.Outcome != document.Failed {
			t.Errorf("%s: %v: %s", name, got.Outcome, got.Detail)
		}
		got, err := Run(t.Context(), q)
		must(t, err)
		if !slices.Contains(got.Failed(), "public signature") {
			t.Errorf("%s, with --trust: %v", name, got.Failed())
		}
	}
}
