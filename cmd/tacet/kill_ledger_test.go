package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tacet-privacy/tacet/pipeline/ledger"
	"github.com/tacet-privacy/tacet/test/torture"
)

// nights are the inputs of three nights of one file: rows in another order, and a few that changed.
func nights(t *testing.T, dir string, records int) {
	t.Helper()
	r := rand.New(rand.NewPCG(4, 4))
	letter := make([]byte, records)
	for i := range letter {
		letter[i] = "abcd"[r.IntN(4)]
	}
	for night, step := range []int{1, 7, 11} { // prime to the number of records
		b := []byte("id:int64,x:string\n")
		for i := range letter {
			id := i * step % records
			if r.IntN(50) == 0 {
				letter[id] = "abcd"[r.IntN(4)]
			}
			b = fmt.Appendf(b, "%d,%c\n", id, letter[id])
		}
		tableFile(t, string(b), filepath.Join(dir, fmt.Sprint("in", night+1)))
	}
}

// nightly is the job of a night.
func nightly(night int) []string {
	n := fmt.Sprint(night)
	return []string{"apply", "--plan", "plan.json", "--input", "in" + n, "--output", "out" + n, "--report", "report" + n,
		"--overwrite", "--audit", "off",
		"--record-id", "id", "--key-file", "key", "--ledger", "ledger", "--dataset", "visits", "--on-change", "draw"}
}

// TestSlowKillANight kills the second night at many moments: see left and settled.
func TestSlowKillANight(t *testing.T) {
	times := 4
	if torture.Long() {
		times = 300
	}
	const n = 2
	k := newKilledNight(t)
	start := time.Now()
	k.run(t, copyOf(t, k.folder[n-1]), n)
	took, killed := time.Since(start), 0
	for i := range torture.Within(t, times, 1) {
		dir := copyOf(t, k.folder[n-1])
		cmd := k.command(dir, n)
		must(t, cmd.Start())
		time.Sleep(took * time.Duration(97*i%times) / time.Duration(times-1))
		cmd.Process.Kill()
		if cmd.Wait() != nil {
			killed++
		}
		what := fmt.Sprint("kill ", i)
		k.left(t, what, dir, n)
		again := i%2 == 0
		if again {
			k.run(t, dir, n)
			k.is(t, dir, n)
		}
		k.run(t, dir, n+1)
		k.settled(t, what, dir, n+1, again)
	}
	t.Logf("torture: %d kills of nights", killed)
	if killed == 0 {
		t.Error("control: no night was killed before its end")
	}
}

// A killedNight is three nights, as they are if nothing disturbs them.
type killedNight struct {
	folder [3]string // before every night
	out    [4][]byte // of every night from 1 on
	plan   []byte
}

func newKilledNight(t *testing.T) *killedNight {
	t.Helper()
	k := &killedNight{}
	k.folder[0] = t.TempDir()
	nights(t, k.folder[0], 2000)
	k.tacet(t, k.folder[0], "key", "new", "--type", "draw", "--output", "key")
	k.tacet(t, k.folder[0], "design", "--input", "in1", "--column", "x", "--utility", "ordered:a,b,c,d", "--epsilon",
		"0.7", "--headroom", "10%", "--write-plan", "plan.json")
	dir := k.folder[0]
	for n := 1; n <= 3; n++ {
		dir = copyOf(t, dir)
		k.run(t, dir, n)
		k.out[n] = content(t, filepath.Join(dir, "out"))
		if n < 3 {
			k.folder[n] = dir
		}
	}
	if k.plan = content(t, filepath.Join(dir, "report", "plan.json")); bytes.Equal(k.out[1], k.out[2]) ||
		bytes.Equal(k.out[2], k.out[3]) {
		t.Fatal("control: two nights give the same output")
	}
	return k
}

// command is that of a night; all write the same files.
func (k *killedNight) command(dir string, n int) *exec.Cmd {
	args := nightly(n)
	for i, a := range args {
		if a == fmt.Sprint("out", n) || a == fmt.Sprint("report", n) {
			args[i] = strings.TrimSuffix(a, fmt.Sprint(n))
		}
	}
	return inFolder(dir, args...)
}

func (k *killedNight) run(t *testing.T, dir string, n int) {
	t.Helper()
	if out, err := k.command(dir, n).CombinedOutput(); err != nil {
		t.Fatalf("night %d: %v: %s", n, err, out)
	}
}

func (k *killedNight) tacet(t *testing.T, dir string, args ...string) {
	t.Helper()
	if out, err := inFolder(dir, args...).CombinedOutput(); err != nil {
		t.Errorf("tacet %s: %v: %s", args[0], err, out)
	}
}

func (k *killedNight) is(t *testing.T, dir string, n int) {
	t.Helper()
	if !bytes.Equal(content(t, filepath.Join(dir, "out")), k.out[n]) {
		t.Errorf("night %d did not give what it gives undisturbed", n)
	}
}

// left looks at what a killed night left.
func (k *killedNight) left(t *testing.T, what, dir string, n int) {
	t.Helper()
	out := content(t, filepath.Join(dir, "out"))
	placed := bytes.Equal(out, k.out[n])
	if !placed && !bytes.Equal(out, k.out[n-1]) {
		t.Errorf("%s: the output is neither that of the night before nor that of this one", what)
	}
	if plan := content(t, filepath.Join(dir, "report", "plan.json")); plan != nil && !bytes.Equal(plan, k.plan) {
		t.Errorf("%s: the plan in place is not that of the nights", what)
	}
	if of := n - 1; content(t, filepath.Join(dir, decider)) != nil { // then all is of one night
		if placed {
			of = n
		}
		k.tacet(t, dir, "verify", "--report", "report/report.json", "--input", fmt.Sprint("in", of), "--output", "out")
	}
	state := ""
	if _, err := os.Stat(filepath.Join(dir, "ledger")); err == nil {
		k.tacet(t, dir, "ledger", "--ledger", "ledger", "verify")
		if list := releasesOf(t, dir); len(list) == n {
			state = list[n-1].State
		} else if len(list) != n-1 {
			t.Errorf("%s: %d releases are in the ledger", what, len(list))
		}
	}
	if counted := state == ledger.IsSealed || state == ledger.IsCommitted; placed && !counted || !placed &&
		state == ledger.IsCommitted {
		t.Errorf("%s: the output in place is that of this night: %v; in the ledger it is %q", what, placed, state)
	}
	if state == ledger.IsCommitted {
		k.tacet(t, dir, "verify", "--report", "report/report.json", "--input", fmt.Sprint("in", n), "--output", "out")
	}
}

// settled looks at what is there once a later night has ended.
func (k *killedNight) settled(t *testing.T, what, dir string, n int, all bool) {
	t.Helper()
	k.is(t, dir, n)
	k.tacet(t, dir, "ledger", "--ledger", "ledger", "verify")
	k.tacet(t, dir, "verify", "--report", "report/report.json", "--input", fmt.Sprint("in", n), "--output", "out")
	temporary, _ := filepath.Glob(filepath.Join(dir, ".tacet-*"))
	more, _ := filepath.Glob(filepath.Join(dir, "*", ".tacet-*"))
	if len(temporary)+len(more) > 0 {
		t.Errorf("%s: left %v %v", what, temporary, more)
	}
	committed := 0
	for _, e := range releasesOf(t, dir) {
		if e.State == ledger.IsCommitted {
			committed++
		}
	}
	histories, _ := filepath.Glob(filepath.Join(dir, "ledger.history", "*", "*.history"))
	if all && (committed != n || len(histories) != 1) {
		t.Errorf("%s: %d of %d releases are committed, %d record histories are left", what, committed, n, len(histories))
	}
}

func releasesOf(t *testing.T, dir string) []ledger.Entry {
	t.Helper()
	l, err := ledger.Open(context.Background(), filepath.Join(dir, "ledger"), ledger.Options{ReadOnly: true})
	must(t, err)
	defer l.Close()
	r, err := l.Look(context.Background())
	must(t, err)
	return r.Entries
}

// copyOf is a folder with the same files.
func copyOf(t *testing.T, from string) string {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command("cp", "-r", from+"/.", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}

// content is what a file holds, nil where there is none.
func content(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return data
}
