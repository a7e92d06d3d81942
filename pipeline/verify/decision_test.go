package verify_test

import (
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/verify"
)

// undecided makes a release that may be approved: no test seed drew it.
func undecided(t *testing.T, epsilon string) *release {
	t.Helper()
	return job{cell: abbc, rows: 400, order: "ordered:a,b,c", fresh: true,
		options: options{Epsilon: epsilon, AllowUnchanged: true}}.make(t)
}

// decides signs a decision, and is its path.
func (a signer) decides(t *testing.T, r *release, decision, note string) string {
	t.Helper()
	_, path, err := pipeline.SignOff{Report: r.path(""), Decision: decision, By: "A. <Name>", Note: note,
		Date: "2026-01-31T12:00:00Z", Key: a.path}.Write()
	must(t, err)
	return path
}

// decided are the checks of decisions, by name.
func decided(t *testing.T, r *release, approvers ...signer) map[string]verify.Check {
	t.Helper()
	q := r.request(t)
	for _, a := range approvers {
		q.Approvers = append(q.Approvers, a.line())
	}
	got, err := verify.Run(t.Context(), q)
	must(t, err)
	out := map[string]verify.Check{}
	for _, c := range got.Checks {
		if strings.HasPrefix(c.Name, "decision") || c.Name == "approval" {
			out[c.Name] = c
		} else if c.Outcome.String() == "FAILED" {
			t.Errorf("%s failed: %s", c.Name, c.Detail)
		}
	}
	return out
}

// placed puts a text into a file of the report's folder.
func placed(file, text string) change {
	return func(t *testing.T, r *release) { must(t, writeText(r.path(file), text)) }
}

// TestForgedDecisions changes a decision, its signature or its place, and wants the check
// of the decision to fail; unsigned says that it fails without keys, too.
func TestForgedDecisions(t *testing.T) {
	base, other := undecided(t, "0.9"), undecided(t, "1.4")
	a, stranger := newSigner(t), newSigner(t)
	a.decides(t, base, "reject", "too fine")
	second := a.decides(t, base, "approve", "")
	foreign := a.decides(t, other, "approve", "")
	ofAnother := func(file string) change {
		return each(placed(file, mustRead(t, foreign)), placed(file+".minisig", mustRead(t, foreign+".minisig")))
	}
	const first, signature = "decision.json", "decision.json.minisig"
	for _, c := range []struct {
		what, check string
		unsigned    bool
		forge       change
	}{
		{"reject becomes approve", "decision", true, text(first, replace(`"reject"`, `"approve"`))},
		{"another name", "decision", false, text(first, replace("A. <Name>", "B. Name"))},
		{"a blank more", "decision", true, text(first, replace(`"by": `, `"by":  `))},
		{"a decision that there is not", "decision", true, text(first, replace(`"reject"`, `"defer"`))},
		{"nobody decides", "decision", true, text(first, replace("A. <Name>", ""))},
		{"no date", "decision", true, text(first, replace("2026-01-31T12:00:00Z", "soon"))},
		{"another report", "decision", true, text(first, func(s string) string {
			_, id, _ := strings.Cut(s, `"release": "`)
			return strings.ReplaceAll(s, id[:8], "00000000")
		})},
		{"of another release", "decision", true, ofAnother(first)},
		{"of another release, as one more", "decision 3", true, ofAnother("decision-3.json")},
		{"the signature of another decision", "decision", false, placed(signature, mustRead(t, second+".minisig"))},
		{"the comment of the signature", "decision", false, text(signature, replace("file:decision", "file:decisioN"))},
		{"no signature", "decision", true, removed(signature)},
		{"a decision taken away", "decision", true, each(removed(first), removed(signature))},
		{"a decision taken away, its signature left", "decision", true, removed(first)},
		{"a pipe", "decision", true, each(removed(first),
			func(t *testing.T, r *release) { must(t, syscall.Mkfifo(r.path(first), 0o600)) })},
		{"by a stranger", "decision 3", false,
			func(t *testing.T, r *release) { stranger.decides(t, r, "approve", "") }},
	} {
		r := base.copyTo(t, filepath.Join(t.TempDir(), "copy"))
		c.forge(t, r)
		if got := decided(t, r, a)[c.check]; got.Outcome.String() != "FAILED" {
			t.Errorf("%s: %s is %v (%s)", c.what, c.check, got.Outcome, got.Detail)
		}
		if got := decided(t, r)[c.check]; (got.Outcome.String() == "FAILED") != c.unsigned {
			t.Errorf("%s, without keys: %s is %v (%s)", c.what, c.check, got.Outcome, got.Detail)
		}
	}
	if got := decided(t, base, a); got["approval"].Outcome.String() != "passed" {
		t.Errorf("nothing is forged, and the approval is %v", got["approval"])
	}
	// A release that is made anew in the same folder was not decided on.
	text("release.json", replace(`"sha256": "`, `"sha256": "0`))(t, base)
	q := base.request(t)
	q.Approvers = []string{a.line()}
	for _, check := range []string{"decision", "decision 2", "approval"} {
		refused(t, q, check)
	}
}

// TestSignOffRefuses: texts that cannot be read decide nothing, and no decision is replaced.
func TestSignOffRefuses(t *testing.T) {
	r := undecided(t, "0.9")
	a := newSigner(t)
	for _, s := range []pipeline.SignOff{{By: "a\nb"}, {By: "a\u202eb"}, {By: "\xff"}, {By: strings.Repeat("x", 2001)},
		{By: "x", Note: "\x1b[2J"}, {By: "x"}} {
		if s.By == "x" && s.Note == "" { // a signature stands where that of this decision would
			must(t, writeText(r.path("decision.json.minisig"), ""))
		}
		s.Report, s.Decision, s.Key = r.path(""), "approve", a.path
		if _, _, err := s.Write(); err == nil {
			t.Errorf("%q decides with the note %q", s.By, s.Note)
		}
	}
	if _, err := os.Stat(r.path("decision.json")); err == nil {
		t.Error("a decision was written")
	}
}

// TestSignOffsAtOnce: of decisions made at once none replaces another, and none leaves a
// gap.
func TestSignOffsAtOnce(t *testing.T) {
	r := undecided(t, "0.9")
	a := newSigner(t)
	var wait sync.WaitGroup
	var written atomic.Int32
	for range 8 {
		wait.Go(func() {
			_, _, err := pipeline.SignOff{Report: r.path(""), Decision: "approve", By: "x", Date: "2026-01-31T12:00:00Z",
				Key: a.path}.Write()
			if err == nil {
				written.Add(1)
			} else if !strings.Contains(err.Error(), "without the decision that it signs") {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	got := decided(t, r, a)
	for name, c := range got {
		if c.Outcome.String() != "passed" {
			t.Errorf("%s is %v (%s)", name, c.Outcome, c.Detail)
		}
	}
	if n := int(written.Load()); n == 0 || len(got) != n+1 { // and the approval
		t.Errorf("%d decisions were written, and %d checks made", n, len(got))
	}
}

// TestTrust refuses what is no public key, without repeating it.
func TestTrust(t *testing.T) {
	q := made(t, "signed").request(t)
	k := newSigner(t)
	dir := t.TempDir()
	_, secret, _ := strings.Cut(string(k.Text()), "\n")
	for name, text := range map[string]string{
		"empty": "", "prose": "my key\n", "secret": string(k.Text()), "short": "RWQAAA\n",
		"kind":         base64.StdEncoding.EncodeToString(append([]byte("Xd"), make([]byte, 40)...)),
		"comment only": "untrusted comment: x\n",
	} {
		path := filepath.Join(dir, "k")
		must(t, writeText(path, text))
		for _, q.Trust = range []string{path, filepath.Join(dir, "absent"), strings.TrimSpace(secret)} {
			var e *verify.Error
			if _, err := verify.Run(t.Context(), q); !errors.As(err, &e) || strings.Contains(e.What, "RWQAAE") ||
				strings.Contains(e.What, "my key") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
