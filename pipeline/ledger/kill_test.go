package ledger

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/io/publish"
)

// night is a nightly run in small, in the order that docs/design.md asks for.
// Record i of input n has the output "n.i" if it changes with the input, and
// else always the same. step is called between what it writes.
func night(dir, input string, step func(string)) error {
	l, err := Open(ctx, filepath.Join(dir, "l"), Options{Create: true})
	if err != nil {
		return err
	}
	defer l.Close()
	l.step = func(doing string) { step("within " + doing) }
	step("opened")
	r := nightly(input)
	unlock, err := l.Lock(r.Series)
	if err != nil {
		return err
	}
	defer unlock()
	if err := repair(l, r.Series, dir); err != nil {
		return err
	}
	ticket, err := l.Reserve(ctx, r, Changes{}, anything)
	if err != nil {
		return err
	}
	step("reserved")
	about := About{Ledger: l.ID(), Dataset: r.Dataset, Column: r.Column, Population: r.Population, Names: "names",
		Limit: 2}
	h, err := New(about)
	if ticket.Base != nil {
		h, err = OpenHistory(filepath.Join(l.Folder(r.Series), ticket.Base.File), ticket.Base.SHA256, about)
	}
	if err != nil {
		return err
	}
	output := draw(h, ticket, input)
	set := publish.NewSet()
	defer set.Abort()
	for _, name := range []string{"out", "report"} {
		f, err := set.Add(publish.Target{Path: filepath.Join(dir, name+input), Overwrite: true})
		if err != nil {
			return err
		}
		if _, err := f.WriteAt(output, 0); err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	step("drawn")
	if ticket.State == IsReserved {
		name := fmt.Sprintf("%06d%s", ticket.ID, Suffix)
		tally, err := h.Write(filepath.Join(l.Folder(r.Series), name), nil)
		if err != nil {
			return err
		}
		step("history written")
		came := Realised{OutputSHA256: hashOf(output), Rows: 100, Factor: "4/3", Cumulative: Claim{"4/3", "exact", "test"},
			Changed: tally.Changed, New: tally.New,
			History: &Segment{File: name, SHA256: tally.SHA256, Base: tally.Base, Records: tally.Records,
				Entries: tally.Entries}}
		if err := l.Seal(ctx, ticket.ID, came); err != nil {
			return err
		}
	}
	step("sealed")
	if err := set.Commit(); err != nil {
		return err
	}
	step("placed")
	if err := l.Commit(ctx, ticket.ID); err != nil {
		return err
	}
	step("committed")
	return sweep(l, r.Series)
}

// draw publishes every record of the night's input.
func draw(h *History, k Ticket, input string) []byte {
	c, _ := h.Channel(Channel{Design: "d", Key: "k", Kind: "draw"})
	if k.State == IsReserved {
		if err := h.Begin(k.Night); err != nil {
			panic(err)
		}
	}
	var out bytes.Buffer
	for i := range 100 {
		rec := Record{byte(i), 1}
		y := uint16(i)
		if i%10 == 0 {
			y = uint16(input[0])
		}
		if k.State == IsReserved {
			var at [1]Place
			h.Find([]Record{rec}, at[:])
			h.Publish(&rec, at[0], c, y)
		}
		fmt.Fprintln(&out, i, y)
	}
	return out.Bytes()
}

// repair commits a release whose output is in place. One that is only
// reserved counts until somebody voids it or the same night comes again.
func repair(l *Ledger, of Series, dir string) error {
	st, err := l.Status(ctx, of)
	if err != nil {
		return err
	}
	for _, e := range st.Unfinished {
		if e.State != IsSealed {
			continue
		}
		names, _ := filepath.Glob(filepath.Join(dir, "out*"))
		for _, name := range names {
			if sha, err := fileHash(name); err == nil && sha == e.Realised.OutputSHA256 {
				if err := l.Commit(ctx, e.ID); err != nil {
					return err
				}
			}
		}
	}
	return sweep(l, of)
}

func sweep(l *Ledger, of Series) error {
	keep, err := l.Keep(ctx, of)
	if err != nil {
		return err
	}
	return Sweep(l.Folder(of), keep)
}

// start begins a night in another process.
func start(t *testing.T, dir, input, halt string) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "LEDGER_TEST_PATH="+filepath.Join(dir, "l"), "LEDGER_TEST_DO=night",
		"LEDGER_TEST_HALT="+halt, "LEDGER_TEST_INPUT="+input)
	out, err := cmd.StdoutPipe()
	ok(t, err)
	ok(t, cmd.Start())
	return cmd, bufio.NewReader(out)
}

// TestKill kills the second night at every step. Whatever an observer may
// hold is sealed in the ledger and in the history; the same night again, or
// the next, repairs what is left.
func TestKill(t *testing.T) {
	for _, c := range []struct {
		at, state string
		placed    bool
	}{
		{"opened", "", false}, {"within reserving in", "", false}, {"reserved", IsReserved, false},
		{"drawn", IsReserved, false}, {"history written", IsReserved, false},
		{"within sealing in", IsReserved, false}, {"sealed", IsSealed, false}, {"placed", IsSealed, true},
		{"within committing in", IsSealed, true}, {"committed", IsCommitted, true},
	} {
		for _, next := range []string{"b", "c"} {
			t.Run(c.at+", then "+next, func(t *testing.T) {
				dir := t.TempDir()
				ok(t, night(dir, "a", func(string) {}))
				cmd, out := start(t, dir, "b", c.at)
				if line, err := out.ReadString('\n'); line != "halted\n" {
					t.Fatalf("child says %q, %v", line, err)
				}
				cmd.Process.Kill()
				cmd.Wait()
				looked(t, dir, c.state, c.placed)
				ok(t, night(dir, next, func(string) {}))
				repaired(t, dir, next, c.state, c.placed)
			})
		}
	}
}

// looked checks what a killed night left: ledger and history hold, and the
// history in effect has the night in it if and only if it is sealed.
func looked(t *testing.T, dir, state string, placed bool) {
	t.Helper()
	l, err := Open(ctx, filepath.Join(dir, "l"), Options{})
	ok(t, err)
	defer l.Close()
	if _, err := l.Verify(ctx, ""); err != nil {
		t.Error(err)
	}
	list, err := l.List(ctx)
	ok(t, err)
	got := ""
	if len(list) == 2 {
		got = list[1].State
	}
	if got != state {
		t.Errorf("the killed night is %q in the ledger, want %q", got, state)
	}
	_, err = os.Stat(filepath.Join(dir, "outb"))
	if (err == nil) != placed {
		t.Errorf("its output: %v, want it in place: %v", err, placed)
	}
	if st, err := l.Status(ctx, list[0].Series); err != nil || (st.History.File == fmt.Sprintf("%06d.history",
		list[0].ID)) != (state == "" || state == IsReserved) {
		t.Errorf("the history in effect is %s, %v", st.History.File, err)
	}
}

// repaired checks what the next night made of it.
func repaired(t *testing.T, dir, next, state string, placed bool) {
	t.Helper()
	l, err := Open(ctx, filepath.Join(dir, "l"), Options{})
	ok(t, err)
	defer l.Close()
	if _, err := l.Verify(ctx, ""); err != nil {
		t.Error(err)
	}
	list, err := l.List(ctx)
	ok(t, err)
	want := []string{IsCommitted, IsCommitted}
	if next == "c" && state != "" { // what was not placed still counts
		middle := state
		if placed {
			middle = IsCommitted
		}
		want = []string{IsCommitted, middle, IsCommitted}
	}
	var got []string
	for _, e := range list {
		got = append(got, e.State)
	}
	if !slices.Equal(got, want) {
		t.Errorf("states are %v, want %v", got, want)
	}
	last := list[len(list)-1].Realised
	if data, err := os.ReadFile(filepath.Join(dir, "out"+next)); err != nil || hashOf(data) != last.OutputSHA256 {
		t.Errorf("the output is not the one in the ledger, %v", err)
	}
	if last.Changed != 10 || last.New != 0 {
		t.Errorf("the last night is %+v", last)
	}
	files, err := filepath.Glob(filepath.Join(l.Folder(list[0].Series), "*.history"))
	ok(t, err)
	kept, err := l.Keep(ctx, list[0].Series)
	if err != nil || len(files) != len(kept) {
		t.Errorf("%d histories are there, %v are kept, %v", len(files), kept, err)
	}
	left, _ := filepath.Glob(filepath.Join(dir, ".tacet-*"))
	if more, _ := filepath.Glob(filepath.Join(l.Folder(list[0].Series), ".tacet-*")); len(left)+len(more) > 0 {
		t.Errorf("left: %v %v", left, more)
	}
}
