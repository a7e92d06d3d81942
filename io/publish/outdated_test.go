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
	if err := os.WriteFile(old, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	stands := func() bool { _, err := os.Lstat(old); return err == nil }
	st, err := os.Stat(old)
	if err != nil {
		t.Fatal(err)
	}
	if err := NewSet(st).Outdated(old); err == nil {
		t.Error("a file that the run reads would be removed")
	}
	for _, end := range []func(*Set) error{(*Set).Abort, (*Set).Commit} {
		s := NewSet()
		f, err := s.Add(Target{Path: fresh})
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Fill([]byte("fresh")); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{old, filepath.Join(dir, "none")} {
			if err := s.Outdated(path); err != nil {
				t.Fatal(err)
			}
		}
		if !stands() {
			t.Fatal("it went before the end")
		}
		if err := end(s); err != nil {
			t.Fatal(err)
		}
	}
	if stands() {
		t.Error("it stands after the commit")
	}
}
