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
)

// TestSlowKillSet kills runs on a folder of files, while they draw and while they put
// files in place. The same run again ends with the bytes of one that nobody killed,
// and leaves nothing over; another run id is refused where files of the first stand.
func TestSlowKillSet(t *testing.T) {
	const files, placing = 30, " to out/dt="
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
	did, _ := stepped(t, run(whole, "r"), "", 0)
	want := present(t, whole)
	if len(want) != files+len(released) { // out is many, and there is a list of them
		t.Fatalf("control: %d files", len(want))
	}
	half := 0
	for i, kill := range []struct {
		before string
		number int
	}{{"", len(did) / 8}, {"", len(did) / 3}, {"", len(did) / 2}, {placing, 2}, {placing, 11}, {placing, files}} {
		dir := t.TempDir()
		stepped(t, run(dir, "r"), kill.before, kill.number)
		if _, err := os.Stat(filepath.Join(dir, decider)); err == nil {
			t.Fatalf("control: run %d was not killed before its end", i)
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
	if half != 3 {
		t.Errorf("control: %d runs were killed while they put files in place", half)
	}
}
