package verify_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/key"
	"github.com/tacet-privacy/tacet/pipeline/verify"
)

// An approver has a key, in a file.
type approver struct {
	*key.Key
	path string
}

func newApprover(t *testing.T) approver {
	t.Helper()
	k, path := newKey(t)
	return approver{k, path}
}

// undecided makes a release that may be approved: no test seed drew it.
func undecided(t *testing.T, epsilon string) *release {
	t.Helper()
	return job{cell: abbc, rows: 400, order: "ordered:a,b,c", fresh: true,
		options: options{Epsilon: epsilon, AllowUnchanged: true}}.make(t)
}

// line is the public key as --approver takes it.
func (a approver) line() string { return strings.Split(a.Public(), "\n")[1] }

// decides signs a decision, and is its path.
func (a approver) decides(t *testing.T, r *release, decision, note string) string {
	t.Helper()
	_, path, err := pipeline.SignOff{Report: r.path(""), Decision: decision, By: "A. <Name>", Note: note,
		Date: "2026-01-31T12:00:00Z", Key: a.path}.Write()
	must(t, err)
	return path
}

// decided are the checks of decisions, by name.
func decided(t *testing.T, r *release, approvers ...approver) map[string]verify.Check {
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

// filesIn are the files below a folder.
func filesIn(t *testing.T, folder string) map[string]string {
	t.Helper()
	out := map[string]string{}
	must(t, filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			out[path] = mustRead(t, path)
		}
		return err
	}))
	return out
}

// TestForgedDecisions changes a decision, its signature or its place, and wants the check
// of the decision to fail; unsigned says that it fails without keys, too.
func TestForgedDecisions(t *testing.T) {
	r := undecided(t, "0.9")
	other := undecided(t, "1.4")
	a, stranger := newApprover(t), newApprover(t)
	first := a.decides(t, r, "reject", "too fine")
	second := a.decides(t, r, "approve", "")
	foreign := a.decides(t, other, "approve", "")
	copied := func(from, to string) func() {
		return func() {
			must(t, os.WriteFile(to, []byte(mustRead(t, from)), 0o600))
			must(t, os.WriteFile(to+".minisig", []byte(mustRead(t, from+".minisig")), 0o600))
		}
	}
	edit := func(path, old, fresh string) func() {
		return func() { changeFile(t, path, replace(old, fresh)) }
	}
	remove := func(paths ...string) func() {
		return func() {
			for _, p := range paths {
				must(t, os.Remove(p))
			}
		}
	}
	third := r.path("decision-3.json")
	for _, c := range []struct {
		what, check string
		forge       func()
		unsigned    bool
	}{
		{"reject becomes approve", "decision", edit(first, `"reject"`, `"approve"`), true},
		{"another name", "decision", edit(first, "A. <Name>", "B. Name"), false},
		{"a blank more", "decision", edit(first, `"by": `, `"by":  `), true},
		{"a decision that there is not", "decision", edit(first, `"reject"`, `"defer"`), true},
		{"nobody decides", "decision", edit(first, "A. <Name>", ""), true},
		{"no date", "decision", edit(first, "2026-01-31T12:00:00Z", "soon"), true},
		{"another report", "decision", func() {
			changeFile(t, first, func(s string) string {
				_, id, _ := strings.Cut(s, `"release": "`)
				return strings.ReplaceAll(s, id[:8], "00000000")
			})
		}, true},
		{"of another release", "decision", copied(foreign, first), true},
		{"of another release, as one more", "decision 3", copied(foreign, third), true},
		{"the signature of another decision", "decision", func() {
			must(t, os.WriteFile(first+".minisig", []byte(mustRead(t, second+".minisig")), 0o600))
		}, false},
		{"the comment of the signature", "decision", edit(first+".minisig", "file:decision", "file:decisioN"), false},
		{"no signature", "decision", remove(first + ".minisig"), true},
		{"a decision taken away", "decision", remove(first, first+".minisig"), true},
		{"a decision taken away, its signature left", "decision", remove(first), true},
		{"a pipe", "decision", func() {
			must(t, os.Remove(first))
			must(t, syscall.Mkfifo(first, 0o600))
		}, true},
		{"by a stranger", "decision 3", func() { stranger.decides(t, r, "approve", "") }, false},
	} {
		kept := filesIn(t, r.path(""))
		c.forge()
		if got := decided(t, r, a)[c.check]; got.Outcome.String() != "FAILED" {
			t.Errorf("%s: %s is %v (%s)", c.what, c.check, got.Outcome, got.Detail)
		}
		if got := decided(t, r)[c.check]; (got.Outcome.String() == "FAILED") != c.unsigned {
			t.Errorf("%s, without keys: %s is %v (%s)", c.what, c.check, got.Outcome, got.Detail)
		}
		made, err := filepath.Glob(r.path("decision*"))
		must(t, err)
		remove(made...)()
		for path, data := range kept {
			must(t, os.WriteFile(path, []byte(data), 0o600))
		}
	}
	if got := decided(t, r, a); got["approval"].Outcome.String() != "passed" {
		t.Errorf("nothing is forged any more, and the approval is %v", got["approval"])
	}
	// A release that is made anew in the same folder was not decided on.
	changeFile(t, r.path("release.json"), replace(`"sha256": "`, `"sha256": "0`))
	q := r.request(t)
	q.Approvers = []string{a.line()}
	got, err := verify.Run(t.Context(), q)
	must(t, err)
	for _, name := range []string{"decision", "decision 2", "approval"} {
		if !slices.Contains(got.Failed(), name) {
			t.Errorf("another statement: %s has not failed: %v", name, got.Failed())
		}
	}
}

// TestSignOffRefuses: texts that cannot be read decide nothing, and no decision is replaced.
func TestSignOffRefuses(t *testing.T) {
	r := undecided(t, "0.9")
	a := newApprover(t)
	refused := func(s pipeline.SignOff) {
		t.Helper()
		s.Report, s.Decision, s.Key = r.path(""), "approve", a.path
		if _, _, err := s.Write(); err == nil {
			t.Errorf("%q decides with the note %q", s.By, s.Note)
		}
	}
	for _, s := range []pipeline.SignOff{{By: "a\nb"}, {By: "a\u202eb"}, {By: "\xff"}, {By: strings.Repeat("x", 2001)},
		{By: "x", Note: "\x1b[2J"}} {
		refused(s)
	}
	must(t, os.WriteFile(r.path("decision.json.minisig"), nil, 0o600))
	refused(pipeline.SignOff{By: "x"})
	if files := filesIn(t, r.path("")); files[r.path("decision.json")] != "" {
		t.Error("a decision was written")
	}
}

// TestSignOffsAtOnce: of decisions made at once none replaces another, and none leaves a
// gap.
func TestSignOffsAtOnce(t *testing.T) {
	r := undecided(t, "0.9")
	a := newApprover(t)
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
