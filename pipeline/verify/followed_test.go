package verify

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/verify/document"
)

// elsewhere is a plan of the letters of skew that was applied to other counts.
func elsewhere(t *testing.T, o pipeline.Options, cell []string, rows int) *release {
	t.Helper()
	base := jobs["optimal"].make(t)
	o.Plan = base.path("plan.json")
	return job{cell: cell, rows: rows, options: o}.make(t)
}

// TestOtherCounts: a plan that was made from other counts passes with the
// figures relative to its file's own counts, with the input and without; no
// figure that is relative to the plan's counts does.
func TestOtherCounts(t *testing.T) {
	r := elsewhere(t, pipeline.Options{}, strings.Fields(strings.Repeat("a ", 15)+strings.Repeat("b ", 8)+
		strings.Repeat("c ", 4)+"d d d e"), 3100)
	passes(t, r.request(), nil)
	without := r.request()
	without.Input = ""
	got, err := Run(context.Background(), without)
	if must(t, err); len(got.Failed()) > 0 {
		t.Errorf("without the input: %v", got.Failed())
	}
	fresh := r
	for name, c := range map[string]struct {
		change func(r *release)
		want   string // a check that fails
		alone  bool   // without the input, too
	}{
		"a count": {func(r *release) { at(r.report, "prior")["counts"].([]any)[0] = "1501" }, "counts",
			false},
		"two counts": {func(r *release) {
			c := at(r.report, "prior")["counts"].([]any)
			c[0], c[1] = c[1],
				c[0]
		}, "factors", true},
		"counts of fewer letters": {func(r *release) { at(r.report, "prior")["counts"] = []any{"5"} }, "plan as made",
			true},
		"a count that is no number": {func(r *release) { at(r.report, "prior")["counts"].([]any)[0] = "-1" }, "plan as made",
			true},
		"no counts": {func(r *release) { delete(at(r.report, "prior"), "counts") }, "epsilon", true},
		"the plan's own counts": {func(r *release) { at(r.report, "prior")["counts"] = r.plan["counts"] }, "plan as made",
			true},
		"the plan's own factor": {func(r *release) {
			at(r.report, "epsilon")["factor"], at(r.report, "epsilon")["nats"] = at(r.plan, "epsilon")["factor"],
				at(r.plan, "epsilon")["nats"]
		}, "epsilon", true},
		"an unproven lower bound": {func(r *release) {
			at(r.report, "design")["lower_factor"] = at(r.report, "epsilon")["factor"]
		}, "certificate", true},
		"the plan's upper bound": {func(r *release) {
			at(r.report, "design")["upper_factor"] = at(r.plan, "certificate")["upper_factor"]
		}, "bracket", true},
		"a utility that no mechanism has": {func(r *release) { at(r.report, "utility")["upper_bound"] = 1. }, "utility bound",
			true},
		"a utility that is too low": {func(r *release) { at(r.report, "utility")["upper_bound"] = -1000. }, "utility",
			true},
		"another expectation": {func(r *release) {
			at(r.report, "utility")["expected"] = at(r.plan,
				"utility")["expected"]
		}, "utility", true},
		"a run that followed nothing": {func(r *release) { r.report["command"] = "run" }, "plan as made", true},
		"the plan's data": {func(r *release) { at(r.report, "prior")["of"] = "the plan" }, "own counts",
			true},
	} {
		r := fresh.copyTo(t, t.TempDir())
		r.load(t)
		c.change(r)
		r.save(t, true)
		for _, q := range []document.Request{r.request(), without} {
			q.Report, q.Plan, q.Order, q.Output = r.request().Report, r.request().Plan, r.request().Order, r.request().Output
			got, err := Run(context.Background(), q)
			if must(t, err); (q.Input != "" || c.alone) && !slices.Contains(got.Failed(), c.want) {
				t.Errorf("%s (input %t): failed %v, want %s", name, q.Input != "", got.Failed(), c.want)
			}
		}
	}
}

// TestPartForged: what is said of a part of the plan's data is recomputed.
func TestPartForged(t *testing.T) {
	fresh := elsewhere(t, pipeline.Options{PartOfPlan: true}, []string{"a", "b", "e", "e"}, 40)
	passes(t, fresh.request(), nil)
	for name, c := range map[string]struct {
		change func(r *release)
		want   string
	}{
		"its factor":  {func(r *release) { at(at(r.report, "prior"), "part")["factor"] = "1" }, "part of the plan's data"},
		"its nats":    {func(r *release) { at(at(r.report, "prior"), "part")["nats"] = 0.5 }, "part of the plan's data"},
		"its records": {func(r *release) { at(at(r.report, "prior"), "part")["records"] = 41. }, "part of the plan's data"},
		"the whole":   {func(r *release) { at(at(r.report, "prior"), "part")["of"] = 41. }, "part of the plan's data"},
		"no part":     {func(r *release) { delete(at(r.report, "prior"), "part") }, "counts"},
		"of this file": {func(r *release) {
			delete(at(r.report, "prior"), "part")
			at(r.report, "prior")["of"] = "this file"
		}, "counts"},
		"as an option only": {func(r *release) {
			delete(at(r.report, "prior"), "part")
			r.report["options"] = []any{map[string]any{"name": "part-of-plan", "value": "true", "origin": "flag"}}
		}, "part of the plan's data"},
		"not as an option": {func(r *release) {
			r.report["options"] = []any{map[string]any{"name": "part-of-plan", "value": "false", "origin": "default"}}
		}, "part of the plan's data"},
		"a run": {func(r *release) { r.report["command"] = "run" }, "part of the plan's data"},
	} {
		r := fresh.copyTo(t, t.TempDir())
		r.load(t)
		c.change(r)
		r.save(t, true)
		got, err := Run(context.Background(), r.request())
		if must(t, err); !slices.Contains(got.Failed(), c.want) {
			t.Errorf("%s: failed %v, want %s", name, got.Failed(), c.want)
		}
	}
	// More records of a letter than the plan counts are no part.
	r := elsewhere(t, pipeline.Options{PartOfPlan: true}, []string{"a", "b", "e", "e"}, 40)
	for _, name := range []string{"counts"} {
		c := r.plan["counts"].([]any)
		c[len(c)-1] = "3"
		r.save(t, true)
		got, err := Run(context.Background(), r.request())
		if must(t, err); !slices.Contains(got.Failed(), name) {
			t.Errorf("no part: %s", strings.Join(got.Failed(), ", "))
		}
	}
}

// TestTiesOfAdopted: a value that the plan does not have is judged by a row of
// its own, whose ties count, too.
func TestTiesOfAdopted(t *testing.T) {
	cell := strings.Fields(strings.Repeat("a ", 12) + strings.Repeat("b ", 12) + strings.Repeat("c ", 12))
	base := job{cell: cell, rows: 720, order: "ordered:a,b,c", options: pipeline.Options{Epsilon: "0.8", Headroom: "20%",
		MinCount: 3, Other: "b"}}.make(t)
	r := job{cell: append(cell, "z"), rows: 740, options: pipeline.Options{Plan: base.path("plan.json")}}.make(t)
	if before, now := at(base.report, "order")["ties"], at(r.report, "order")["ties"]; before != json.Number("1") ||
		now != json.Number("2") {
		t.Errorf("%v rows have ties in the plan, %v with a value more", before, now)
	}
	got, err := Run(context.Background(), r.request())
	if must(t, err); len(got.Failed()) > 0 {
		t.Errorf("failed %v", got.Failed())
	}
}
