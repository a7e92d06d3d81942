package ledger

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestMain is also the child of the tests that need another process.
func TestMain(m *testing.M) {
	switch path := os.Getenv("LEDGER_TEST_PATH"); os.Getenv("LEDGER_TEST_DO") {
	case "":
		os.Exit(m.Run())
	case "race":
		race(path)
	}
}

const attempts, admitted = 200, 37

var errBudget = errors.New("over budget")

// capped admits so many releases.
func capped(earlier []Entry) (Claim, error) {
	if len(earlier) >= admitted {
		return Claim{}, errBudget
	}
	return Claim{fmt.Sprint(len(earlier) + 1), "bound", "test"}, nil
}

// race tries to release as often as it can.
func race(path string) {
	l, err := Open(ctx, path, Options{Create: true, Wait: time.Minute})
	if err != nil {
		fmt.Println(err)
		return
	}
	won := 0
	for i := range attempts {
		k, err := l.Reserve(ctx, fresh(fmt.Sprint(i)), Changes{}, capped)
		if err == nil {
			won++
			err = cmp.Or(l.Seal(ctx, k.ID, came(fmt.Sprint(os.Getpid(), i))), l.Commit(ctx, k.ID))
		}
		if err != nil && !errors.Is(err, errBudget) {
			fmt.Println(err)
		}
	}
	fmt.Println("won", won, l.Close())
}

// TestRace: two processes that also make the ledger at the same time never
// release more than the rule admits, and not less.
func TestRace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l")
	var children []*exec.Cmd
	var outs []*strings.Builder
	for range 2 {
		cmd, out := exec.Command(os.Args[0]), &strings.Builder{}
		cmd.Env = append(os.Environ(), "LEDGER_TEST_PATH="+path, "LEDGER_TEST_DO=race")
		cmd.Stdout, cmd.Stderr = out, out
		ok(t, cmd.Start())
		children, outs = append(children, cmd), append(outs, out)
	}
	won := 0
	for i, cmd := range children {
		ok(t, cmd.Wait())
		var n int
		if _, err := fmt.Sscanf(outs[i].String(), "won %d <nil>", &n); err != nil {
			t.Errorf("a child says %q", outs[i])
		}
		won += n
	}
	l := open(t, path, Options{})
	list := look(t, l).Entries
	if won != admitted || len(list) != admitted {
		t.Errorf("%d releases won, %d recorded, want %d", won, len(list), admitted)
	}
	for i, e := range list {
		if e.State != IsCommitted || e.Claim.Factor != fmt.Sprint(i+1) || e.Night != i+1 {
			t.Errorf("release %d is %+v", i, e)
		}
	}
	if _, err := l.Verify(ctx, ""); err != nil {
		t.Error(err)
	}
}

// TestRaceWithin: the same within one process, through one ledger.
func TestRaceWithin(t *testing.T) {
	l := open(t, filepath.Join(t.TempDir(), "l"), Options{Create: true})
	won := make(chan int)
	for g := range 4 {
		go func() {
			n := 0
			for i := range admitted {
				_, err := l.Reserve(ctx, fresh(fmt.Sprint(g, i)), Changes{}, capped)
				if err == nil {
					n++
				} else if !errors.Is(err, errBudget) {
					t.Error(err)
				}
			}
			won <- n
		}()
	}
	if n := <-won + <-won + <-won + <-won; n != admitted {
		t.Errorf("%d releases won, want %d", n, admitted)
	}
}
