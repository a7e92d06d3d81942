package pipeline_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/claim"
	"github.com/tacet-privacy/tacet/pipeline/fault"
	"github.com/tacet-privacy/tacet/pipeline/request"
	"github.com/tacet-privacy/tacet/pipeline/verify"
)

// twoColumns is a run that privatizes u and v, whose nulls stay.
func twoColumns(t *testing.T, rows []maybe, factor string) pipeline.Options {
	t.Helper()
	dir := t.TempDir()
	o := pipeline.Options{Input: filepath.Join(dir, "in"), Keep: []string{"u", "v"}, AllowUnchanged: true,
		Output: filepath.Join(dir, "out"), Report: filepath.Join(dir, "r")}
	writeMaybe(t, o.Input, rows)
	for _, c := range []string{"u", "v"} {
		o.Columns = append(o.Columns, request.Choice{Column: c, Utility: "ordered:a,b,c,d", MaxFactor: factor,
			Null: "public"})
	}
	return o
}

// TestNullsGiveAnotherColumnAway: u is null exactly where v is d. That is
// refused as a column that gives v away is, and can be allowed by name; what is
// said of both together carries its condition.
func TestNullsGiveAnotherColumnAway(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	var rows []maybe
	for range 1000 {
		m := maybe{V: letterOrNull([]string{"a", "b", "c", "d"}[min(3, r.IntN(19)/6)]),
			U: letterOrNull(string(rune('a' + r.IntN(3))))}
		if *m.V == "d" {
			m.U = nil
		}
		rows = append(rows, m)
	}
	o := twoColumns(t, rows, "12/5")
	_, err := pipeline.Run(context.Background(), o)
	if f := fault.As(err); err == nil || f.Class != fault.Privacy || !strings.Contains(f.Hint, "--allow-linked u") ||
		!strings.Contains(err.Error(), `null makes some guess of "v"`) {
		t.Fatalf("u tells of v by its nulls: %v", err)
	}
	o.AllowLinked, o.AllowSorted = []string{"u"}, true
	reports, err := pipeline.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	j := reports[0].Joint
	if len(j.Presence) != 1 || j.Presence[0].Of != "v" || !j.Presence[0].Beyond ||
		!strings.Contains(strings.Join(j.Words, " "), "for somebody who knows which these are") {
		t.Errorf("%+v, %q", j.Presence, j.Words)
	}
	if c, ok := claim.Find(reports[0].Claims, "joint.reached"); !ok || c.Records != claim.Valued ||
		!strings.Contains(c.Words, "among the records that are null in the same columns") {
		t.Errorf("%+v", c)
	}
	holds(t, verify.Request{Report: filepath.Join(o.Report, "joint.json"), Input: o.Input, Output: o.Output})

	forgedPresence(t, o, `"gain": `, `"gain": 1`)
	forgedPresence(t, o, `"with_presence": {
      "factor": "`, `"with_presence": {
      "factor": "1`)

	// Nulls that fall where they will are not refused.
	for i := range rows {
		if rows[i].U = letterOrNull("a"); r.IntN(19) == 0 {
			rows[i].U = nil
		} else if r.IntN(2) == 0 {
			rows[i].U = letterOrNull("b")
		}
	}
	if _, err := pipeline.Run(context.Background(), twoColumns(t, rows, "12/5")); err != nil {
		t.Error(err)
	}
}

// forgedPresence writes something else into joint.json and the reports of both
// columns, and wants neither report to be what the files give; then all is put back.
func forgedPresence(t *testing.T, o pipeline.Options, old, now string) {
	t.Helper()
	for _, name := range []string{"joint.json", "1/report.json", "2/report.json"} {
		path := filepath.Join(o.Report, name)
		data := read(t, path)
		if !strings.Contains(string(data), old) && name == "joint.json" {
			t.Fatalf("%s does not hold %q", name, old)
		}
		forged := strings.Replace(string(data), old, now, 1)
		if err := os.WriteFile(path, []byte(forged), 0o600); err != nil {
			t.Fatal(err)
		}
		defer os.WriteFile(path, data, 0o600)
	}
	res, err := verify.Run(context.Background(), verify.Request{Report: filepath.Join(o.Report, "joint.json"),
		Input: o.Input, Output: o.Output})
	if err != nil {
		t.Fatal(err)
	}
	if f := res.Failed(); !slices.Contains(f, "1 told again") || !slices.Contains(f, "2 told again") {
		t.Errorf("%q passed: %v", now, res.Failed())
	}
}
