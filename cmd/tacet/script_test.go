package main

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"tacet": main})
}

// TestScripts runs the documents in testdata/script: every command and every
// refusal, with what it prints, its exit code and what it leaves behind.
func TestScripts(t *testing.T) {
	tables, err := filepath.Abs("../../testdata/tables")
	if err != nil {
		t.Fatal(err)
	}
	commands := map[string]func(*testscript.TestScript, bool, []string){
		"exits": exits,
		"table": table,
		"cut":   cut,
		"flip":  flip,
		"sizes": sizes,
	}
	maps.Copy(commands, faults)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("TABLES", tables)
			e.Setenv("NIGHTLY", filepath.Join(tables, "../../docs/nightly"))
			// Small tables of few values tell everything; audit.txtar judges them.
			e.Setenv("TACET_AUDIT", "off")
			return nil
		},
		Cmds: commands,
	})
}

// exits CODE COMMAND... runs tacet and wants this exit code, a line on standard error for
// each thing that is wrong where the code is not 0, with nothing but indented lines
// below them, and no panic.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE tacet ARGS...")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := "0"
	if err != nil {
		code = exitCode(err)
	}
	if code != args[0] {
		ts.Fatalf("exit code %s, want %s (%v)", code, args[0], err)
	}
	stderr := progressLine.ReplaceAllString(ts.ReadFile("stderr"), "")
	if code != "0" && !messages.MatchString(stderr) {
		ts.Fatalf("standard error is not messages and what explains them:\n%s", stderr)
	}
}

// messages are what a command says that fails, as text or as a log of JSON.
var messages = regexp.MustCompile(`^((tacet: .+\n)+(  .+\n)*|(\{.+\}\n)+)$`)

// cut FILE N leaves the first N bytes of a file; a negative N cuts from the
// end.
func cut(ts *testscript.TestScript, neg bool, args []string) {
	data := []byte(ts.ReadFile(args[0]))
	n := atoi(ts, args[1])
	if n < 0 {
		n += len(data)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), data[:n], 0o666))
}

// flip FILE AT inverts the byte at an offset; a negative one counts from the
// end.
func flip(ts *testscript.TestScript, neg bool, args []string) {
	data := []byte(ts.ReadFile(args[0]))
	at := atoi(ts, args[1])
	if at < 0 {
		at += len(data)
	}
	data[at] ^= 0xff
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o666))
}

// sizes FILE wants a file that is not empty.
func sizes(ts *testscript.TestScript, neg bool, args []string) {
	for _, a := range args {
		st, err := os.Stat(ts.MkAbs(a))
		ts.Check(err)
		if (st.Size() == 0) != neg {
			ts.Fatalf("%s has %d bytes", a, st.Size())
		}
	}
}
