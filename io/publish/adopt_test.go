package publish

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestAdopt: what an earlier run wrote is put in place, stays where it is if that
// fails, and is left alone where it is in place already.
func TestAdopt(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "hidden", "a"), filepath.Join(dir, "out", "x", "a")
	must(t, os.Mkdir(filepath.Dir(from), 0o700))
	must(t, os.WriteFile(from, []byte("whole"), 0o600))
	adopt := func() *Set {
		s := NewSet()
		f, err := s.Adopt(Target{Path: to}, from)
		must(t, err)
		r, err := f.Reopen()
		must(t, err)
		r.Close()
		return s
	}
	must(t, adopt().Abort())
	if _, err := os.Stat(filepath.Join(dir, "out")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a set that failed leaves a folder (%v)", err)
	}
	for _, again := range []string{"put in place", "in place already"} {
		if err := adopt().Commit(); err != nil {
			t.Fatal(again, err)
		}
		if b, err := os.ReadFile(to); err != nil || string(b) != "whole" {
			t.Errorf("%s: the target holds %q (%v)", again, b, err)
		}
		if _, err := os.Stat(from); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: it is still where it was (%v)", again, err)
		}
	}
	if _, err := NewSet().Adopt(Target{Path: filepath.Join(dir, "other")}, from); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is nowhere: %v", err)
	}
	must(t, os.WriteFile(from, []byte("else"), 0o600))
	var target *TargetError
	if err := adopt().Commit(); !errors.As(err, &target) || !target.Exists {
		t.Errorf("a target with other bytes: %v", err)
	}
}
