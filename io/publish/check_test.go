package publish

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	put(t, "input", "x", 0o644)
	put(t, "file", "x", 0o644)
	for _, err := range []error{
		os.Link("input", "hardlink"), os.Symlink("file", "symlink"), os.Symlink("nowhere", "dangling"),
		os.Mkdir("folder", 0o755), unix.Mkfifo("pipe", 0o644), os.Symlink("folder", "linkedfolder"),
	} {
		must(t, err)
	}
	input, err := os.Stat("input")
	must(t, err)
	for _, c := range []struct {
		path      string
		overwrite bool
		ok        bool
	}{
		{"new", false, true},
		{"new", true, true},
		{"./folder/new", false, true},
		{"linkedfolder/new", false, true},
		{dir + "/new", false, true},
		{"file", true, true},
		{"file", false, false},
		{"input", true, false},
		{"folder/../input", true, false},
		{"hardlink", true, false},
		{"symlink", true, false},
		{"dangling", true, false},
		{"folder", true, false},
		{"folder/", true, false},
		{"new/", true, false},
		{"pipe", true, false},
		{"/dev/null", true, false},
		{"missing/new", true, true},
		{"missing/deeper/new", false, true},
		{"dangling/new", false, false},
		{"file/deeper/new", false, false},
		{"file/new", true, false},
		{"", true, false},
		{".", true, false},
	} {
		err := Check(c.path, c.overwrite, input)
		var te *TargetError
		if c.ok != (err == nil) || !c.ok && !errors.As(err, &te) {
			t.Errorf("check %q, overwrite %v: %v", c.path, c.overwrite, err)
		}
		if s, err := NewSet(input).Add(Target{Path: c.path, Overwrite: c.overwrite}); c.ok != (err == nil) {
			t.Errorf("add %q, overwrite %v: %v", c.path, c.overwrite, err)
		} else if err == nil {
			s.drop()
		}
	}
}

func TestTwoOutputsOfOneName(t *testing.T) {
	dir := t.TempDir()
	s := NewSet()
	defer s.Abort()
	addFile(t, s, Target{Path: dir + "/new"}, "")
	var te *TargetError
	if _, err := s.Add(Target{Path: dir + "/../" + filepath.Base(dir) + "/new"}); !errors.As(err, &te) {
		t.Errorf("one name for two outputs: %v", err)
	}
}
