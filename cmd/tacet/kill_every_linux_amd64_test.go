package main

import (
	"fmt"
	"testing"
	"time"

	"github.com/tacet-privacy/tacet/test/torture"
)

// TestSlowKillEveryStep kills the first night and the second, which replaces the
// output of the first, before everything they write. Whatever that leaves, the
// output is that of the one night or the other, whole; the ledger holds, and
// knows of an output that is in place; and the same night again, or the next
// one, ends as if nothing had happened.
func TestSlowKillEveryStep(t *testing.T) {
	few := 4
	if torture.Long() {
		few = 1 << 20
	}
	k := newKilledNight(t)
	for n := 1; n <= 2; n++ {
		did, killed := stepped(t, k.command(copyOf(t, k.folder[n-1]), n), "", 0)
		if killed || len(did) < 100 {
			t.Fatalf("control: night %d writes only %q", n, did)
		}
		every := max(1, len(did)/few)
		// Threads take turns: a run may write a little more, or less.
		for i, end := every, torture.Until(t, 3-n); time.Now().Before(end); i += every {
			dir := copyOf(t, k.folder[n-1])
			did, killed := stepped(t, k.command(dir, n), "", i)
			if !killed {
				k.is(t, dir, n)
				break
			}
			t.Logf("torture: %d kill, before %s", 1, did[i-1])
			what := fmt.Sprintf("night %d, killed before write %d (%s)", n, i, did[i-1])
			k.left(t, what, dir, n)
			again := i/every%2 == 0
			if again {
				k.run(t, dir, n)
				k.is(t, dir, n)
			}
			k.run(t, dir, n+1)
			k.settled(t, what, dir, n+1, again)
		}
	}
}
