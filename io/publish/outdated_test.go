package publish

import (
	"os"
	"path/filepath"
	"testing"
)

// TestOutdated: a file of an earlier release goes with Commit, and not before; one that
// the run reads does not.
func TestOutdated(t *testing.T) {
	dir := t.TempDir()
	old, fresh := filepath.Join(dir, "old"), filepath.Join(dir, "fresh")
	must(t, os.WriteFile(old, []byte("old"), 0o600))
	stands := func() bool { _, err := os.Lstat(old); return err == nil }
	st, err := os.Stat(old)
	must(t, err)
	if err := NewSet(st).Outdated(old); err == nil {
		t.Error("a file that the run reads would be removed")
	}
	for _, end := range []func(*Set) error{(*Set).Abort, (*Set).Commit} {
		s := NewSet()
		f, err := s.Add(Target{Path: fresh})
		must(t, err)
		must(t, f.Fill([]byte("fresh")))
		for _, path := range []string{old, filepath.Join(dir, "none")} {
			must(t, s.Outdated(path))
		}
		if !stands() {
			t.Fatal("it went before the end")
		}
		must(t, end(s))
	}
	if stands() {
		t.Error("it stands after the commit")
	}
}
