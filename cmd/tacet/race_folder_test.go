package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline/ledger"
	"github.com/tacet-privacy/tacet/test/torture"
)

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
