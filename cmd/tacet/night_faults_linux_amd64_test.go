package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tacet-privacy/tacet/pipeline/ledger"
	"github.com/tacet-privacy/tacet/test/torture"
)

// needsRoom are the calls that a full disk refuses.
var needsRoom = []string{"write", "copy to", "allocate", "create", "make"}

// TestSlowFailEveryStepOfANight has the calls by which the second night writes fail
// one by one: alone, and as on a disk that is full from there on, for good or
// until the run gives its temporary files up. A night that published nothing
// gives its reservation back, or says that it could not and how to free it; no
// lock, no temporary and no log of the ledger stays that holds nothing; and the
// same night again, or the next one, ends as if nothing had happened.
func TestSlowFailEveryStepOfANight(t *testing.T) {
	few, rounds := 1, 1
	if torture.Long() {
		few, rounds = 1<<20, len(injections)
	}
	const n = 2
	k := newKilledNight(t)
	given, kept := 0, 0
	for turn, full := range []string{"", "for good", "until temporaries are gone"} {
		for i, every, round, end := 1, 0, 0, torture.Until(t, 3-turn); time.Now().Before(end); i += every {
			dir := copyOf(t, k.folder[n-1])
			var did []string
			room := false
			var stderr strings.Builder
			cmd := k.command(dir, n)
			cmd.Stderr = &stderr
			status := traced(t, cmd, func(thread, pid int) syscall.Errno {
				what := doing(thread, pid, dir)
				if what == "" {
					return 0
				}
				did = append(did, what)
				needs := slices.ContainsFunc(needsRoom, func(s string) bool { return strings.HasPrefix(what, s+" ") })
				room = room || full == "until temporaries are gone" && len(did) > i &&
					strings.HasPrefix(what, "remove ") && strings.HasSuffix(what, ".tacet-.tmp")
				switch {
				case full == "" && len(did) == i:
					return injected(i+round, what)
				case full != "" && len(did) >= i && needs && !room:
					return syscall.ENOSPC
				}
				return 0
			})
			every = max(1, len(did)/few)
			if i > len(did) {
				if i, every, round = 1, 0, round+1; round == rounds || full != "" {
					break
				}
				continue
			}
			t.Logf("torture: %d error, at %s", 1, did[i-1])
			what := fmt.Sprintf("call %d (%s) failed, disk full %s", i, did[i-1], full)
			state := k.failed(t, what, dir, n, status.ExitStatus(), stderr.String(), full != "" && !room)
			given, kept = given+b2i(state == ledger.IsVoided), kept+b2i(state == ledger.IsReserved)
			k.run(t, dir, n)
			k.is(t, dir, n)
			k.run(t, dir, n+1)
			k.settled(t, what, dir, n+1, true)
		}
	}
	if rounds == 1 && (given == 0 || kept == 0) {
		t.Errorf("control: %d reservations were given back and %d were not", given, kept)
	}
}

// leftovers are locks, temporaries and logs of the ledger, by their sizes.
func leftovers(t *testing.T, dir string) map[string]int {
	t.Helper()
	left := map[string]int{}
	for name, data := range present(t, dir) {
		if strings.Contains(name, ".tacet-") || strings.HasPrefix(name, "ledger-") {
			left[name] = len(data)
		}
	}
	return left
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// failed looks at what a night left that failed, and gives the state of its
// release in the ledger. On a disk that stays full the log of the ledger stays,
// too, where it holds events.
func (k *killedNight) failed(t *testing.T, what, dir string, n, code int, stderr string, full bool) (state string) {
	t.Helper()
	if left := leftovers(t, dir); len(left) > 0 && !(full && left["ledger-wal"] > 0) {
		t.Errorf("%s: exit code %d: left %v: %s", what, code, left, stderr)
	}
	if code != 0 && code != 5 && code != 6 || code != 0 && lines(stderr) != 1 {
		t.Errorf("%s: exit code %d: %s", what, code, stderr)
	}
	if list := releasesOf(t, dir); len(list) == n {
		state = list[n-1].State
		says := fmt.Sprintf("tacet ledger void --ledger ledger --id %d", list[n-1].ID)
		if (state == ledger.IsReserved) != strings.Contains(stderr, says) {
			t.Errorf("%s: the release is %s: %s", what, state, stderr)
		}
	}
	placed := string(content(t, filepath.Join(dir, "out"))) == string(k.out[n])
	if counted := state == ledger.IsSealed || state == ledger.IsCommitted; placed && !counted || !placed && code == 0 {
		t.Errorf("%s: placed %v, state %q, code %d", what, placed, state, code)
	}
	return state
}

// TestRefusedNightsLeaveNothing: a night that is refused or interrupted leaves no
// reservation, no lock, no temporary and no log of the ledger.
func TestRefusedNightsLeaveNothing(t *testing.T) {
	k := newKilledNight(t)
	const n = 2
	for _, c := range []struct {
		name string
		code int
		args []string
		prep string // done by a shell before
	}{
		{"input that is none", 3, nil, "head -c 100 in2 > cut && mv cut in2"},
		{"no such column of ids", 3, []string{"--record-id", "none"}, ""},
		{"another key", 3, []string{"--key-file", "other"}, "tacet key new --type draw --output other"},
		{"changed records are refused", 4, []string{"--on-change", "refuse"}, ""},
		{"another total than before", 2, []string{"--total-epsilon", "0.9"}, ""},
		{"history that is gone", 4, nil, "rm ledger.history/*/*.history"},
		{"folder that is a file", 2, []string{"--report", "in1"}, ""},
		{"output in a file", 2, []string{"--output", "in1/out"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := copyOf(t, k.folder[n-1])
			if c.prep != "" {
				cmd := exec.Command("sh", "-c", c.prep)
				cmd.Dir = dir
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
			}
			cmd := k.command(dir, n)
			for i := 0; i < len(c.args); i += 2 { // given twice an option is refused
				if at := slices.Index(cmd.Args, c.args[i]); at >= 0 {
					cmd.Args[at+1] = c.args[i+1]
				} else {
					cmd.Args = append(cmd.Args, c.args[i:i+2]...)
				}
			}
			finish(t, cmd).want(t, c.code)
			if left := leftovers(t, dir); len(left) > 0 {
				t.Errorf("left %v", left)
			}
			for _, e := range releasesOf(t, dir) {
				if e.State == ledger.IsReserved {
					t.Errorf("release %d stays reserved", e.ID)
				}
			}
		})
	}
}
