package verify_test

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/request"
	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
)

// shim opens a release for the kernel as the package itself will.
func (r *release) shim(t *testing.T, input bool) (k *kernel.Release, closing func(), err error) {
	t.Helper()
	k = &kernel.Release{}
	report, err := os.ReadFile(r.path("report.json"))
	if err != nil {
		return nil, nil, err
	}
	said, err := document.ReadReport(report, "report.json")
	if err != nil {
		return nil, nil, err
	}
	if k.PlanData, err = os.ReadFile(r.path("plan.json")); err != nil {
		return nil, nil, err
	}
	if k.Plan, err = kernel.ReadPlan(k.PlanData, "plan.json"); err != nil {
		return nil, nil, err
	}
	if k.OrderData, err = os.ReadFile(r.path("order.csv")); err != nil {
		return nil, nil, err
	}
	if w, err := os.ReadFile(r.path(files.WeightsFile)); err == nil && k.Plan.Apart() != "" {
		k.Weights = bytes.NewReader(w)
	}
	k.Claimed = kernel.Claimed{Followed: said.Command == "apply", Part: said.Has("prior.part"), Shuffled: said.Shuffled(),
		ByPerson: said.Text("randomness.unit") == "person", Held: said.Kept().Held, Hidden: said.Kept().Suppressed,
		Shown: said.Kept().Shown}
	if keys := said.Option("keep-metadata"); keys != "" {
		k.Claimed.Keep = document.Names(keys)
	}
	for _, c := range said.List("columns") {
		k.Claimed.Columns = append(k.Claimed.Columns, kernel.Column{Name: c.Text("name"), Fate: c.Text("fate")})
	}
	if k.Claimed.Scale = said.Text("joint.scale"); len(said.List("options")) > 0 {
		k.Claimed.Options = map[string]string{}
		for _, o := range said.List("options") {
			k.Claimed.Options[o.Text("name")] = o.Text("value")
		}
	}
	number := func(texts []string) (all []int64) {
		for _, s := range texts {
			n, err := strconv.ParseInt(s, 10, 64)
			if err != nil {
				n = -1
			}
			all = append(all, n)
		}
		return all
	}
	if counts := said.Texts("prior.counts"); len(counts) > 0 {
		if k.Claimed.Counts = [][]int64{number(counts)}; k.Plan.Given.Of != "" {
			k.Claimed.Counts = nil
			for _, g := range said.List("strata.groups") {
				k.Claimed.Counts = append(k.Claimed.Counts, number(g.Texts("counts")))
			}
		}
	}
	q := document.Request{Input: r.input, Output: r.output, Dialect: said.Dialect()}
	if !input {
		q.Input = ""
	}
	p := &document.Plan{Column: k.Plan.Column, Bins: k.Plan.Bins}
	f, err := document.Open(q, p)
	if err != nil {
		return nil, nil, err
	}
	opened := func(o *document.Opened) *kernel.File {
		if o == nil {
			return nil
		}
		return &kernel.File{File: o.File, Fault: o.Fault, Beside: func(column string) (files.File, error) {
			b, err := o.Beside(column)
			if err != nil {
				return nil, err
			}
			return b.File, nil
		}}
	}
	k.In, k.Out = opened(f.In), opened(f.Out)
	return k, f.Close, nil
}

// proven runs the kernel.
func (r *release) proven(t *testing.T, input bool) (facts *kernel.Facts, result *kernel.Result, err error) {
	t.Helper()
	k, closing, err := r.shim(t, input)
	if err != nil {
		return nil, nil, err
	}
	defer closing()
	return kernel.Prove(t.Context(), k)
}

// instead are the checks of the kernel that find what one of that name found.
var instead = map[string][]string{
	"row sums": {"strata", "row groups"}, "strata of records": {"strata of records", "counts", "forbidden cells", "fit", "strata", "row groups"},
	"bins": {"values", "counts"}, "bracket": {"certificate"}, "factors": {"epsilon", "strata"}, "own counts": {"strata", "target", "counts"},
	"shares": {"max shift"}, "prior": {"strata"}, "floor": {"support"}, "strata": {"utility", "floor", "row sums", "factors", "asked for"},
	"plan as made": {"epsilon", "target"}, "target": {"asked for"}, "headroom": {"asked for"}, "epsilon": {"target"}, "part of the plan's data": {"counts"}, "nulls": {"alphabet"},
}

// TestKernel: the kernel proves every release, and no alteration of plan, order or files
// that one of its checks is to find.
func TestKernel(t *testing.T) {
	made, silent := map[string]*release{}, map[string]int{}
	known := map[string]bool{}
	all := bases()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		r := all[name](t)
		made[name] = r
		for _, input := range []bool{true, false} {
			facts, result, err := r.proven(t, input)
			if err != nil || len(result.Failed()) > 0 {
				t.Errorf("%s, input %v: %v %v", name, input, err, result.Failed())
				continue
			}
			if err == nil && input {
				for _, c := range result.Checks {
					if known[c.Name] = true; c.Outcome == kernel.NotChecked && os.Getenv("SHIM") != "" {
						t.Logf("%s: %s: %s", name, c.Name, c.Detail)
					}
				}
				r.agrees(t, name, facts)
			}
		}
	}
	for _, a := range alterations {
		base := made[a.base]
		if base == nil || a.base == "signed" {
			continue
		}
		r := base.copyTo(t, filepath.Join(t.TempDir(), "copy"))
		a.do(t, r)
		if !a.raw {
			r.save(t, !a.plain)
		}
		same, claims := r.evidence(t, base)
		if same && claims {
			continue
		}
		if _, result, err := r.proven(t, false); a.blind && !same && err == nil && len(result.Failed()) == 0 {
			t.Logf("without the input nothing: %s: %s: want %s", a.base, a.name, a.want)
		}
		if _, result, err := r.proven(t, true); err != nil {
			var e *kernel.Error
			var f *document.Error
			var g *files.Error
			var h *os.PathError
			if !errors.As(err, &h) && !errors.As(err, &e) && !errors.As(err, &f) && !errors.As(err, &g) {
				t.Errorf("%s: %s: %v", a.base, a.name, err)
			}
		} else if failed := result.Failed(); !slices.Contains(failed, a.want) && !slices.ContainsFunc(instead[a.want],
			func(s string) bool { return slices.Contains(failed, s) }) {
			if same {
				silent[a.want]++
				t.Logf("claims alone: %s: %s: %v failed, want %s", a.base, a.name, failed, a.want)
			} else if known[a.want] || len(instead[a.want]) > 0 {
				t.Errorf("%s: %s: %v failed, want %s", a.base, a.name, failed, a.want)
			} else if len(failed) == 0 {
				silent[a.want]++
				t.Logf("nothing: %s: %s: want %s", a.base, a.name, a.want)
			}
		}
	}
	t.Log(slices.Sorted(maps.Keys(known)), silent)

}

// evidence reports whether a release has the plan, order and files of another, and claims the
// same.
func (r *release) evidence(t *testing.T, base *release) (same, claims bool) {
	bare := func(of map[string]any) map[string]any {
		plan := maps.Clone(of)
		delete(plan, "plan_sha256")
		delete(plan, "design_sha256")
		return plan
	}
	read := func(path string) string {
		data, err := os.ReadFile(path)
		if err != nil {
			return ""
		}
		return string(data)
	}
	same = reflect.DeepEqual(bare(r.plan), bare(base.plan)) && read(r.input) == read(base.input) &&
		read(r.output) == read(base.output) && read(r.path("order.csv")) == read(base.path("order.csv")) &&
		read(r.path(files.WeightsFile)) == read(base.path(files.WeightsFile)) && bytes.Equal(r.order, base.order)
	if !same && os.Getenv("SHIM") == "2" {
		t.Log(reflect.DeepEqual(bare(r.plan), bare(base.plan)), read(r.input) == read(base.input), read(r.output) == read(base.output), read(r.path("order.csv")) == read(base.path("order.csv")), read(r.path(files.WeightsFile)) == read(base.path(files.WeightsFile)), bytes.Equal(r.order, base.order))
	}
	a, closing, err := r.shim(t, true)
	if err != nil {
		return false, false
	}
	closing()
	b, closing, err := base.shim(t, true)
	must(t, err)
	closing()
	return same, reflect.DeepEqual(a.Claimed, b.Claimed)
}

// agrees holds facts to the figures that the run itself wrote.
func (r *release) agrees(t *testing.T, name string, f *kernel.Facts) {
	t.Helper()
	said, err := document.ReadReport([]byte(mustRead(t, r.path("report.json"))), "report.json")
	must(t, err)
	text := func(path, got string) {
		if want := said.Text(path); got != want && said.Has(path) {
			t.Errorf("%s: %s is %s, the report has %s", name, path, got, want)
		}
	}
	if f.Groups == nil {
		return
	}
	text("epsilon.factor", f.Now.Most.RatString())
	text("strata.overall_factor", f.Now.All.RatString())
	text("strata.given_factor", f.Now.Given.RatString())
	text("prior.own_factor", f.Own.Most.RatString())
	if f.Shift != nil {
		text("shares.shift", f.Shift.RatString())
		text("shares.joint", f.Joint.RatString())
	}
	if f.Null != nil {
		text("nulls.null_factor", f.Null.RatString())
	}
	if f.Part.Most != nil {
		text("prior.part.factor", f.Part.Most.RatString())
	}
	if said.Kept().Held > 0 {
		return
	}
	if n := said.Int("utility.unchanged"); f.Changed >= 0 && n != sumOf(f.Tally.Letters())-f.Changed {
		t.Errorf("%s: %d records are unchanged, the report has %d", name, sumOf(f.Tally.Letters())-f.Changed, n)
	}
	if n := said.Int("floor.rank"); int64(f.Rank) != n && f.Order != nil {
		t.Errorf("%s: rank %d, the report has %d", name, f.Rank, n)
	}
}

func sumOf(n []int64) (sum int64) {
	for _, k := range n {
		sum += k
	}
	return sum
}

// TestKernelJoint: what several columns tell together is what the run says, exactly, and no
// smaller claim passes.
func TestKernelJoint(t *testing.T) {
	for name, o := range map[string]pipeline.Options{"plain": {}, "public": {}, "joint": {JointEpsilon: "2"},
		"strata": {Strata: "k", Drop: []string{"k"}}} {
		t.Run(name, func(t *testing.T) {
			cell, nulls := fiveLetters, map[string]string{"public": "public"}
			if name == "public" {
				cell = append(slices.Clone(cell), "")
			}
			dir := t.TempDir()
			o.Input, o.Output, o.Report = filepath.Join(dir, "in"), filepath.Join(dir, "out"), filepath.Join(dir, "report")
			o.AllowSorted, o.Audit = true, "off"
			job{cell: cell, rows: 700}.write(t, o.Input)
			o.Columns = []request.Choice{{Column: "c", Utility: "ordered:a,b,c,d,e", Epsilon: "1.5", Null: nulls[name]},
				{Column: "d", Utility: "circular:0,1,2,3,4,5,6,7,8,9,10", Epsilon: "1.7"}}
			_, err := pipeline.Run(t.Context(), o)
			must(t, err)
			said, err := document.ReadReport([]byte(mustRead(t, filepath.Join(o.Report, "joint.json"))), "joint.json")
			must(t, err)
			var of []*kernel.Release
			var facts []*kernel.Facts
			for i := range o.Columns {
				r := &release{dir: filepath.Join(dir, strconv.Itoa(i)), input: o.Input, output: o.Output}
				must(t, os.CopyFS(filepath.Join(r.dir, "report"), os.DirFS(filepath.Join(o.Report, strconv.Itoa(i+1)))))
				k, closing, err := r.shim(t, true)
				must(t, err)
				defer closing()
				f, result, err := kernel.Prove(t.Context(), k)
				if must(t, err); len(result.Failed()) > 0 {
					t.Error(result)
				}
				of, facts = append(of, k), append(facts, f)
			}
			j := said.At("joint")
			c := kernel.JointClaim{Factor: j.Text("factor"), Exact: j.Bool("exact"), Target: j.Text("target"),
				Presence: j.Text("with_presence.factor"), Unaware: j.Text("unaware.factor")}
			f, result, err := kernel.ProveJoint(t.Context(), of, facts, c)
			must(t, err)
			if len(result.Failed()) > 0 || f.Factor == nil || f.Factor.RatString() != c.Factor {
				t.Errorf("%v: %v, claimed %+v", result, f, c)
			}
			c.Factor = smaller(c.Factor).(string)
			if _, result, _ = kernel.ProveJoint(t.Context(), of, facts, c); len(result.Failed()) != 1 {
				t.Errorf("%v: a smaller factor", result)
			}
		})
	}
}
