package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestParent kills what started a shard while the shard draws: the shard ends, says so
// and has put nothing in place. With --detached it goes on.
func TestParent(t *testing.T) {
	const files = 60 // which are put in place together
	dir := t.TempDir()
	in, counts, plan, key := filepath.Join(dir, "in"), filepath.Join(dir, "c.csv"), filepath.Join(dir, "plan.json"),
		filepath.Join(dir, "run.key")
	must(t, os.Mkdir(in, 0o777))
	for i := range files {
		writeFile(t, filepath.Join(in, fmt.Sprintf("%d.parquet", i)), readFile(t, "../../testdata/tables/flights.parquet"))
	}
	tacet(t, "estimate", "--input", in, "--column", "origin", "--write-counts", counts).want(t, 0)
	tacet(t, "design", "--counts", counts, "--column", "origin", "--utility",
		"hierarchy:../../testdata/tables/regions.csv", "--max-factor", "12", "--write-plan", plan).want(t, 0)
	if code := tacet(t, "key", "new", "--type", "run", "--output", key).code; code != 0 {
		t.Fatal(code)
	}
	for _, c := range []struct {
		more  string
		files int
		said  string
	}{
		{"", 0, "tacet: the process that started this step has ended; nothing was published; hint: give --detached to " +
			"steps that shall go on without it\n"},
		{"--detached", files, "shard:    1/1, 60 files, 0 of them there before\nnext:     tacet finish, once all shards " +
			"are written\n"},
	} {
		t.Run(c.more, func(t *testing.T) {
			for try := 0; ; try++ {
				out := filepath.Join(t.TempDir(), "out")
				placed, said, ok := orphaned(t, out, append([]string{"apply", "--input", in, "--plan", plan, "--run-key",
					key, "--run-id", "r", "--drop", "destination,distance", "--shard", "1/1", "--output", out},
					strings.Fields(c.more)...)...)
				if !ok && try < 20 {
					continue // the step was faster
				}
				if !ok || placed != c.files || said != c.said {
					t.Fatalf("%d files in place, want %d; %q", placed, c.files, said)
				}
				if left, _ := filepath.Glob(filepath.Join(out, ".tacet-shards-*", ".shard-*")); len(left) > 0 {
					t.Errorf("left %v", left)
				}
				return
			}
		})
	}
}

// orphaned starts a shard from a shell that is killed once the shard draws, and counts
// the files that are in place when the shard has ended. It is not ok where some were
// there when the shell died.
func orphaned(t *testing.T, out string, args ...string) (placed int, said string, ok bool) {
	t.Helper()
	at := t.TempDir()
	shell := exec.Command("sh", append([]string{"-c", `tacet "$@" > said 2>&1 & echo $! > new; mv new pid; wait`, "sh"},
		args...)...)
	shell.Dir = at
	must(t, shell.Start())
	among := func(pattern string) int {
		found, _ := filepath.Glob(filepath.Join(out, ".tacet-shards-*", pattern))
		return len(found)
	}
	soon(t, func() bool {
		_, err := os.Stat(filepath.Join(at, "pid"))
		return err == nil && among(".shard-*")+among("*.parquet") > 0
	})
	shell.Process.Kill()
	shell.Wait()
	ok = among("*.parquet") == 0
	pid := strings.TrimSpace(string(readFile(t, filepath.Join(at, "pid"))))
	soon(t, func() bool {
		stat, err := os.ReadFile("/proc/" + pid + "/stat")
		return err != nil || strings.Contains(string(stat), ") Z ")
	})
	return among("*.parquet"), string(readFile(t, filepath.Join(at, "said"))), ok
}

// soon waits until something is so.
func soon(t *testing.T, is func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("waited for a minute")
		}
	}
}
