package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) != "tacet" {
		showCrashes()
	}
	testscript.Main(m, map[string]func(){"tacet": main})
}

// TestScripts runs the documents in testdata/script: every command and every
// refusal, with what it prints, its exit code and what it leaves behind.
func TestScripts(t *testing.T) {
	here, err := os.Getwd() // which commands change
	must(t, err)
	tables := filepath.Join(here, "../../testdata/tables")
	commands := map[string]func(*testscript.TestScript, bool, []string){
		"exits": exits,
		"empty": empty,
		"table": table,
		"cut":   cut,
		"flip":  flip,
		"sizes": sizes,
	}
	maps.Copy(commands, faults)
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join(here, "testdata/script"),
		Setup: func(e *testscript.Env) error {
			e.Setenv("TABLES", tables)
			e.Setenv("NIGHTLY", filepath.Join(tables, "../../docs/nightly"))
			// Small tables of few values tell everything; audit.txtar judges them.
			e.Setenv("TACET_AUDIT", "off")
			// The floors of the paper, which know no limit; shares.txtar has the default.
			e.Setenv("TACET_MAX_SHIFT", "none")
			e.Values[variable{}] = map[string]bool{}
			return nil
		},
		Cmds: commands,
	})
}

// exits CODE COMMAND... runs tacet, in this process unless it takes a stream or a limit of
// memory, and wants this exit code, a line on standard error for
// each thing that is wrong where the code is not 0, with nothing but indented lines
// below them, and no panic.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE tacet ARGS...")
	}
	var code, stderr string
	if args[1] == "tacet" && ts.Getenv("GOMEMLIMIT") == "" && !slices.ContainsFunc(args, piped) {
		emptied := ts.Value(variable{}).(map[string]bool)
		done := inside(ts.MkAbs("."), func(name string) (string, bool) {
			value := ts.Getenv(name)
			return value, value != "" || emptied[name]
		}, args[1:])
		fmt.Fprint(ts.Stdout(), done.stdout)
		fmt.Fprint(ts.Stderr(), done.stderr)
		code, stderr = strconv.Itoa(done.code), done.stderr
	} else if err := ts.Exec(args[1], args[2:]...); err != nil {
		code, stderr = exitCode(err), ts.ReadFile("stderr")
	} else {
		code, stderr = "0", ts.ReadFile("stderr")
	}
	if code != args[0] {
		ts.Fatalf("exit code %s, want %s", code, args[0])
	}
	stderr = progressLine.ReplaceAllString(stderr, "")
	if code != "0" && !messages.MatchString(stderr) {
		ts.Fatalf("standard error is not messages and what explains them:\n%s", stderr)
	}
}

// piped reports whether an argument is a stream of the process.
func piped(arg string) bool { return arg == "-" || strings.HasPrefix(arg, "/dev/") }

// messages are what a command says that fails, as text or as a log of JSON.
var messages = regexp.MustCompile(`^((tacet: .+\n)+(  .+\n)*|(\{.+\}\n)+)$`)

// A variable is a key of those that a script has emptied.
type variable struct{}

// empty NAME sets a variable to nothing, where env NAME= takes it away.
func empty(ts *testscript.TestScript, neg bool, args []string) {
	ts.Setenv(args[0], "")
	ts.Value(variable{}).(map[string]bool)[args[0]] = true
}

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
