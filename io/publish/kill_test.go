package publish

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestMain is also the child of the tests that kill: it publishes two files
// and halts at the step that it was told.
func TestMain(m *testing.M) {
	dir, at := os.Getenv("PUBLISH_TEST_DIR"), os.Getenv("PUBLISH_TEST_HALT")
	if dir == "" {
		os.Exit(m.Run())
	}
	fmt.Println("ended", child(dir, func(step string) {
		if step == at {
			fmt.Println("halted")
			time.Sleep(time.Hour) // not select: the runtime ends a process all of whose goroutines wait
		}
	}))
}

func child(dir string, step func(string)) error {
	s := NewSet()
	s.namedOnly = os.Getenv("PUBLISH_TEST_NAMED") != ""
	s.step = step
	for _, name := range []string{"out", "report"} {
		f, err := s.Add(Target{Path: filepath.Join(dir, name), Overwrite: true})
		if err != nil {
			return err
		}
		step("added " + name)
		if _, err := io.WriteString(f.Writer(), "new "+name); err != nil {
			return err
		}
		step("written " + name)
		if err := f.Close(); err != nil {
			return err
		}
		step("closed " + name)
	}
	return s.Commit()
}

func startChild(t *testing.T, dir, at string, named bool) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "PUBLISH_TEST_DIR="+dir, "PUBLISH_TEST_HALT="+at)
	if named {
		cmd.Env = append(cmd.Env, "PUBLISH_TEST_NAMED=1")
	}
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	return cmd, bufio.NewReader(out)
}

// TestKill kills a process at every step and looks at what it leaves: the old
// files or the new ones, nothing else but temporaries of mode 0600, and those
// go with the next run, not before their process is dead.
func TestKill(t *testing.T) {
	old := map[string]string{"out": "old out", "report": "old report"}
	for _, named := range []bool{false, true} {
		for _, replacing := range []bool{false, true} {
			for _, c := range []struct {
				at     string
				placed []string
			}{
				{"added out", nil}, {"written out", nil}, {"closed out", nil},
				{"added report", nil}, {"written report", nil}, {"closed report", nil},
				{"before out", nil}, {"before report", []string{"out"}}, {"placed", []string{"out", "report"}},
			} {
				t.Run(fmt.Sprintf("%s named=%v replacing=%v", c.at, named, replacing), func(t *testing.T) {
					dir := t.TempDir()
					expect := map[string]string{}
					if replacing {
						for name, content := range old {
							put(t, filepath.Join(dir, name), content, 0o644)
							expect[name] = content
						}
					}
					for _, name := range c.placed {
						expect[name] = "new " + name
					}
					cmd, out := startChild(t, dir, c.at, named)
					if line, err := out.ReadString('\n'); line != "halted\n" {
						t.Fatalf("child says %q, %v", line, err)
					}
					before := temps(t, dir)
					sweep(dir)
					if after := temps(t, dir); len(after) != len(before) {
						t.Errorf("a living process lost %d temporaries", len(before)-len(after))
					}
					cmd.Process.Kill()
					cmd.Wait()
					left := temps(t, dir)
					if !named && !replacing && len(left) > 0 {
						t.Errorf("%d temporaries are left where there need be none", len(left))
					}
					for _, name := range left {
						if st, err := os.Lstat(name); err != nil || st.Mode() != 0o600 {
							t.Errorf("temporary with mode %v, %v", st.Mode(), err)
						}
					}
					sweep(dir)
					entries, err := os.ReadDir(dir)
					must(t, err)
					if len(entries) != len(expect) {
						t.Errorf("%d files are left, want %d", len(entries), len(expect))
					}
					for name, content := range expect {
						if b, err := os.ReadFile(filepath.Join(dir, name)); string(b) != content || err != nil {
							t.Errorf("%s holds %q, %v", name, b, err)
						}
					}
				})
			}
		}
	}
}

func temps(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, tempPattern))
	must(t, err)
	return names
}

// TestSweepSparesOthers: only files that look like a dead temporary go.
func TestSweepSparesOthers(t *testing.T) {
	dir := t.TempDir()
	put(t, dir+"/.tacet-A.tmp", "dead", 0o600)
	put(t, dir+"/.tacet-B.tmp", "open to others, not one of ours", 0o644)
	put(t, dir+"/tacet-C.tmp", "another name", 0o600)
	must(t, os.Symlink(dir+"/tacet-C.tmp", dir+"/.tacet-D.tmp"))
	s := NewSet()
	if _, err := s.Add(Target{Path: dir + "/new"}); err != nil {
		t.Fatal(err)
	}
	must(t, s.Abort())
	wantNames(t, dir, ".tacet-B.tmp", ".tacet-D.tmp", "tacet-C.tmp")
}
