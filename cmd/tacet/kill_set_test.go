package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestSlowKillSet kills runs on a folder of files, while they draw and while they put
// files in place. The same run again ends with the bytes of one that nobody killed,
// and leaves nothing over; another run id is refused where files of the first stand.
func TestSlowKillSet(t *testing.T) {
	const files = 30
	given := t.TempDir()
	c := gapped(t, parquetGoCanary(t, false, 500, 100))
	for i := range files {
		name := filepath.Join(given, "set", fmt.Sprintf("dt=%d", i%3), fmt.Sprintf("part-%d.parquet", i))
		must(t, os.MkdirAll(filepath.Dir(name), 0o777))
		writeFile(t, name, c.file)
	}
	key := filepath.Join(given, "run.key")
	if out, err := exec.Command("tacet", "key", "new", "--type", "run", "--output", key).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	run := func(dir, id string) *exec.Cmd {
		return inFolder(dir, "run", "--input", filepath.Join(given, "set"), "--column", "secret", "--utility",
			spec(t, given, c), "--epsilon", "0.8", "--design", "safe", "--null", "public", "--audit", "off", "--run-key", key,
			"--run-id", id, "--output", "out", "--report", "report")
	}
	whole := t.TempDir()
	start := time.Now()
	finish(t, run(whole, "r")).want(t, 0)
	took := time.Since(start)
	want := present(t, whole)
	if len(want) != files+len(released) { // out is many, and there is a list of them
		t.Fatalf("control: %d files", len(want))
	}
	half := 0
	for i := range 7 {
		dir := t.TempDir()
		cmd := run(dir, "r")
		must(t, cmd.Start())
		if i < 3 {
			time.Sleep(took * time.Duration(i+1) / 4)
		} else {
			for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(100 * time.Microsecond) {
				if some, _ := filepath.Glob(filepath.Join(dir, "out", "dt=0", "part-*")); len(some) > 0 {
					break
				}
			}
		}
		cmd.Process.Kill()
		cmd.Wait()
		if _, err := os.Stat(filepath.Join(dir, decider)); err == nil {
			continue // it was faster
		}
		placed, _ := filepath.Glob(filepath.Join(dir, "out", "dt=*", "part-*"))
		if len(placed) > 0 {
			half++
			finish(t, run(dir, "s")).want(t, 2)
			if now, _ := filepath.Glob(filepath.Join(dir, "out", "dt=*", "part-*")); !slices.Equal(now, placed) {
				t.Fatalf("another run changed the files that stood: %d and then %d", len(placed), len(now))
			}
		}
		finish(t, run(dir, "r")).want(t, 0)
		got := present(t, dir)
		if !slices.Equal(slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want))) {
			t.Fatalf("killed %d: %d files, want %d", i, len(got), len(want))
		}
		for name, data := range want {
			same := strings.HasPrefix(name, "out/") || name == "report/files.csv" || name == "report/plan.json"
			if same && string(got[name]) != string(data) {
				t.Errorf("killed %d: %s holds other bytes", i, name)
			}
		}
	}
	if half == 0 {
		t.Error("control: no run was killed while it put files in place")
	}
}
