package main

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/urfave/cli/v2"
)

// A finished process of tacet.
type finished struct {
	code           int
	stdout, stderr string
}

// tacet runs the command, in a process of its own where memory is limited.
func tacet(t *testing.T, args ...string) finished {
	t.Helper()
	if os.Getenv("GOMEMLIMIT") != "" {
		return finish(t, exec.Command("tacet", args...))
	}
	return inside("", os.LookupEnv, append([]string{"tacet"}, args...))
}

// process is held by the command that runs in this one: it has its folder and environment.
var process sync.Mutex

// inside runs a command line in this process, in a folder unless dir is "", and with the
// variables of an environment.
func inside(dir string, env func(name string) (value string, set bool), args []string) finished {
	process.Lock()
	defer process.Unlock()
	was, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	if dir != "" {
		defer os.Chdir(was)
		if err := os.Chdir(dir); err != nil {
			panic(err)
		}
	}
	for _, name := range variables() {
		defer setVariable(name)(os.LookupEnv(name))
		setVariable(name)(env(name))
	}
	stage.Store(nothingPlaced)
	var out, errs bytes.Buffer
	code := run(args, &out, &errs)
	return finished{code, out.String(), errs.String()}
}

func setVariable(name string) func(value string, set bool) {
	return func(value string, set bool) {
		if set {
			os.Setenv(name, value)
		} else {
			os.Unsetenv(name)
		}
	}
}

// variables are what commands read of the environment.
var variables = sync.OnceValue(func() []string {
	names := map[string]bool{"TACET_CLOUD": true, "PATH": true, "TMPDIR": true}
	var add func(*cli.Command)
	add = func(c *cli.Command) {
		for _, f := range c.Flags {
			for _, name := range f.(cli.DocGenerationFlag).GetEnvVars() {
				names[name] = true
			}
		}
		for _, sub := range c.Subcommands {
			add(sub)
		}
	}
	for _, c := range commands() {
		add(c)
	}
	return slices.Sorted(maps.Keys(names))
})

// inFolder is tacet with these arguments in a folder.
func inFolder(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command("tacet", args...)
	cmd.Dir = dir
	return cmd
}

func finish(t *testing.T, cmd *exec.Cmd) finished {
	t.Helper()
	var out, err bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &err
	var exit *exec.ExitError
	if e := cmd.Run(); e != nil && !errors.As(e, &exit) {
		t.Fatal(e)
	}
	return finished{cmd.ProcessState.ExitCode(), out.String(), err.String()}
}

var progressLine = regexp.MustCompile(`(?m)^tacet: [a-z ]+: \d+ of \d+ (rows|searches|steps|designs)\n`)

// want fails unless the process ended with this code, and with exactly one
// line for people where that is not 0. Lines of progress, which a slow machine
// sees every ten seconds, do not count.
func (f finished) want(t *testing.T, code int) {
	t.Helper()
	f.stderr = progressLine.ReplaceAllString(f.stderr, "")
	if f.code != code {
		t.Fatalf("exit code %d, want %d:\n%s", f.code, code, f.stderr)
	}
	if code == 0 && f.stderr != "" || code != 0 && (lines(f.stderr) != 1 || !strings.HasPrefix(f.stderr, "tacet: ")) {
		t.Fatalf("standard error of exit code %d:\n%s", code, f.stderr)
	}
}

// snapshot is every file below dir by its name, with its mode.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		st, err := e.Info()
		files[strings.TrimPrefix(path, dir)] = st.Mode().String() + "\n" + string(data)
		return err
	})
	must(t, err)
	return files
}

// unchanged fails unless dir holds what it held.
func unchanged(t *testing.T, dir string, before map[string]string) {
	t.Helper()
	after := snapshot(t, dir)
	for name, data := range before {
		if after[name] != data {
			t.Errorf("%s is not what it was", name)
		}
	}
	for name := range after {
		if _, ok := before[name]; !ok {
			t.Errorf("%s was left behind", name)
		}
	}
}

func writeFile(t *testing.T, path string, data []byte) string {
	t.Helper()
	must(t, os.WriteFile(path, data, 0o666))
	return path
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	return data
}

// must ends a test where something fails that it is not about.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
