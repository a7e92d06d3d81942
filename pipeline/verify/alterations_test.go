package verify_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/verify"
)

// A row is something that a forger does to a release. Nothing that is refused here may ever be
// accepted.
type row struct {
	base, name string
	want       string // a check that has to fail, or, in quotes, part of the message of a refusal
	do         change
}

// An alteration is a row, what the forger makes fit then, and what is asked of verify.
type alteration struct {
	row
	fit   change
	blind bool                                // it is refused without the input, too
	ask   func(r *release, q *verify.Request) // nil: everything is asked
}

// A change is done to a release, or to its documents in memory.
type change = func(t *testing.T, r *release)

// of are alterations after which the same is made to fit.
func of(fit change, rows []row) (all []alteration) {
	for _, w := range rows {
		all = append(all, alteration{row: w, fit: fit})
	}
	return all
}

// unseen are alterations that are refused without the input, too.
func unseen(all []alteration) []alteration {
	for i := range all {
		all[i].blind = true
	}
	return all
}

// asked are alterations of which verify is asked something else.
func asked(ask func(r *release, q *verify.Request), all []alteration) []alteration {
	for i := range all {
		all[i].ask = ask
	}
	return all
}

// What a forger makes fit: the documents are written as they are in memory, with their hashes
// as they were or with hashes that fit, or everything is told anew, too; or only the statements are
// made of the files as they lie, or nothing is.
var (
	written  change = func(t *testing.T, r *release) { r.save(t, false) }
	hashed   change = func(t *testing.T, r *release) { r.save(t, true) }
	retold   change = func(t *testing.T, r *release) { r.save(t, true); retell(t, r.path("")) }
	restated change = func(t *testing.T, r *release) { restate(t, r.path("")) }
	asItLies change = func(*testing.T, *release) {}
)

// alterations are all of them, by what they change.
var alterations = slices.Concat(ofPlan, ofParquet, ofArrow, ofCSV, ofNights, ofWeights, ofDocuments,
	ofSignatures, ofPublic, consistent)

// TestAlterations: every release passes as it is, and no alteration of it does.
func TestAlterations(t *testing.T) {
	t.Parallel()
	seen, passed := map[string]bool{}, map[string]bool{}
	for _, a := range alterations {
		name := a.base + ": " + a.name
		if seen[name] {
			t.Errorf("%s stands twice", name)
		}
		seen[name] = true
		base := made(t, a.base)
		if !passed[a.base] {
			passed[a.base] = true
			untouched(t, a.base, base.request(t))
		}
		t.Run(name, func(t *testing.T) {
			r := base.copyTo(t, filepath.Join(t.TempDir(), "copy"))
			a.do(t, r)
			a.fit(t, r)
			q := r.request(t)
			if a.ask != nil {
				a.ask(r, &q)
			}
			refused(t, q, a.want)
			if q.Input = ""; a.blind {
				refused(t, q, a.want)
			}
		})
	}
	if len(seen) < 140 {
		t.Errorf("only %d alterations", len(seen))
	}
}

// untouched wants a release that nothing was done to to pass, with and without its input.
func untouched(t *testing.T, name string, q verify.Request) {
	t.Helper()
	for _, q.Input = range []string{q.Input, ""} {
		if got, err := verify.Run(t.Context(), q); err != nil || len(got.Failed()) > 0 {
			t.Fatalf("control: %s, untouched, input %q: %v, %v", name, q.Input, got, err)
		}
	}
}

// refused wants the check of that name to fail, or the files to be refused with a message
// that holds the quoted words.
func refused(t *testing.T, q verify.Request, want string) {
	t.Helper()
	got, err := verify.Run(t.Context(), q)
	if words, ok := strings.CutPrefix(want, `"`); ok {
		var e *verify.Error
		if words = strings.TrimSuffix(words, `"`); !errors.As(err, &e) || !strings.Contains(e.What, words) {
			t.Errorf("the answer is %v, want %q", err, words)
		}
		return
	}
	if err != nil {
		t.Errorf("the answer is %v, want %s", err, want)
		return
	}
	if failed := got.Failed(); !slices.Contains(failed, want) {
		t.Errorf("%v failed, want %s", failed, want)
	}
}
