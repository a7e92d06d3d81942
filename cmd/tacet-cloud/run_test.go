package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// programs are tacet and tacet-cloud in one folder, as they are installed. The latter is the test
// binary, so that no second one is linked.
var programs = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "tacet-cloud-test")
	if err != nil {
		return "", err
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	build := exec.Command("go", "build", "-o", dir+"/", ".")
	build.Dir = "../tacet"
	if out, err := build.CombinedOutput(); err != nil {
		return "", errors.New(string(out))
	}
	return dir, os.Symlink(self, filepath.Join(dir, "tacet-cloud"))
})

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "tacet-cloud" {
		main()
		return
	}
	code := m.Run()
	if dir, err := programs(); err == nil {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

// tacet runs the program in a folder of its own.
type tacet struct {
	t       *testing.T
	program string
	dir     string
}

func newTacet(t *testing.T) *tacet {
	t.Helper()
	dir, err := programs()
	if err != nil {
		t.Fatal(err)
	}
	return &tacet{t, filepath.Join(dir, "tacet"), t.TempDir()}
}

func (p *tacet) command(args ...string) *exec.Cmd {
	c := exec.Command(p.program, args...)
	c.Dir = p.dir
	return c
}

// run gives the exit code and all that was printed.
func (p *tacet) run(args ...string) (int, string) {
	p.t.Helper()
	out, err := p.command(args...).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.t.Fatal(err)
	}
	if exit != nil {
		return exit.ExitCode(), string(out)
	}
	return 0, string(out)
}

// done is a run that must end well.
func (p *tacet) done(args ...string) string {
	p.t.Helper()
	code, out := p.run(args...)
	if code != 0 {
		p.t.Fatalf("tacet %s: exit %d\n%s", strings.Join(args, " "), code, out)
	}
	return out
}

const flights = "../../testdata/tables/flights.parquet"

// job is what every run below is asked for, and airports its order.
func job(input, output string) []string {
	order, err := filepath.Abs("../../testdata/tables/airports.csv")
	if err != nil {
		panic(err)
	}
	return []string{"run", "--input", input, "--output", output, "--column", "origin", "--utility", "positions:" + order,
		"--max-factor", "4", "--drop", "destination,distance", "--run-key", "run.key", "--run-id", "one"}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// A run on objects writes the bytes that one on files writes, and its report
// verifies; it can be repeated, and nothing of a second run of the same name stands.
func TestRun(t *testing.T) {
	g, p := startGateway(t), newTacet(t)
	data := read(t, flights)
	write(t, g.path("flights.parquet"), data)
	write(t, filepath.Join(p.dir, "flights.parquet"), data)
	p.done("key", "new", "--type", "run", "--output", "run.key")
	p.done(append(job("flights.parquet", "published.parquet"), "--report", "local")...)
	input, output := g.url(g.address, "flights.parquet"), g.url(g.address, "out/published.parquet")
	out := p.done(append(job(input, output), "--report", "stored")...)
	if !strings.Contains(out, "written:  s3://bucket/out/published.parquet\n") || strings.Contains(out, "endpoint") {
		t.Errorf("it says\n%s", out)
	}
	if !bytes.Equal(read(t, g.path("out/published.parquet")), read(t, filepath.Join(p.dir, "published.parquet"))) {
		t.Error("a run on objects writes other bytes than one on files")
	}
	for _, name := range []string{"plan.json", "public/mechanism.json"} {
		if !bytes.Equal(read(t, filepath.Join(p.dir, "stored", name)), read(t, filepath.Join(p.dir, "local", name))) {
			t.Errorf("%s is another", name)
		}
	}
	var report struct{ Input, Output struct{ Path string } }
	if err := json.Unmarshal(read(t, filepath.Join(p.dir, "stored/report.json")), &report); err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(read(t, filepath.Join(p.dir, "stored/report.json")), []byte("use_path_style")) {
		t.Error("the report holds the parameters of an address")
	}
	if report.Input.Path != "s3://bucket/flights.parquet" || report.Output.Path != "s3://bucket/out/published.parquet" {
		t.Errorf("the report names %+v", report)
	}
	write(t, filepath.Join(p.dir, "copy.parquet"), read(t, g.path("out/published.parquet")))
	p.done("verify", "--report", "stored/report.json", "--input", "flights.parquet", "--output", "copy.parquet")

	code, out := p.run(append(job(input, output), "--report", "again")...)
	if code != 2 || !strings.Contains(out, "s3://bucket/out/published.parquet exists") {
		t.Errorf("a second run: exit %d\n%s", code, out)
	}
	p.done(append(job(input, output), "--report", "stored", "--overwrite")...)
	if left := uploads(t, g); len(left) > 0 {
		t.Errorf("uploads are left: %v", left)
	}
	if out := p.done("inspect", "--input", input); !strings.Contains(out, "200000 rows") ||
		!strings.Contains(out, "--input s3://bucket/") || strings.Contains(out, "use_path_style") {
		t.Errorf("inspect says\n%s", out)
	}
}

// The objects below an address that ends in a slash are one data set, and give the
// files that a folder of them gives.
func TestFolder(t *testing.T) {
	g, p := startGateway(t), newTacet(t)
	data := read(t, flights)
	p.done("key", "new", "--type", "run", "--output", "run.key")
	for _, name := range []string{"tree/dt=1/a.parquet", "tree/dt=2/b c%3A.parquet", "tree/_SUCCESS"} {
		for _, at := range []string{g.path(name), filepath.Join(p.dir, name)} {
			if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
				t.Fatal(err)
			}
			write(t, at, data)
		}
	}
	p.done(append(job("tree", "local"), "--report", "local.report", "--audit", "off")...)
	input := g.url(g.address, "tree/")
	p.done(append(job(input, "stored"), "--report", "stored.report", "--audit", "off")...)
	for _, name := range []string{"dt=1/a.parquet", "dt=2/b c%3A.parquet"} {
		if !bytes.Equal(read(t, filepath.Join(p.dir, "local", name)), read(t, filepath.Join(p.dir, "stored", name))) {
			t.Errorf("%s has other bytes", name)
		}
	}
	if _, err := os.Stat(filepath.Join(p.dir, "stored/_SUCCESS")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what is no data was taken (%v)", err)
	}
}

// What is wrong is told in one line with what to do, and by its code.
func TestRefusals(t *testing.T) {
	g, p := startGateway(t), newTacet(t)
	write(t, g.path("flights.parquet"), read(t, flights))
	p.done("key", "new", "--type", "run", "--output", "run.key")
	input, output := g.url(g.address, "flights.parquet"), g.url(g.address, "published.parquet")
	nobody := strings.Replace(output, "://bucket", "://nobucket", 1)
	for name, c := range map[string]struct {
		args []string
		code int
		want string
	}{
		"no object":    {job(g.url(g.address, "flihgts.parquet"), output), 3, "s3://bucket/flihgts.parquet does not exist"},
		"no bucket in": {job(nobody, output), 3, "s3://nobucket/published.parquet does not exist"},
		"no bucket":    {job(input, nobody), 3, "s3://nobucket/published.parquet does not exist"},
		"a folder":     {job(input, g.url(g.address, "dir/")), 2, "s3://bucket/dir/ names no object"},
		"the input":    {append(job(input, input), "--overwrite"), 2, "is read by this run"},
		"a plan": {append(job(input, output), "--plan", output), 2, "only --input, --output and --report may be in " +
			"a store"},
		"no server": {job("s3://bucket/x?endpoint=http://127.0.0.1:9&use_path_style=true", output), 5, "did not answer"},
	} {
		code, out := p.run(c.args...)
		if code != c.code || !strings.Contains(out, c.want) || !strings.Contains(out, "hint: ") {
			t.Errorf("%s: exit %d, want %d with %q\n%s", name, code, c.code, c.want, out)
		}
		if strings.Contains(out, "127.0.0.1") || strings.Contains(out, "https://") {
			t.Errorf("%s: the text of the store is handed on\n%s", name, out)
		}
	}
	t.Setenv("AWS_SECRET_ACCESS_KEY", "another secret")
	if code, out := p.run(job(input, output)...); code != 5 || !strings.Contains(out, "the store denies access") {
		t.Errorf("a wrong key: exit %d\n%s", code, out)
	}
	t.Setenv("TACET_CLOUD", "/nonexistent")
	if code, out := p.run(job(input, output)...); code != 5 || !strings.Contains(out, "put tacet-cloud beside tacet") {
		t.Errorf("without the program: exit %d\n%s", code, out)
	}
	if left, err := os.ReadDir(p.dir); err != nil || len(left) != 1 {
		t.Errorf("refused runs leave %v (%v)", left, err)
	}
	if _, err := os.Stat(g.path("published.parquet")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a refused run left an object (%v)", err)
	}
}

// Of two runs at once one wins and the other says so.
func TestTwoRuns(t *testing.T) {
	g := startGateway(t)
	write(t, g.path("flights.parquet"), read(t, flights))
	var wait sync.WaitGroup
	codes, said := make([]int, 2), make([]string, 2)
	all := []*tacet{newTacet(t), newTacet(t)}
	for i, p := range all {
		wait.Go(func() {
			p.done("key", "new", "--type", "run", "--output", "run.key")
			codes[i], said[i] = p.run(append(job(g.url(g.address, "flights.parquet"), g.url(g.address, "published.parquet")),
				"--report", "report")...)
		})
	}
	wait.Wait()
	winner := 0
	if codes[0] != 0 {
		winner = 1
	}
	if codes[winner] != 0 || codes[1-winner] != 2 || !strings.Contains(said[1-winner], "published.parquet") {
		t.Fatalf("exits %v\n%s", codes, said)
	}
	write(t, filepath.Join(all[winner].dir, "copy.parquet"), read(t, g.path("published.parquet")))
	all[winner].done("verify", "--report", "report/report.json", "--output", "copy.parquet")
	if _, err := os.Stat(filepath.Join(all[1-winner].dir, "report")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the loser keeps a report (%v)", err)
	}
}

// A run that is interrupted or killed while it uploads leaves no object and no
// parts, and the next one ends with the bytes that the first would have written.
func TestKilled(t *testing.T) {
	g, p := startGateway(t), newTacet(t)
	var rows bytes.Buffer
	rows.WriteString("c,other\n")
	for i, r := 0, rand.New(rand.NewPCG(1, 2)); i < 600_000; i++ { // 74 MB, more than is on its way at once
		fmt.Fprintf(&rows, "%d,%0120d\n", r.IntN(10), i)
	}
	write(t, g.path("in.csv"), rows.Bytes())
	p.done("key", "new", "--type", "run", "--output", "run.key")
	job := func(output, report string) []string {
		return []string{"run", "--input", g.url(g.address, "in.csv"), "--output", output, "--report", report, "--column", "c",
			"--utility", "numeric", "--max-factor", "3", "--run-key", "run.key", "--run-id", "one"}
	}
	p.done(job("published.csv", "local")...)
	want := read(t, filepath.Join(p.dir, "published.csv"))
	for name, signal := range map[string]os.Signal{"interrupted": syscall.SIGTERM, "killed": syscall.SIGKILL} {
		between := startProxy(t, g.address)
		between.most.Store(partSize / 2) // no part is whole, so that more is waited for
		c := p.command(job(g.url(between.address, name), name+".report")...)
		var said bytes.Buffer
		c.Stderr = &said
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- c.Wait() }()
		between.hold(t)
		if len(uploads(t, g)) == 0 {
			t.Fatalf("%s: no part went up, so nothing is tested\n%s", name, said.String())
		}
		_ = c.Process.Signal(signal)
		between.release()
		began := time.Now()
		if err := <-ended; err == nil {
			t.Errorf("%s: it was done before the signal, so nothing is tested", name)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s: it ends %v after the signal", name, took)
		}
		for began := time.Now(); len(uploads(t, g)) > 0 && time.Since(began) < patience; { // by the other program
			time.Sleep(100 * time.Millisecond)
		}
		if left := uploads(t, g); len(left) > 0 {
			t.Errorf("%s: uploads are left: %v", name, left)
		}
		if _, err := os.Stat(g.path(name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: an object stands there (%v)\n%s", name, err, said.String())
		}
		p.done(append(job(g.url(g.address, name), name+".report"), "--overwrite")...)
		if !bytes.Equal(read(t, g.path(name)), want) {
			t.Errorf("%s: the next run writes other bytes", name)
		}
	}
}
