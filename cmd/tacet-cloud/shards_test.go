package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Shards that read and write in a store, in any order, twice at once or killed, are
// finished to the files that one machine writes; what waits is hidden until then.
func TestShards(t *testing.T) {
	g, p := startGateway(t), newTacet(t)
	t.Setenv("TMPDIR", t.TempDir())
	tree(t, 9, filepath.Join(p.dir, "tree"), g.path("tree"))
	p.done("key", "new", "--type", "run", "--output", "run.key")
	regions, err := filepath.Abs("../../testdata/tables/regions.csv")
	if err != nil {
		t.Fatal(err)
	}
	in, out := g.url(g.address, "tree/"), g.url(g.address, "out")
	var counts []string
	for i := range 3 {
		counts = append(counts, fmt.Sprintf("c%d.csv", i))
		p.done("estimate", "--input", in, "--column", "origin", "--shard", fmt.Sprintf("%d/3", i+1), "--write-counts",
			counts[i])
	}
	p.done("design", "--counts", strings.Join(counts, ","), "--column", "origin", "--utility", "hierarchy:"+regions,
		"--max-factor", "12", "--write-plan", "plan.json")
	step := func(command, input, output string, more ...string) []string {
		return append([]string{command, "--input", input, "--output", output, "--plan", "plan.json", "--drop",
			"destination,distance", "--run-key", "run.key", "--run-id", "one"}, more...)
	}
	p.done(step("apply", "tree", "local", "--report", "local.report", "--audit", "off")...)
	want := below(t, filepath.Join(p.dir, "local"))
	visible := func() int {
		n := 0
		for name := range below(t, g.path("out")) {
			if !strings.HasPrefix(name, ".tacet-") {
				n++
			}
		}
		return n
	}

	// The second one is killed while its objects go up.
	between := startProxy(t, g.address)
	between.most.Store(2 << 20)
	killed := p.command(step("apply", in, g.url(between.address, "out"), "--shard", "2/3")...)
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	between.hold(t)
	_ = killed.Process.Kill()
	if err := killed.Wait(); err == nil {
		t.Error("control: it was done before the signal")
	}
	between.release()
	code, said := p.run(step("finish", in, out, "--report", "report", "--audit", "off")...)
	if code != 3 || !strings.Contains(said, "files of s3://bucket/tree/") ||
		!strings.Contains(said, "are in no shard yet") {
		t.Errorf("finish without shards: exit %d\n%s", code, said)
	}
	var wait sync.WaitGroup
	for _, shard := range []string{"3/3", "2/3", "1/3", "2/3"} {
		wait.Go(func() {
			if said := p.done(step("apply", in, out, "--shard", shard)...); !strings.Contains(said, "next:     tacet finish") {
				t.Errorf("shard %s says\n%s", shard, said)
			}
		})
	}
	wait.Wait()
	if said := p.done(step("apply", in, out, "--shard", "2/3")...); !strings.Contains(said, "3 files, 3 of them there "+
		"before") {
		t.Errorf("a shard again says\n%s", said)
	}
	if n := visible(); n > 0 {
		t.Errorf("%d files are there before finish", n)
	}

	// A damaged object is found.
	waiting := below(t, g.path("out"))
	one := slices.Min(slices.Collect(maps.Keys(waiting)))
	other := slices.Max(slices.Collect(maps.Keys(waiting)))
	write(t, g.path("out/"+one), append(slices.Clone(waiting[one][:len(waiting[one])/2]),
		waiting[one][len(waiting[one])/2+1:]...))
	if code, said := p.run(step("finish", in, out, "--report", "report", "--audit", "off")...); code != 3 {
		t.Errorf("a damaged object: exit %d\n%s", code, said)
	}
	write(t, g.path("out/"+one), waiting[other]) // a file of the same plan in the place of another
	if bytes.Equal(waiting[one], waiting[other]) {
		t.Fatal("control: two files are the same")
	}
	if code, said := p.run(step("finish", in, out, "--report", "report", "--audit", "off")...); code != 3 ||
		!strings.Contains(said, "what the shards wrote is not what") {
		t.Errorf("another object: exit %d\n%s", code, said)
	}
	if n := visible(); n > 0 {
		t.Errorf("%d files are there after a finish that failed", n)
	}
	write(t, g.path("out/"+one), waiting[one])
	p.done(step("finish", in, out, "--report", "report", "--audit", "off")...)
	same(t, "finished", below(t, g.path("out")), want)
	if code, said := p.run(step("apply", in, out, "--shard", "2/3")...); code != 2 || !strings.Contains(said,
		"exists; hint: give another --output; if this is the release") {
		t.Errorf("a shard of a release: exit %d\n%s", code, said)
	}
	same(t, "finished", below(t, g.path("out")), want)
	for _, name := range []string{"files.csv", "plan.json", "public/mechanism.json"} {
		if !bytes.Equal(read(t, filepath.Join(p.dir, "report", name)), read(t, filepath.Join(p.dir, "local.report", name))) {
			t.Errorf("%s is another", name)
		}
	}
	left, err := os.ReadDir(os.Getenv("TMPDIR"))
	if up := uploads(t, g); err != nil || len(left) > 0 || len(up) > 0 {
		t.Errorf("%v and uploads %v are left (%v)", left, up, err)
	}
}
