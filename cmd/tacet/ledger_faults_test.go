package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"

	"github.com/tacet-privacy/tacet/pipeline/ledger"
)

// faults are the commands of scripts that bring a ledger into a state in which
// it must refuse.
var faults = map[string]func(*testscript.TestScript, bool, []string){
	"dies":     dies,
	"locked":   locked,
	"later":    later,
	"readonly": readOnly,
	"full":     full,
	"same":     same,
}

// dies LEDGER leaves what a run leaves that is killed once it has reserved: a
// release like the last one, of another input.
func dies(ts *testscript.TestScript, _ bool, args []string) {
	ctx := context.Background()
	l, err := ledger.Open(ctx, ts.MkAbs(args[0]), ledger.Options{})
	ts.Check(err)
	r, err := l.Look(ctx)
	ts.Check(err)
	e := r.Entries[len(r.Entries)-1]
	e.InputSHA256 = strings.Repeat("0", 64)
	for i, d := range e.Documents {
		e.Documents[i].Data, err = r.Document(ctx, d.SHA256)
		ts.Check(err)
	}
	_, err = l.Reserve(ctx, e.Release, ledger.Changes{}, func([]ledger.Entry) (ledger.Claim, error) {
		return e.Claim, nil
	})
	ts.Check(err)
	ts.Check(l.Close())
}

// locked LEDGER DATASET COLUMN holds the lock of a series until the script
// ends, as another night would.
func locked(ts *testscript.TestScript, _ bool, args []string) {
	l, err := ledger.Open(context.Background(), ts.MkAbs(args[0]), ledger.Options{})
	ts.Check(err)
	unlock, err := l.Lock(ledger.Series{Dataset: args[1], Column: args[2]})
	ts.Check(err)
	ts.Defer(func() {
		unlock()
		l.Close()
	})
}

// later LEDGER makes a ledger whose first event is of the year 2999.
func later(ts *testscript.TestScript, _ bool, args []string) {
	l, err := ledger.Open(context.Background(), ts.MkAbs(args[0]),
		ledger.Options{Create: true, Now: func() time.Time { return time.Date(2999, 1, 1, 0, 0, 0, 0, time.UTC) }})
	ts.Check(err)
	ts.Check(l.Close())
}

// mounted puts a small disk at a folder, with what is in it; ok is false where
// this process may not mount.
func mounted(ts *testscript.TestScript, dir, size string) (ok bool) {
	ts.Check(os.CopyFS(dir+".kept", os.DirFS(dir)))
	if unix.Mount("tmpfs", dir, "tmpfs", 0, "size="+size) != nil {
		return false
	}
	ts.Defer(func() { unix.Unmount(dir, unix.MNT_DETACH) })
	ts.Check(os.CopyFS(dir, os.DirFS(dir+".kept")))
	return true
}

// readonly DIR lets nobody write into a folder, by a mount where the user of
// the tests is one whom modes do not stop.
func readOnly(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs(args[0])
	if mounted(ts, dir, "16m") {
		ts.Check(unix.Mount("", dir, "tmpfs", unix.MS_REMOUNT|unix.MS_RDONLY, ""))
		return
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	ts.Check(err)
	for _, f := range files {
		ts.Check(os.Chmod(f, 0o400))
	}
	ts.Check(os.Chmod(dir, 0o500))
	ts.Defer(func() { os.Chmod(dir, 0o700) })
}

// full DIR leaves no room on the disk of a folder. Where nothing can be
// mounted the folder is made one that cannot be written to, which is refused
// with the same exit code.
func full(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs(args[0])
	if !mounted(ts, dir, "512k") {
		readOnly(ts, false, args)
		return
	}
	f, err := os.Create(filepath.Join(dir, "fill"))
	ts.Check(err)
	defer f.Close()
	for block := bytes.Repeat([]byte{1}, 4096); ; {
		if _, err := f.Write(block); errors.Is(err, unix.ENOSPC) {
			return
		} else if err != nil {
			ts.Check(err)
		}
	}
}

// same LEDGER COPY wants a ledger with the events of its copy, and nothing
// beside it but the copy's.
func same(ts *testscript.TestScript, _ bool, args []string) {
	var export [2]string
	for i, path := range args {
		l, err := ledger.Open(context.Background(), ts.MkAbs(path), ledger.Options{ReadOnly: true})
		ts.Check(err)
		var b strings.Builder
		ts.Check(l.Export(context.Background(), &b))
		ts.Check(l.Close())
		export[i] = b.String()
	}
	if export[0] != export[1] {
		ts.Fatalf("%s has changed:\n%s", args[0], export[0])
	}
}
