package main

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tacet-privacy/tacet/test/torture"
)

// TestSlowKillEveryWrite kills a run that replaces an earlier release before every
// second call that puts something in place (with TACET_TORTURE before every one),
// and before some of the others. Whatever is
// left, the folder holds one whole release or none, the output is the old one
// or the new one, whole, and verify and the next run say which it is.
func TestSlowKillEveryWrite(t *testing.T) {
	few, step := 6, 2
	if torture.Long() {
		few, step = 1<<20, 1
	}
	k := newKilling(t, gapped(t, parquetGoCanary(t, false, 2000, 500)), true)
	did, killed := stepped(t, inFolder(k.folder(t), k.args...), "", 0)
	if killed || len(did) < 60 {
		t.Fatalf("control: a run writes only %q", did)
	}
	torn, drawn, every, from := 0, 0, max(1, len(did)/few), 0
	i := every
	for from = range did {
		if strings.HasPrefix(did[from], "rename to ") {
			break
		}
	}
	for end := torture.Until(t, 1); time.Now().Before(end); {
		dir := k.folder(t)
		did, killed := stepped(t, inFolder(dir, k.args...), "", i)
		if !killed {
			break
		}
		t.Logf("torture: %d kill, before %s", 1, did[i-1])
		drawn += k.check(t, dir)
		files := present(t, dir)
		if _, whole := files[decider]; !whole {
			torn++
			once := slices.DeleteFunc(slices.Clone(k.args), func(a string) bool { return a == "--overwrite" })
			for _, c := range []struct {
				args []string
				code int
				says string
			}{{[]string{"verify", "--report", "report/report.json", "--output", "out"}, 3, "report holds no release"},
				{once, 2, "report holds an incomplete release"}} {
				if done := finish(t, inFolder(dir, c.args...)); done.code != c.code || !strings.Contains(done.stderr,
					c.says+": release.json is missing") {
					t.Errorf("before %s: %s ends with %d: %s", did[i-1], c.args[0], done.code, done.stderr)
				}
			}
		}
		k.again(t, dir)
		if i += every; i > from-3 {
			every = step
		}
	}
	if torn < 10/step || drawn == 0 {
		t.Errorf("control: only %d folders were left without a release, with %d temporaries that hold draws", torn, drawn)
	}
}

// TestSlowFailEveryWrite has the calls of such a run fail one by one: a run that
// cannot do without it ends with one line and leaves the earlier release as it
// was, or one that is whole or none, and nothing else.
func TestSlowFailEveryWrite(t *testing.T) {
	few, rounds := 8, 1
	if torture.Long() {
		few, rounds = 1<<20, len(injections)
	}
	k := newKilling(t, gapped(t, parquetGoCanary(t, false, 2000, 500)), true)
	failed := 0
	for i, every, round, end := 1, 0, 0, torture.Until(t, 1); time.Now().Before(end); i += every {
		dir := k.folder(t)
		var did []string
		var stderr, stdout strings.Builder
		cmd := inFolder(dir, k.args...)
		cmd.Stderr, cmd.Stdout = &stderr, &stdout
		status := traced(t, cmd, func(thread, pid int) syscall.Errno {
			if what := doing(thread, pid, dir); what != "" {
				if did = append(did, what); len(did) == i {
					return injected(i+round, what)
				}
			}
			return 0
		})
		every = max(1, len(did)/few)
		if i > len(did) {
			if i, every, round = 1, 0, round+1; round == rounds {
				break
			}
			continue
		}
		t.Logf("torture: %d error, at %s", 1, did[i-1])
		what := did[i-1]
		files := present(t, dir)
		k.whole(t, files)
		for name := range files {
			if strings.Contains(name, ".tacet-") {
				t.Errorf("%s failed: %s was left", what, name)
			}
		}
		_, whole := files[decider]
		isNew := string(files["out"]) == string(k.new["out"])
		switch code := status.ExitStatus(); {
		case code == 0 && isNew && whole:
		case code == 5 && !isNew && whole && lines(stderr.String()) == 1:
			failed++
		case code == 6 && isNew && lines(stderr.String()) == 1:
			failed++
		default:
			t.Errorf("%s failed: exit code %d, the output is new: %v, the folder holds a release: %v: %s", what, code, isNew,
				whole, stderr.String())
		}
	}
	if failed < 5 {
		t.Errorf("control: only %d runs failed", failed)
	}
}

// TestMachineIsToBlame: where the system cannot open or look at a file that is
// there, the fault is the environment's, and nobody is told to check a path.
func TestMachineIsToBlame(t *testing.T) {
	for _, c := range []struct {
		file   string
		number syscall.Errno
		says   string
	}{
		{"airports.csv", syscall.EMFILE, "ulimit -n"}, {"airports.csv", syscall.ENOSPC, "free some space"},
		{"airports.csv", syscall.ENFILE, "ulimit -n"},
		{"release.json.minisig", syscall.EIO, "cannot be read"}, {"release.json.minisig", syscall.EMFILE, "ulimit -n"},
	} {
		dir := t.TempDir()
		var stderr strings.Builder
		cmd := exec.Command("tacet", flightsArgs(t, filepath.Join(dir, "out"), filepath.Join(dir, "report"))...)
		cmd.Dir, cmd.Stderr = dir, &stderr
		status := traced(t, cmd, func(thread, pid int) syscall.Errno {
			if filepath.Base(looked(thread)) == c.file {
				return c.number
			}
			return 0
		})
		if code := status.ExitStatus(); code != 5 || lines(stderr.String()) != 1 || !strings.Contains(stderr.String(),
			c.says) || strings.Contains(stderr.String(), "check the path") {
			t.Errorf("%s, %v: exit code %d: %s", c.file, c.number, code, stderr.String())
		}
		unchanged(t, dir, nil)
	}
}

// TestWithoutLocks: on a file system that has no locks a run publishes all the
// same, and leaves no lock file.
func TestWithoutLocks(t *testing.T) {
	dir, asked := t.TempDir(), 0
	var stderr strings.Builder
	cmd := exec.Command("tacet", flightsArgs(t, filepath.Join(dir, "out"), filepath.Join(dir, "report"), "--audit",
		"off")...)
	cmd.Dir, cmd.Stderr = dir, &stderr
	status := traced(t, cmd, func(thread, _ int) syscall.Errno {
		var r syscall.PtraceRegs
		if syscall.PtraceGetRegs(thread, &r) != nil || r.Orig_rax != syscall.SYS_FLOCK {
			return 0
		}
		asked++
		return syscall.ENOLCK
	})
	if status.ExitStatus() != 0 || asked == 0 {
		t.Fatalf("exit code %d after %d locks: %s", status.ExitStatus(), asked, stderr.String())
	}
	for name := range present(t, dir) {
		if strings.Contains(name, ".tacet-") {
			t.Errorf("%s was left", name)
		}
	}
}

// looked is the file that a thread is about to open or look at, "" for none.
func looked(thread int) string {
	var r syscall.PtraceRegs
	if syscall.PtraceGetRegs(thread, &r) != nil || r.Orig_rax != syscall.SYS_OPENAT &&
		r.Orig_rax != syscall.SYS_NEWFSTATAT {
		return ""
	}
	return textAt(thread, uintptr(r.Rsi))
}

// TestModeFails: a file whose mode cannot be set is taken back.
func TestModeFails(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "in.csv"), []byte("x\na\nb\na\n"))
	cmd := inFolder(dir, "estimate", "--input", "in.csv", "--column", "x", "--write-counts", "counts.csv")
	did := ""
	status := traced(t, cmd, func(thread, pid int) syscall.Errno {
		what := doing(thread, pid, dir)
		did += what + "\n"
		if strings.HasPrefix(what, "change mode of") && // at first, for a temporary that has a name, and in place
			(strings.Count(did, "change mode of") == 1 || strings.Contains(did, "link to counts.csv")) {
			return syscall.EIO
		}
		return 0
	})
	if left := present(t, dir); status.ExitStatus() != 5 || len(left) != 1 {
		t.Errorf("exit code %d, %d files after %s", status.ExitStatus(), len(left), did)
	}
}

// TestReopeningFails: a file just written that cannot be locked, or opened again, is the environment's fault.
func TestReopeningFails(t *testing.T) {
	for fails := 1; ; fails++ {
		dir, locks := t.TempDir(), 0
		output, report := filepath.Join(dir, "out"), filepath.Join(dir, "report")
		before(t, output, report)
		was := snapshot(t, dir)
		cmd := exec.Command("tacet", flightsArgs(t, output, report, "--overwrite")...)
		cmd.Dir = dir
		status := traced(t, cmd, func(thread, pid int) syscall.Errno {
			if doing(thread, pid, dir) == "lock .tacet-.tmp" {
				if locks++; locks == fails {
					return syscall.EACCES
				}
			}
			return 0
		})
		if locks < fails {
			break
		}
		if unchanged(t, dir, was); status.ExitStatus() != 5 {
			t.Errorf("lock %d: exit code %d", fails, status.ExitStatus())
		}
	}
}
