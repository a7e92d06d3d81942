package pipeline_test

import (
	"context"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/report"
)

// four are the letters of the plans below.
var four = []string{"a", "b", "c", "d"}

// designed is a plan of these counts, in a folder of its own.
func designed(t *testing.T, o pipeline.Options, count ...int) (plan string) {
	t.Helper()
	dir := t.TempDir()
	o.Input, o.Column, o.WritePlan = filepath.Join(dir, "in.parquet"), "c", filepath.Join(dir, "plan.json")
	counted(t, o.Input, four, count)
	if o.Utility == "" {
		o.Utility = "ordered:a,b,c,d"
	}
	if _, _, err := pipeline.Design(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	return o.WritePlan
}

// followed applies a plan to a file of these counts, or runs it.
func followed(t *testing.T, job func(context.Context, pipeline.Options) ([]*report.Report, error), o pipeline.Options,
	count ...int) (*report.Report, error) {
	t.Helper()
	dir, seed := t.TempDir(), uint64(3)
	o.Input, o.Output, o.Report, o.TestSeed = filepath.Join(dir, "in.parquet"), filepath.Join(dir, "out.parquet"),
		filepath.Join(dir, "report"), &seed
	counted(t, o.Input, four, count)
	r, err := job(context.Background(), o)
	if err != nil {
		if _, missing := os.Stat(o.Output); !os.IsNotExist(missing) {
			t.Error("a refused run left an output")
		}
		return nil, err
	}
	return r[0], nil
}

// truth is the largest factor of the rows of a plan relative to counts: n max_x
// p(y|x) / sum_x c_x p(y|x), over letters with records.
func truth(t *testing.T, plan string, count ...int) *big.Rat {
	t.Helper()
	rows := planRows(t, plan)
	most, n := big.NewRat(1, 1), int64(0)
	for _, c := range count {
		n += int64(c)
	}
	for _, y := range four {
		sum, top := new(big.Rat), new(big.Rat)
		for x, l := range four {
			total := int64(0)
			for _, w := range rows[l] {
				total += w
			}
			p := big.NewRat(rows[l][y], total)
			if count[x] > 0 && p.Cmp(top) > 0 {
				top = p
			}
			sum.Add(sum, new(big.Rat).Mul(p, big.NewRat(int64(count[x]), 1)))
		}
		if sum.Sign() > 0 {
			if f := top.Mul(top, big.NewRat(n, 1)); f.Quo(f, sum).Cmp(most) > 0 {
				most = f
			}
		}
	}
	return most
}

// TestPlanOnAnotherFile: what a report says of a plan that was made from other
// counts is relative to its own file, in apply as in a run that follows a plan,
// and above epsilon there is no release. By hand: the output of d is given by d
// alone, so that its factor is 1,000/1 in the second file.
func TestPlanOnAnotherFile(t *testing.T) {
	loose := designed(t, pipeline.Options{Epsilon: "3", Design: "safe"}, 500, 300, 150, 50)
	if got := truth(t, loose, 700, 289, 10, 1); got.Cmp(big.NewRat(1000, 1)) != 0 {
		t.Fatalf("control: the factor is %v", got)
	}
	plan := designed(t, pipeline.Options{MaxFactor: "3"}, 500, 300, 150, 50)
	for name, job := range map[string]func(context.Context, pipeline.Options) ([]*report.Report,
		error){"apply": pipeline.Apply, "run": pipeline.Run} {
		_, err := followed(t, job, pipeline.Options{Plan: loose, AllowUnchanged: true}, 700, 289, 10, 1)
		f := fault.As(err)
		if f == nil || f.Class != fault.Privacy || !strings.Contains(f.What, "has the factor 1000 (6.9078 nats)") ||
			f.Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
		for _, count := range [][]int{{480, 320, 150, 50}, {50, 30, 15, 5}, {300, 100, 60, 40}, {400, 400, 200, 0}} {
			want := truth(t, plan, count...)
			r, err := followed(t, job, pipeline.Options{Plan: plan}, count...)
			if want.Cmp(big.NewRat(3, 1)) > 0 {
				if f := fault.As(err); err == nil || f.Class != fault.Privacy {
					t.Errorf("%s: %v has the factor %v: %v", name, count, want, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v: %v", name, count, err)
				continue
			}
			c, _ := claim.Find(r.Claims, "leakage.reached")
			if r.Epsilon.Factor != want.RatString() || c.Figure.Factor != want.RatString() || c.Relative != claim.ThisFile ||
				r.Prior.Of != "this file" {
				t.Errorf("%s: %v: stated %s of %q, want %v", name, count, r.Epsilon.Factor, r.Prior.Of, want)
			}
		}
	}
	// Its own counts, and one tenth of them, are no other file: the plan's own factor.
	own := truth(t, plan, 500, 300, 150, 50)
	r, err := followed(t, pipeline.Apply, pipeline.Options{Plan: plan}, 500, 300, 150, 50)
	if err != nil || r.Epsilon.Factor != own.RatString() || r.Prior.Counts != nil || r.Design.Upper == "" {
		t.Errorf("its own file: %v", err)
	}
}

// TestOutputsOfAnotherFile: letters that the plan had no record of have caps and
// outputs like others.
func TestOutputsOfAnotherFile(t *testing.T) {
	rank := 3
	plan := designed(t, pipeline.Options{MaxFactor: "4", Design: "safe", AllowUnchanged: true, FloorRank: &rank,
		Domain: domainOf(t)}, 700, 300,
		0, 0)
	released := 0
	for _, count := range [][]int{{400, 300, 150, 150}, {300, 300, 200, 200}, {250, 250, 250, 250}} {
		r, err := followed(t, pipeline.Apply, pipeline.Options{Plan: plan, AllowUnchanged: true}, count...)
		if want := truth(t, plan, count...); want.Cmp(big.NewRat(4, 1)) > 0 {
			if err == nil {
				t.Errorf("%v: factor %v, and no refusal", count, want)
			}
			continue
		} else if err != nil {
			t.Error(err)
			continue
		}
		released++
		written := 0.
		for _, y := range r.Outputs {
			written += y.Share
		}
		if r.Prior.Unseen != 0 || len(r.Caps) != 4 || !(written > 1-1e-12) || strings.Contains(strings.Join(r.Warnings, "\n"),
			"no record") {
			t.Errorf("%d unseen, %d caps, the outputs hold %v: %v", r.Prior.Unseen, len(r.Caps), written, r.Warnings)
		}
	}
	if released == 0 {
		t.Error("control: every file was refused")
	}
}

func domainOf(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "domain.txt")
	if err := os.WriteFile(path, []byte(strings.Join(four, "\n")+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestPartOfPlan: a part of the plan's data is released by the promise for the
// whole, whatever its own counts; what is no part is refused.
func TestPartOfPlan(t *testing.T) {
	plan := designed(t, pipeline.Options{MaxFactor: "3"}, 500, 300, 150, 50)
	whole, part := truth(t, plan, 500, 300, 150, 50), truth(t, plan, 5, 300, 0, 1)
	for name, job := range map[string]func(context.Context, pipeline.Options) ([]*report.Report,
		error){"apply": pipeline.Apply, "run": pipeline.Run} {
		if _, err := followed(t, job, pipeline.Options{Plan: plan}, 5, 300, 0, 1); err == nil {
			t.Errorf("%s: control: the part alone keeps epsilon", name)
		}
		r, err := followed(t, job, pipeline.Options{Plan: plan, PartOfPlan: true}, 5, 300, 0, 1)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if r.Epsilon.Factor != whole.RatString() || r.Prior.Of != "the plan" || r.Prior.Part == nil ||
			r.Prior.Part.Factor != part.RatString() || r.Prior.Part.Of != 1000 || r.Prior.Part.Records != 306 {
			t.Errorf("%s: factor %s, prior %+v", name, r.Epsilon.Factor, r.Prior)
		}
		for _, key := range []string{"leakage", "leakage.reached"} {
			if c, _ := claim.Find(r.Claims, key); c.Relative != claim.PlanData || c.Records != claim.WholeData {
				t.Errorf("%s: %s is relative to %q, of %q: %s", name, key, c.Relative, c.Records, c.Words)
			}
		}
		for _, p := range r.Publish().Claims {
			if p.Key == "leakage" && !strings.Contains(p.Words, "the data that this file is a part of") {
				t.Errorf("%s: the public report says %q", name, p.Words)
			}
		}
		_, err = followed(t, job, pipeline.Options{Plan: plan, PartOfPlan: true}, 5, 301, 0, 1)
		if f := fault.As(err); err == nil || f.Class != fault.Privacy || !strings.Contains(f.What, "is not a part of the "+
			"data") {
			t.Errorf("%s: no part: %v", name, err)
		}
	}
	_, err := followed(t, pipeline.Run, pipeline.Options{Column: "c", Utility: "ordered:a,b,c,d", Epsilon: "1",
		PartOfPlan: true}, 5, 300, 0, 1)
	if f := fault.As(err); err == nil || f.Class != fault.Usage {
		t.Errorf("without a plan: %v", err)
	}
}
