package publish

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// kinds runs f with unnamed temporaries, where there are such, and without.
func kinds(t *testing.T, f func(t *testing.T, namedOnly bool)) {
	t.Run("unnamed", func(t *testing.T) { f(t, false) })
	t.Run("named", func(t *testing.T) { f(t, true) })
}

func addFile(t *testing.T, s *Set, target Target, content string) *File {
	t.Helper()
	f, err := s.Add(target)
	must(t, err)
	if _, err := io.WriteString(f.Writer(), content); err != nil {
		t.Fatal(err)
	}
	must(t, f.Close())
	return f
}

func put(t *testing.T, path, content string, mode fs.FileMode) {
	t.Helper()
	must(t, os.WriteFile(path, []byte(content), 0o600))
	must(t, os.Chmod(path, mode))
}

func want(t *testing.T, path, content string, mode fs.FileMode) {
	t.Helper()
	b, err := os.ReadFile(path)
	must(t, err)
	st, err := os.Lstat(path)
	must(t, err)
	if string(b) != content || st.Mode() != mode {
		t.Errorf("%s holds %q with mode %v, want %q with %v", filepath.Base(path), b, st.Mode(), content, mode)
	}
}

func wantNames(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if len(got) != len(names) {
		t.Fatalf("folder holds %v, want %v", got, names)
	}
	for i := range names {
		if got[i] != names[i] {
			t.Fatalf("folder holds %v, want %v", got, names)
		}
	}
}

func TestCommit(t *testing.T) {
	was := umask
	umask = func() fs.FileMode { return 0o027 }
	defer func() { umask = was }()
	kinds(t, func(t *testing.T, namedOnly bool) {
		dir := t.TempDir()
		put(t, dir+"/old", "before", 0o644)
		put(t, dir+"/oldplan", "before", 0o644)
		s := NewSet()
		s.namedOnly = namedOnly
		must(t, s.Folder(dir+"/a/b"))
		addFile(t, s, Target{Path: dir + "/new"}, "new")
		addFile(t, s, Target{Path: dir + "/newover", Overwrite: true}, "newover")
		addFile(t, s, Target{Path: dir + "/old", Overwrite: true}, "replaced")
		addFile(t, s, Target{Path: dir + "/oldplan", Overwrite: true, Private: true}, "plan")
		f := addFile(t, s, Target{Path: dir + "/a/b/report", Private: true}, "report")
		want(t, dir+"/old", "before", 0o644)

		r, err := f.Reopen()
		must(t, err)
		if b, err := io.ReadAll(r); string(b) != "report" || err != nil {
			t.Errorf("reopened file reads %q, %v", b, err)
		}
		if _, err := r.WriteAt([]byte("x"), 0); err == nil {
			t.Error("a reopened file can be written")
		}
		r.Close()
		if _, err := f.WriteAt([]byte("x"), 0); err == nil {
			t.Error("a closed file can be written")
		}
		must(t, s.Commit())
		want(t, dir+"/new", "new", 0o640)
		want(t, dir+"/newover", "newover", 0o640)
		want(t, dir+"/old", "replaced", 0o644)
		want(t, dir+"/oldplan", "plan", 0o600)
		want(t, dir+"/a/b/report", "report", 0o600)
		wantNames(t, dir, "a", "new", "newover", "old", "oldplan")
		must(t, s.Abort())
		wantNames(t, dir, "a", "new", "newover", "old", "oldplan")
	})
}

func TestUmask(t *testing.T) {
	f, err := os.OpenFile(t.TempDir()+"/f", os.O_CREATE|os.O_WRONLY, 0o666)
	must(t, err)
	defer f.Close()
	st, err := f.Stat()
	must(t, err)
	old := unix.Umask(0o022)
	unix.Umask(old)
	if got := finalMode(false, nil); got != st.Mode() {
		t.Errorf("new files get %v, those of the system %v", got, st.Mode())
	}
	if now := unix.Umask(old); now != old {
		t.Errorf("the umask was left at %o, it was %o", now, old)
	}
}

// TestCommitChecksFirst: a target that has become impossible since Add stops
// the commit before any other target is touched.
func TestCommitChecksFirst(t *testing.T) {
	kinds(t, func(t *testing.T, namedOnly bool) {
		dir := t.TempDir()
		put(t, dir+"/old", "before", 0o640)
		s := NewSet()
		s.namedOnly = namedOnly
		addFile(t, s, Target{Path: dir + "/old", Overwrite: true}, "replaced")
		addFile(t, s, Target{Path: dir + "/report"}, "report")
		put(t, dir+"/report", "another's", 0o644)
		var te *TargetError
		if err := s.Commit(); !errors.As(err, &te) {
			t.Fatalf("commit over a new file: %v", err)
		}
		want(t, dir+"/old", "before", 0o640)
		want(t, dir+"/report", "another's", 0o644)
		wantNames(t, dir, "old", "report")
	})
}

// TestNameTaken: a name taken between the check and the renaming is replaced
// only where that is allowed.
func TestNameTaken(t *testing.T) {
	kinds(t, func(t *testing.T, namedOnly bool) {
		for _, overwrite := range []bool{false, true} {
			dir := t.TempDir()
			s := NewSet()
			s.namedOnly = namedOnly
			f := addFile(t, s, Target{Path: dir + "/new", Overwrite: overwrite}, "new")
			put(t, dir+"/new", "another's", 0o644)
			err := f.linkOrRename(nil)
			if overwrite {
				must(t, err)
				continue
			}
			var te *TargetError
			if !errors.As(err, &te) {
				t.Fatalf("taken name: %v", err)
			}
			must(t, s.Abort())
			want(t, dir+"/new", "another's", 0o644)
			wantNames(t, dir, "new")
		}
	})
}

// TestTakenBack: of files that are no release, and replace nothing, none stays where the last
// cannot be put in place; of a release, and where one replaces another, what stands stays.
func TestTakenBack(t *testing.T) {
	kinds(t, func(t *testing.T, namedOnly bool) {
		for _, c := range []struct {
			decides, replacing bool
			left               []string
		}{
			{false, false, []string{"last"}}, {true, false, []string{"first", "last"}}, {false, true, []string{"first", "last"}},
		} {
			dir := t.TempDir()
			if c.replacing {
				put(t, dir+"/first", "before", 0o644)
			}
			s := NewSet()
			s.namedOnly = namedOnly
			addFile(t, s, Target{Path: dir + "/first", Overwrite: c.replacing}, "new")
			addFile(t, s, Target{Path: dir + "/last", Decides: c.decides}, "new")
			s.step = func(step string) {
				if step == "before last" {
					put(t, dir+"/last", "another's", 0o644)
				}
			}
			if err := s.Commit(); !errors.As(err, new(*TargetError)) {
				t.Errorf("%+v: %v", c, err)
			}
			want(t, dir+"/last", "another's", 0o644)
			wantNames(t, dir, c.left...)
		}
	})
}

// must ends a test where something fails that it is not about.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
