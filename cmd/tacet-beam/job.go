package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

// A Job is what the steps have in common. Runners log it, and keep it: it has paths, and
// nothing that is secret. What flows between the steps are numbers of shards and exit
// codes; counts, plan and messages stay in files, which only the workers see.
type Job struct {
	Tacet   string // the program
	Dir     string // where relative paths of the job file begin
	Config  string
	Work    string
	Shards  int
	Timeout time.Duration
}

func (j *Job) counts(shard int) string { return fmt.Sprintf("%s/counts-%d.csv", j.Work, shard) }
func (j *Job) list() string            { return j.Work + "/counts.txt" }
func (j *Job) plan() string            { return j.Work + "/plan/plan.json" }
func (j *Job) part(shard int) string   { return fmt.Sprintf("%d/%d", shard, j.Shards) }

// The steps are a function of the same name on each worker.
type (
	// Count counts a shard.
	Count struct{ Job }
	// Plan makes the plan of all counts.
	Plan struct{ Job }
	// Draw draws a shard.
	Draw struct{ Job }
	// Tell ends the job where a step failed for good, once.
	Tell struct{}
)

func init() {
	register.DoFn2x2[context.Context, int, int, error](&Count{})
	register.DoFn3x2[context.Context, []byte, func(*int) bool, int, error](&Plan{})
	register.DoFn3x2[context.Context, int, int, int, error](&Draw{})
	register.DoFn2x1[[]byte, func(*int) bool, error](&Tell{})
	register.Iter1[int]()
}

// pipeline is the job as Beam sees it. Reshuffle gives every shard to any worker; a plan
// waits for all counts, as its side input.
func (j *Job) pipeline() *beam.Pipeline {
	p, s := beam.NewPipelineWithRoot()
	numbers := make([]int, j.Shards)
	for i := range numbers {
		numbers[i] = i + 1
	}
	spread := beam.Reshuffle(s, beam.CreateList(s, numbers))
	once := beam.Impulse(s)
	counted := beam.ParDo(s, &Count{*j}, spread)
	planned := beam.ParDo(s, &Plan{*j}, once, beam.SideInput{Input: counted})
	drawn := beam.ParDo(s, &Draw{*j}, spread, beam.SideInput{Input: planned})
	beam.ParDo0(s, &Tell{}, once, beam.SideInput{Input: drawn})
	return p
}

// ProcessElement gives the exit code of the shard.
func (c *Count) ProcessElement(ctx context.Context, shard int) (int, error) {
	return c.run(ctx, step{counting, shard}, "estimate", "--shard", c.part(shard), "--write-counts", c.counts(shard),
		"--overwrite")
}

// ProcessElement gives the exit code of the plan, or of a count before it.
func (p *Plan) ProcessElement(ctx context.Context, _ []byte, counted func(*int) bool) (int, error) {
	if code := worst(counted); code != 0 {
		return code, nil
	}
	var list []byte
	for i := range p.Shards {
		list = fmt.Appendln(list, p.counts(i+1))
	}
	if err := os.WriteFile(p.list(), list, 0o600); err != nil {
		return 0, err
	}
	return p.run(ctx, step{planning, 0}, "design", "--counts", "@"+p.list(), "--write-plan", p.plan(), "--overwrite")
}

// ProcessElement gives the exit code of the shard, or of what was before it. Files that
// are there are left alone, so that a shard that is drawn twice is drawn once.
func (d *Draw) ProcessElement(ctx context.Context, shard, planned int) (int, error) {
	if planned != 0 {
		return planned, nil
	}
	return d.run(ctx, step{drawing, shard}, "apply", "--shard", d.part(shard), "--plan", d.plan())
}

// ProcessElement fails where a step did.
func (*Tell) ProcessElement(_ []byte, drawn func(*int) bool) error {
	if code := worst(drawn); code != 0 {
		return fmt.Errorf("tacet ended with exit code %d", code)
	}
	return nil
}

// worst is the largest of the codes, 0 where all steps ended well.
func worst(codes func(*int) bool) (most int) {
	var code int
	for codes(&code) {
		most = max(most, code)
	}
	return most
}
