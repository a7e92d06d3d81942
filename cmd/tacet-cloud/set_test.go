package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// below are the files in and below a folder, by their paths from there.
func below(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || err == nil && e.IsDir() {
			return nil
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(folder, path)
		files[filepath.ToSlash(rel)] = read(t, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// same fails unless two folders hold the same files, the claim of a store aside.
func same(t *testing.T, what string, got, want map[string][]byte) {
	t.Helper()
	got = maps.Clone(got)
	delete(got, ".tacet-set")
	if g, w := slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)); !slices.Equal(g, w) {
		t.Fatalf("%s: files %q, want %q", what, g, w)
	}
	for name := range want {
		if !bytes.Equal(got[name], want[name]) {
			t.Errorf("%s: %s holds other bytes", what, name)
		}
	}
}

// tree writes a data set of n files, one of them empty, below some folders.
func tree(t *testing.T, n int, folders ...string) {
	t.Helper()
	data := read(t, flights)
	for _, folder := range folders {
		for i := range n {
			path := filepath.Join(folder, fmt.Sprintf("dt=%d", i%3), fmt.Sprintf("part %d%%3A.parquet", i))
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if i == 1 {
				write(t, path, nil)
				continue
			}
			write(t, path, data)
		}
	}
}

// set is job for a data set, whose files are too alike to be judged.
func set(input, output, report string, more ...string) []string {
	return append(append(job(input, output), "--report", report, "--audit", "off"), more...)
}

// as is a run with another id.
func as(id string, args []string) []string {
	args = slices.Clone(args)
	args[slices.Index(args, "--run-id")+1] = id
	return args
}

// keyless is a run that cannot be repeated.
func keyless(args []string) []string {
	at := slices.Index(args, "--run-key")
	return slices.Delete(slices.Clone(args), at, at+4)
}

// A data set that goes to a store has the files that a folder gets, and goes on from where
// a run was ended; what is not of its run is refused before it touches anything.
func TestSet(t *testing.T) {
	g, p := startGateway(t), newTacet(t)
	t.Setenv("TMPDIR", t.TempDir())
	tree(t, 5, filepath.Join(p.dir, "tree"), g.path("tree"), g.path("lake"))
	if err := os.Mkdir(g.path("lake/_delta_log"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, g.path("lake/_delta_log/0.json"), []byte("{}"))
	p.done("key", "new", "--type", "run", "--output", "run.key")
	p.done(set("tree", "local", "local.report")...)
	want := below(t, filepath.Join(p.dir, "local"))
	if len(want) != 4 {
		t.Fatalf("control: %d files", len(want))
	}
	at := func(key string) string { return g.url(g.address, key) }
	for to, from := range map[string]string{"from-store/": at("tree/"), "from-folder": "tree"} {
		out := p.done(set(from, at(to), to)...)
		if !strings.Contains(out, "written:  s3://bucket/"+to+"\n") || strings.Contains(out, "endpoint") {
			t.Errorf("it says\n%s", out)
		}
		same(t, to, below(t, g.path(to)), want)
		for _, name := range []string{"files.csv", "plan.json", "public/mechanism.json"} {
			if !bytes.Equal(read(t, filepath.Join(p.dir, to, name)), read(t, filepath.Join(p.dir, "local.report", name))) {
				t.Errorf("%s: %s is another", to, name)
			}
		}
	}
	p.done("verify", "--report", "from-store/report.json", "--input", "tree", "--output", g.path("from-folder"))

	for name, c := range map[string]struct {
		input, output string
		code          int
		want          string
	}{
		"of objects": {at("tree/"), at("from-folder/"), 0, " 0 failed"},
		"another input": {at("from-folder/"), at("from-folder/"), 3, "is another file than the input that the report is " +
			"about"}, "no objects": {at("tree/"), at("nothing/"), 3, "s3://bucket/nothing/: there is no file in it"},
	} {
		code, out := p.run("verify", "--report", "from-store/report.json", "--input", c.input, "--output", c.output)
		if code != c.code || !strings.Contains(out, c.want) || strings.Contains(out, "endpoint") {
			t.Errorf("verify %s: exit %d, want %d with %q\n%s", name, code, c.code, c.want, out)
		}
	}
	between := startProxy(t, g.address) // which goes down while objects are read
	between.after.Store(200 << 10)
	between.cut.Store(1 << 40)
	code, out := p.run("verify", "--report", "from-store/report.json", "--input", g.url(between.address, "tree/"),
		"--output", at("from-folder/"))
	if code != 5 || !strings.Contains(out, "the store did not answer, or broke off") {
		t.Errorf("verify of a store that breaks off: exit %d\n%s", code, out)
	}

	stood := below(t, g.path("from-store"))
	for name, c := range map[string]struct {
		args []string
		code int
		want string
	}{
		"another run":   {as("two", set("tree", at("from-store/"), "r1")), 2, "holds the objects of another run"},
		"fewer files":   {set("tree/dt=[01]/*", at("from-store/"), "r2"), 2, "something else"},
		"other objects": {set("tree", at("tree/"), "r3"), 2, "s3://bucket/tree/ exists: 5 objects stand there"},
		"in the input":  {set(at("tree/"), at("tree/out/"), "r4"), 2, "lies in the input"},
		"overwrite":     {set("tree", at("from-store/"), "r5", "--overwrite"), 2, "does not go with many objects"},
		"report":        {set("tree", at("new/"), "from-folder"), 2, "exists; hint: give another --report"},
		"without a key": {keyless(set("tree", at("new/"), "r6")), 2, "can be completed by its run key alone"},
		"below a log":   {set(at("lake/dt=1/"), at("new/"), "r8"), 3, "lies in a Delta table"},
		"no column":     {set(at("from-store/"), at("new/"), "r9"), 2, "s3://bucket/from-store/ has no column"},
		"no such bucket": {set("tree", strings.Replace(at("new/"), "://bucket", "://nobucket", 1), "r7"), 3,
			"does not exist"},
	} {
		code, out := p.run(c.args...)
		if code != c.code || !strings.Contains(out, c.want) || !strings.Contains(out, "hint: ") ||
			strings.Contains(out, "127.0.0.1") {
			t.Errorf("%s: exit %d, want %d with %q\n%s", name, code, c.code, c.want, out)
		}
	}
	same(t, "after refusals", below(t, g.path("from-store")), want)
	if !bytes.Equal(below(t, g.path("from-store"))[".tacet-set"], stood[".tacet-set"]) ||
		len(below(t, g.path("new"))) > 0 {
		t.Error("a refused run wrote")
	}
	p.done(set("tree", at("from-store/"), "again")...) // which is the same release
	same(t, "again", below(t, g.path("from-store")), want)
	left, err := os.ReadDir(os.Getenv("TMPDIR"))
	if up := uploads(t, g); err != nil || len(left) > 0 || len(up) > 0 {
		t.Errorf("%v, %v and uploads %v are left (%v)", left, p.dir, up, err)
	}
}

// Of two runs at once on one address one wins, the other says so, and no file of it is
// there.
func TestTwoSets(t *testing.T) {
	g, p := startGateway(t), newTacet(t)
	tree(t, 5, filepath.Join(p.dir, "tree"))
	p.done("key", "new", "--type", "run", "--output", "run.key")
	ids := []string{"a", "b"}
	want := map[string]map[string][]byte{}
	for _, id := range ids {
		p.done(as(id, set("tree", "local-"+id, "report-"+id))...)
		want[id] = below(t, filepath.Join(p.dir, "local-"+id))
	}
	var wait sync.WaitGroup
	codes, said := make([]int, 2), make([]string, 2)
	for i, id := range ids {
		wait.Go(func() {
			codes[i], said[i] = p.run(as(id, set("tree", g.url(g.address, "out/"), "stored-"+id))...)
		})
	}
	wait.Wait()
	winner := slices.Index(codes, 0)
	if winner < 0 || codes[1-winner] != 2 || !strings.Contains(said[1-winner], "s3://bucket/out") {
		t.Fatalf("exits %v\n%s", codes, said)
	}
	same(t, "the winner's", below(t, g.path("out")), want[ids[winner]])
	if _, err := os.Stat(filepath.Join(p.dir, "stored-"+ids[1-winner])); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the loser keeps a report (%v)", err)
	}
}

// A report goes to a store as it is, its statement last, and to a place where nothing
// stands: of two runs at once one has it.
func TestReport(t *testing.T) {
	g, p := startGateway(t), newTacet(t)
	tree(t, 3, filepath.Join(p.dir, "tree"))
	p.done("key", "new", "--type", "run", "--output", "run.key")
	public, err := p.command("key", "new", "--output", "sign.key").Output()
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(p.dir, "sign.pub"), public)
	at := func(key string) string { return g.url(g.address, key) }
	p.done(set("tree", "local", "local.report", "--sign", "sign.key")...)
	out := p.done(set("tree", at("out/"), at("reports/one"), "--sign", "sign.key")...)
	if !strings.Contains(out, "report:   s3://bucket/reports/one/report.html\n") {
		t.Errorf("it says\n%s", out)
	}
	got, want := below(t, g.path("reports/one")), below(t, filepath.Join(p.dir, "local.report"))
	if g, w := slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)); !slices.Equal(g, w) {
		t.Errorf("files %q, want %q", g, w)
	}
	for name, data := range got {
		if bytes.Contains(data, []byte("use_path_style")) {
			t.Errorf("%s holds the parameters of an address", name)
		}
	}
	if err := os.CopyFS(filepath.Join(p.dir, "copied"), os.DirFS(g.path("reports/one"))); err != nil {
		t.Fatal(err)
	}
	p.done("verify", "--report", "copied/report.json", "--input", "tree", "--output", at("out/"), "--trust", "sign.pub")
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"again": {set("tree", at("out/"), at("reports/one")), "s3://bucket/reports/one exists: "},
		"overwrite": {append(job("tree/dt=0/part 0%3A.parquet", "x.parquet"), "--report", at("reports/two"), "--overwrite"),
			"does not go with"},
		"ledger": {append(job("tree/dt=0/part 0%3A.parquet", "x.parquet"), "--report", at("reports/two"), "--ledger", "l.db",
			"--dataset", "d"), "does not go with record ids and ledgers"},
	} {
		if code, out := p.run(c.args...); code != 2 || !strings.Contains(out, c.want) {
			t.Errorf("%s: exit %d, want %q\n%s", name, code, c.want, out)
		}
	}
	var wait sync.WaitGroup
	codes, said := make([]int, 3), make([]string, 3)
	for i := range codes {
		wait.Go(func() { codes[i], said[i] = p.run(set("tree", at("twice/"), at("reports/twice"))...) })
	}
	wait.Wait()
	slices.Sort(codes)
	if !slices.Equal(codes, []int{0, 2, 2}) {
		t.Errorf("three runs at once: exits %v\n%s", codes, said)
	}
	if err := os.CopyFS(filepath.Join(p.dir, "twice"), os.DirFS(g.path("reports/twice"))); err != nil {
		t.Fatal(err)
	}
	p.done("verify", "--report", "twice/report.json", "--input", "tree", "--output", at("twice/"))
}

// A run that is stopped among its objects, by a signal or by the store, says so, and that
// the same run completes them.
func TestHalfSet(t *testing.T) {
	g, p := startGateway(t), newTacet(t)
	tree(t, 24, filepath.Join(p.dir, "tree"))
	p.done("key", "new", "--type", "run", "--output", "run.key")
	p.done(set("tree", "local", "local.report")...)
	want := below(t, filepath.Join(p.dir, "local"))
	for name, c := range map[string]struct {
		stop func(*proxy, *os.Process)
		said string
	}{
		"signal": {func(_ *proxy, run *os.Process) { _ = run.Signal(syscall.SIGTERM) }, "interrupted; "},
		"store": {func(between *proxy, _ *os.Process) { between.refuse.Store(1 << 40) }, "the store did not answer, or " +
			"broke off"},
	} {
		between := startProxy(t, g.address)
		between.most.Store(8 << 20) // four at once go up, of 1.4 MB each
		run := p.command(set("tree", g.url(between.address, name+"/"), name+".report")...)
		var said bytes.Buffer
		run.Stderr = &said
		if err := run.Start(); err != nil {
			t.Fatal(err)
		}
		between.hold(t)
		c.stop(between, run.Process)
		between.release()
		_ = run.Wait()
		if half := len(below(t, g.path(name))); half < 2 || half > len(want) { // with the claim
			t.Fatalf("%s: control: it was stopped at %d of %d files", name, half, len(want))
		}
		in := "; some files of s3://bucket/" + name + "/ are in place, and no release.json; hint: run again with the same " +
			"run key"
		if code := run.ProcessState.ExitCode(); code != 5 || !strings.Contains(said.String(), c.said) ||
			!strings.Contains(said.String(), in) {
			t.Errorf("%s: exit %d\n%s", name, code, said.String())
		}
		if up := uploads(t, g); len(up) > 0 {
			t.Errorf("%s: uploads are left: %v", name, up)
		}
		p.done(set("tree", g.url(g.address, name+"/"), name+".report")...)
		same(t, name, below(t, g.path(name)), want)
	}
}

// A run that is killed while its objects go up is completed by the same run, and by no
// other; nothing of it is left in the store or in the temporary folder.
func TestKilledSet(t *testing.T) {
	g, p := startGateway(t), newTacet(t)
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	tree(t, 24, filepath.Join(p.dir, "tree"))
	p.done("key", "new", "--type", "run", "--output", "run.key")
	p.done(set("tree", "local", "local.report")...)
	want := below(t, filepath.Join(p.dir, "local"))
	between := startProxy(t, g.address)
	between.most.Store(16 << 20)
	c := p.command(set("tree", g.url(between.address, "out/"), "report")...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	between.hold(t)
	_ = c.Process.Kill()
	_ = c.Wait()
	between.release()
	for began := time.Now(); time.Since(began) < patience && len(uploads(t, g)) > 0; {
		time.Sleep(50 * time.Millisecond)
	}
	half := below(t, g.path("out"))
	if len(half) < 2 || len(half) > len(want) { // with the claim
		t.Fatalf("control: it was killed at %d of %d files", len(half), len(want))
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) != 1 {
		t.Fatalf("control: a killed run leaves %v (%v)", left, err)
	}
	if up := uploads(t, g); len(up) > 0 {
		t.Errorf("uploads are left: %v", up)
	}
	code, out := p.run(as("two", set("tree", g.url(g.address, "out/"), "other"))...)
	if code != 2 || !strings.Contains(out, "of another run") {
		t.Errorf("another run: exit %d\n%s", code, out)
	}
	for name := range below(t, g.path("out")) {
		if half[name] == nil && want[name] == nil {
			t.Errorf("another run wrote %s", name)
		}
	}
	between.most.Store(0)
	between.refuse.Store(2) // and the store is busy
	p.done(set("tree", g.url(between.address, "out/"), "report")...)
	same(t, "completed", below(t, g.path("out")), want)
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("%v is left (%v)", left, err)
	}
	copied := filepath.Join(p.dir, "copied")
	if err := os.CopyFS(copied, os.DirFS(g.path("out"))); err != nil {
		t.Fatal(err)
	}
	p.done("verify", "--report", "report/report.json", "--input", "tree", "--output", copied)
}
