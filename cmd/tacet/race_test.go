package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/compress"

	"github.com/tacet-privacy/tacet/pipeline/ledger"
	"github.com/tacet-privacy/tacet/test/torture"
)

// TestSlowBudgetRace lets two processes release one dataset without record ids as
// often as they can: one attempt is committed, since a second draw of the same records
// would leak more.
func TestSlowBudgetRace(t *testing.T) {
	attempts := 4
	if torture.Long() {
		attempts = 200
	}
	dir := t.TempDir()
	tableFile(t, "x:string\n"+strings.Repeat("a\nb\nc\n", 50), filepath.Join(dir, "in"))
	tacet := func(args ...string) ([]byte, int) {
		cmd := inFolder(dir, args...)
		out, _ := cmd.CombinedOutput()
		return out, cmd.ProcessState.ExitCode()
	}
	if out, code := tacet("design", "--input", "in", "--column", "x", "--utility", "ordered:a,b,c", "--epsilon", "1",
		"--write-plan", "plan.json"); code != 0 {
		t.Fatalf("%s", out)
	}
	// By two names of one ledger the processes miss each other's lock of the
	// series, so that reservations alone have to keep the rule.
	must(t, os.Symlink("0.db", filepath.Join(dir, "1.db")))
	attempt := func(p, i int, more ...string) ([]byte, int, bool) {
		name := fmt.Sprintf("%d-%d", p, i)
		out, code := tacet(append([]string{"apply", "--plan", "plan.json", "--input", "in", "--output", name, "--report",
			name + ".r", "--audit", "off", "--ledger", fmt.Sprint(p, ".db"), "--dataset", "d"}, more...)...)
		_, missing := os.Stat(filepath.Join(dir, name))
		return out, code, missing == nil
	}
	if out, code, _ := attempt(0, attempts, "--total-epsilon", "0"); code != 4 { // makes the ledger
		t.Fatalf("%s", out)
	}
	var mu sync.Mutex
	committed, refused, made := 0, 0, [2]int{}
	var group sync.WaitGroup
	for p := range 2 {
		group.Go(func() {
			for i := range torture.Within(t, attempts, 1) {
				made[p]++
				out, code, written := attempt(p, i)
				mu.Lock()
				switch {
				case code == 0 && written:
					committed++
				case code == 4 && !written && bytes.Contains(out, []byte("was released before")):
					refused++
				default:
					t.Errorf("attempt %d of %d: exit code %d, output %v: %s", i, p, code, written, out)
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	t.Logf("torture: %d races", made[0]+made[1])
	if committed != 1 || refused != made[0]+made[1]-1 {
		t.Errorf("%d of %d attempts were committed and %d refused", committed, made, refused)
	}
	if out, code := tacet("ledger", "--ledger", "0.db", "list"); code != 0 || strings.Count(string(out), " committed ") != 1 ||
		strings.Count(string(out), " reserved ")+strings.Count(string(out), " sealed ") > 0 {
		t.Errorf("the ledger holds:\n%s", out)
	}
	if out, code := tacet("ledger", "--ledger", "0.db", "verify"); code != 0 {
		t.Errorf("%s", out)
	}
}

// tableFile writes a table as the scripts' command does.
func tableFile(t *testing.T, text, path string) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	must(t, err)
	must(t, writeTable(path, rows, compress.Codecs.Snappy))
}

// TestSlowReleaseRace has runs publish into one report folder that is not there
// yet, at once: in every race exactly one publishes, whole, and the others
// leave nothing, neither of theirs nor in the ledger.
func TestSlowReleaseRace(t *testing.T) {
	races := 8
	if torture.Long() {
		races = 1000
	}
	given := t.TempDir()
	nights(t, given, 300)
	for _, args := range [][]string{{"key", "new", "--type", "draw", "--output", "key"},
		{"design", "--input", "in1", "--column", "x", "--utility", "ordered:a,b,c,d", "--epsilon", "0.7", "--write-plan",
			"plan.json"}} {
		if out, err := inFolder(given, args...).CombinedOutput(); err != nil {
			t.Fatalf("%s", out)
		}
	}
	file := func(name string) string { return filepath.Join(given, name) }
	run := func(more ...string) []string {
		return append([]string{"apply", "--plan", file("plan.json"), "--input", file("in1"), "--audit", "off"}, more...)
	}
	kinds := []struct {
		outputs []string
		args    []string
		ledger  bool
	}{
		{[]string{"out0", "out1", "out2"}, run(), false},
		{[]string{"out", "out"}, run(), false},
		{slices.Repeat([]string{"out"}, 8), run(), false},
		{[]string{"out", "out"}, run("--ledger", "ledger", "--dataset", "visits", "--record-id", "id", "--key-file",
			file("key"), "--on-change", "draw"), true},
	}
	for race := range torture.Within(t, races, 1) {
		kind := kinds[race%len(kinds)]
		outputs := kind.outputs
		dir := t.TempDir()
		report := filepath.Join("new", "rep")
		ended := make([]finished, len(outputs))
		var all sync.WaitGroup
		for i, output := range outputs {
			all.Go(func() {
				var stdout, stderr bytes.Buffer
				cmd := exec.Command("tacet", slices.Concat(kind.args, []string{"--output", output, "--report", report})...)
				cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
				cmd.Run()
				ended[i] = finished{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
			})
		}
		all.Wait()
		t.Logf("torture: %d race", 1)
		winner := -1
		for i, e := range ended {
			switch {
			case e.code == 0 && winner < 0:
				winner = i
			case e.code == 0:
				t.Errorf("race %d: more than one run published", race)
			case e.code == 5 && strings.Contains(e.stderr, " is being made by "):
			case e.code == 5 && kind.ledger && strings.Contains(e.stderr, "another night"):
			case e.code == 2 && strings.Contains(e.stderr, "exists"):
			default:
				t.Errorf("race %d: exit code %d: %s", race, e.code, e.stderr)
			}
		}
		if winner < 0 {
			t.Errorf("race %d: nobody published:\n%v", race, ended)
			continue
		}
		finish(t, inFolder(dir, "verify", "--report", filepath.Join(report, "report.json"), "--input", file("in1"),
			"--output", outputs[winner])).want(t, 0)
		left := map[string]bool{outputs[winner]: true, "new": true, "ledger": kind.ledger, "ledger.history": kind.ledger}
		for _, folder := range []string{".", "new", report, filepath.Join(report, "public")} {
			list, err := os.ReadDir(filepath.Join(dir, folder))
			must(t, err)
			for _, e := range list {
				if strings.HasPrefix(e.Name(), ".") || folder == "." && !left[e.Name()] {
					t.Errorf("race %d: %s was left in %s", race, e.Name(), folder)
				}
			}
		}
		if !kind.ledger {
			continue
		}
		for _, e := range releasesOf(t, dir) {
			if e.State != ledger.IsCommitted && e.State != ledger.IsVoided {
				t.Errorf("race %d: release %d is %s", race, e.ID, e.State)
			}
		}
	}
}
