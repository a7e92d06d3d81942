package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tacet-privacy/tacet/test/torture"
)

// released are the files of a run, in the order in which they are put in
// place.
var released = []string{"out", "report/plan.json", "report/order.csv", "report/report.txt", "report/report.html",
	"report/public/report.txt", "report/public/report.html", "report/public/report.json",
	"report/public/mechanism.json", "report/report.json", "report/commitment.key", "report/public/release.json", "report/release.json"}

// decider is the file without which a folder holds no release. That of the
// public folder is put in place before it, and taken away after it.
const decider = "report/release.json"

var deciders = []string{decider, "report/public/release.json"}

// A killing is a job whose files are known beforehand: before it (none, or
// those of an earlier run) and after it.
type killing struct {
	canary
	args        []string
	before, new map[string][]byte
	took        time.Duration
}

// newKilling makes a job; its paths are relative, so that its files are the
// same wherever it runs.
func newKilling(t *testing.T, c canary, replacing bool) *killing {
	t.Helper()
	given := t.TempDir()
	k := &killing{canary: c, before: map[string][]byte{}}
	input := writeFile(t, filepath.Join(given, "in"), k.file)
	job := func(seed string) []string {
		return []string{"run", "--input", input, "--column", "secret", "--utility", spec(t, given, k.canary), "--epsilon",
			"0.8", "--design", "safe",
			"--null", "public", "--audit", "off", "--overwrite", "--output", "out", "--report", "report", "--test-seed", seed}
	}
	end := func(args []string) map[string][]byte {
		dir := t.TempDir()
		start := time.Now()
		finish(t, inFolder(dir, args...)).want(t, 0)
		k.took = time.Since(start)
		return present(t, dir)
	}
	if replacing {
		k.before = end(job("1"))
	}
	k.args = job("2")
	k.new = end(k.args)
	if len(k.new) != len(released) || bytes.Equal(k.before["out"], k.new["out"]) {
		t.Fatal("control: two seeds do not give two outputs")
	}
	return k
}

func present(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for name, data := range snapshot(t, dir) {
		_, content, _ := strings.Cut(data, "\n")
		files[strings.TrimPrefix(name, "/")] = []byte(content)
	}
	return files
}

// TestSlowKillDashNine kills runs at many moments. A folder that says that it holds
// a release has all its files of one; the output that was there stays until the
// new one takes its place; the new files come in their order, the statement last;
// what else is left are temporaries that only the owner may read
// and that hold no raw value, save those of confidential files; and the next run sweeps
// them and succeeds.
func TestSlowKillDashNine(t *testing.T) {
	many := gapped(t, parquetGoCanary(t, false, 50_000, 10_000))
	sweep, fresh := 5, 2
	if torture.Long() {
		sweep, fresh = 400, 100
	}
	for _, c := range []struct {
		replacing bool
		times     int
	}{{true, sweep}, {false, fresh}} {
		t.Run(fmt.Sprintf("replacing=%v", c.replacing), func(t *testing.T) {
			k := newKilling(t, many, c.replacing)
			killed := 0
			for i := range torture.Within(t, c.times, 2) {
				dir := k.folder(t)
				if k.run(t, dir, k.took*time.Duration(97*i%c.times)/time.Duration(c.times-1)) {
					killed++
				}
				k.check(t, dir)
				if i%4 == 3 {
					k.again(t, dir)
				}
			}
			t.Logf("torture: %d kills", killed)
			if killed == 0 {
				t.Errorf("control: no run of %d was killed before its end", c.times)
			}
		})
	}
}

// folder holds the files of before.
func (k *killing) folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range k.before {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777))
		writeFile(t, filepath.Join(dir, name), data)
	}
	return dir
}

// run kills the job after a time, and reports whether it was still going on.
func (k *killing) run(t *testing.T, dir string, after time.Duration) bool {
	t.Helper()
	cmd := inFolder(dir, k.args...)
	must(t, cmd.Start())
	time.Sleep(after)
	cmd.Process.Kill()
	cmd.Wait()
	return cmd.ProcessState.Sys().(syscall.WaitStatus).Signaled()
}

// check looks at what a killed run left and counts the temporaries that hold
// draws.
func (k *killing) check(t *testing.T, dir string) (drawn int) {
	t.Helper()
	files := present(t, dir)
	placed := true
	k.whole(t, files)
	for _, name := range released {
		switch is, ok := files[name]; {
		case slices.Contains(deciders, name) && !ok:
		case ok && bytes.Equal(is, k.new[name]):
			if !placed && !bytes.Equal(is, k.before[name]) {
				t.Errorf("%s was put in place before those that come first", name)
			}
		case ok == (k.before[name] != nil) && bytes.Equal(is, k.before[name]):
			placed = false
		default:
			t.Errorf("%s is neither the old file nor the new one", name)
		}
		delete(files, name)
	}
	for name, data := range files {
		st, err := os.Lstat(filepath.Join(dir, name))
		if match, _ := filepath.Match(".tacet-*.tmp", filepath.Base(name)); !match || err != nil || st.Mode() != 0o600 {
			t.Errorf("%s was left, %v", name, err)
		}
		if len(data) > 0 && slices.ContainsFunc(confidential, func(name string) bool {
			return bytes.HasPrefix(k.new[name], data)
		}) {
			continue // the owner's
		}
		if slices.ContainsFunc(deciders, func(name string) bool { return bytes.Equal(data, k.before[name]) }) {
			continue // withdrawn, and the owner's too
		}
		clean(t, "a temporary file", data, k.planted)
		if len(data) > 0 && !strings.HasPrefix(filepath.Base(name), ".tacet-lock-") {
			drawn++
		}
	}
	return drawn
}

// whole looks at a folder that says that it holds a release: all of its files
// are of one.
func (k *killing) whole(t *testing.T, files map[string][]byte) {
	t.Helper()
	for _, decider := range deciders {
		decides, ok := files[decider]
		if !ok {
			continue
		}
		of := k.new
		if bytes.Equal(decides, k.before[decider]) {
			of = k.before
		}
		for _, name := range released {
			if !bytes.Equal(files[name], of[name]) && (name != deciders[0] || decider == name) {
				t.Errorf("%s is not of the release that %s is of", name, decider)
			}
		}
	}
}

// again runs the job to its end.
func (k *killing) again(t *testing.T, dir string) {
	t.Helper()
	finish(t, inFolder(dir, k.args...)).want(t, 0)
	if is := present(t, dir); !maps.EqualFunc(is, k.new, bytes.Equal) {
		t.Errorf("the next run left %d files, want the %d new ones", len(is), len(k.new))
	}
}

// TestSignals: an interrupted run says so, leaves nothing and has its code.
func TestSignals(t *testing.T) {
	k := newKilling(t, gapped(t, parquetGoCanary(t, false, 100_000, 20_000)), true)
	signals := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // else the run ignores it too
		signals = append(signals, syscall.SIGHUP)
	}
	for tries := 0; len(signals) > 0; tries++ {
		s := signals[0]
		dir := k.folder(t)
		cmd := inFolder(dir, k.args...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		must(t, cmd.Start())
		for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(100 * time.Microsecond) { // it draws now
			if names, _ := filepath.Glob(filepath.Join(dir, ".tacet-*.tmp")); len(names) > 0 {
				break
			}
		}
		cmd.Process.Signal(s)
		cmd.Wait()
		code, is := cmd.ProcessState.ExitCode(), present(t, dir)
		if code == 0 && maps.EqualFunc(is, k.new, bytes.Equal) && tries < 500 {
			continue // it had ended before, as on one processor it may often
		}
		if code != 128+int(s) || lines(stderr.String()) != 1 || !strings.Contains(stderr.String(), "interrupted") {
			t.Errorf("%v: exit code %d, %s", s, code, stderr.Bytes())
		}
		if !maps.EqualFunc(is, k.before, bytes.Equal) {
			t.Errorf("%v: %d files are there, want the %d old ones", s, len(is), len(k.before))
		}
		signals = signals[1:]
	}
}
