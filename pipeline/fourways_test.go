package pipeline_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/key"
)

// Whichever of four ways makes a release of the same records, its public files are the same,
// byte for byte: a run; a design, and a run that follows its plan; a design, and apply; a
// design, shards and finish.
func TestFourWaysTellTheSame(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	in, order := filepath.Join(dir, "in"), filepath.Join(dir, "order.txt")
	var rows bytes.Buffer
	for i, n := range []int{400, 300, 200, 90, 10} {
		for j := range n {
			fmt.Fprintf(&rows, "%c,%d,%d\n", 'A'+i, j, (i+j)%2)
		}
	}
	write := func(path, text string) {
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must(t, os.WriteFile(path, []byte(text), 0o600))
	}
	write(filepath.Join(in, "a.csv"), "c,n,s\n"+rows.String())
	write(filepath.Join(in, "b.csv"), "c,n,s\n"+rows.String())
	write(order, "A\nB\nC\nD\nE\n")
	prior := filepath.Join(dir, "prior.csv")
	write(prior, "label,probability\nA,0.2\nB,0.2\nC,0.2\nD,0.2\nE,0.2\n")
	secret := filepath.Join(dir, "run.key")
	k, err := key.New(key.Run, "2026-01-01T00:00:00Z")
	if err == nil {
		err = key.Write(secret, k)
	}
	must(t, err)
	rank := 2
	for name, change := range map[string]func(o *pipeline.Options){
		"nothing":         func(*pipeline.Options) {},
		"a limit":         func(o *pipeline.Options) { o.MaxShift = "5%" },
		"least shift":     func(o *pipeline.Options) { o.Prefer = "shares" },
		"unchanged":       func(o *pipeline.Options) { o.Prefer = "unchanged" },
		"a floor":         func(o *pipeline.Options) { o.FloorRank = &rank },
		"headroom":        func(o *pipeline.Options) { o.Headroom = "10%" },
		"declared":        func(o *pipeline.Options) { o.Domain = order },
		"declared, safe":  func(o *pipeline.Options) { o.Domain, o.Design, o.Epsilon = order, "safe", "3" },
		"a prior":         func(o *pipeline.Options) { o.Prior = prior },
		"a prior alone":   func(o *pipeline.Options) { o.Prior, o.PriorOnly = prior, true },
		"smoothed":        func(o *pipeline.Options) { o.Smooth = "1" },
		"strata":          func(o *pipeline.Options) { o.Strata = "s" },
		"strata, a limit": func(o *pipeline.Options) { o.Strata, o.MaxShift = "s", "5%" },
		"rare values":     func(o *pipeline.Options) { o.MinCount, o.Other, o.Epsilon = 50, "A", "2" },
		"of a population": func(o *pipeline.Options) { o.Confidence = "1e-6" },
		"columns dropped": func(o *pipeline.Options) { o.Drop = []string{"n"} },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			o := pipeline.Options{Input: in, Column: "c", Utility: "ordered:@" + order, Epsilon: "1.2", Audit: "off",
				AllowUnchanged: true}
			o.RunKey, o.RunID = secret, "one"
			change(&o)
			planned := o
			planned.Plan = filepath.Join(dir, "plan.json")
			made := o
			made.WritePlan, made.Plan, made.RunKey, made.RunID = planned.Plan, "", "", ""
			if _, _, err := pipeline.Design(ctx, made); err != nil {
				t.Fatal(err)
			}
			// What apply takes: nothing of what the plan says.
			apply := pipeline.Options{Input: in, Plan: planned.Plan, Audit: "off", Repeat: o.Repeat, AllowUnchanged: true,
				Drop: o.Drop, Confidence: o.Confidence}
			shard := apply
			shard.Shard, shard.Confidence = "1/1", ""
			want := map[string]string{}
			for i, way := range []func(o pipeline.Options) error{
				func(to pipeline.Options) error {
					o.Output, o.Report = to.Output, to.Report
					_, err := pipeline.Run(ctx, o)
					return err
				},
				func(to pipeline.Options) error {
					planned.Output, planned.Report = to.Output, to.Report
					_, err := pipeline.Run(ctx, planned)
					return err
				},
				func(to pipeline.Options) error {
					apply.Output, apply.Report = to.Output, to.Report
					_, err := pipeline.Apply(ctx, apply)
					return err
				},
				func(to pipeline.Options) error {
					shard.Output, apply.Output, apply.Report = to.Output, to.Output, to.Report
					if _, err := pipeline.Shard(ctx, shard); err != nil {
						return err
					}
					_, err := pipeline.Finish(ctx, apply)
					return err
				},
			} {
				at := filepath.Join(dir, fmt.Sprint(i))
				if err := way(pipeline.Options{Output: filepath.Join(at, "out"), Report: filepath.Join(at, "report")}); err != nil {
					t.Fatalf("way %d: %v", i, err)
				}
				for file, text := range publicFiles(t, filepath.Join(at, "report", "public")) {
					if i == 0 {
						want[file] = text
					} else if text != want[file] {
						t.Errorf("%s differs in way %d:\n%s\n%s", file, i, text, want[file])
					}
				}
			}
		})
	}
}

// publicFiles are the texts of public files but for what ties them to internal ones.
func publicFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	out, tied := map[string]string{}, regexp.MustCompile(`"commitment": "[0-9a-f]+"`)
	for _, e := range entries {
		data := read(t, filepath.Join(dir, e.Name()))
		out[e.Name()] = tied.ReplaceAllString(string(data), "")
	}
	return out
}
