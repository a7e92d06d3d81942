package verify

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/verify/document"
)

// TestBeside: figures in sample of columns that are texts, codes and amounts, with
// nulls among the letters, are recomputed; each of them altered is refused, and the
// row of checks that passes says so.
func TestBeside(t *testing.T) {
	for _, arrow := range []bool{false, true} {
		base := job{arrow: arrow, cell: withNulls, rows: 6000, order: "ordered:a,b,c,d,e",
			options: pipeline.Options{Epsilon: "1.5", Null: "public", Audit: "full"}}.make(t)
		got, err := Run(t.Context(), base.request())
		must(t, err)
		if !slices.ContainsFunc(got.Checks, func(c document.Check) bool {
			return c.Name == "neighbours in sample" && c.Outcome == document.Passed
		}) {
			t.Fatalf("figures in sample are not recomputed: %v", got.Checks)
		}
		column := func(r *release, i int) map[string]any {
			return at(at(r.report, "conditional")["columns"].([]any)[i].(map[string]any), "in_sample")
		}
		for name, alter := range map[string]func(r *release){
			"what a column tells alone": func(r *release) {
				column(r, 0)["alone_nats"] = plus(-1e-6)(column(r, 0)["alone_nats"])
			},
			"what both tell": func(r *release) { column(r, 1)["total_nats"] = 0.01 },
			"a guess":        func(r *release) { column(r, 1)["guess"] = plus(-1e-6)(column(r, 1)["guess"]) },
			"entropy":        func(r *release) { column(r, 0)["removed"] = plus(1e-6)(column(r, 0)["removed"]) },
			"values":         func(r *release) { column(r, 1)["strata"] = 10 },
			"rows judged": func(r *release) {
				at(r.report, "conditional")["records"] = 5999
			},
			"equal neighbours": func(r *release) { at(at(r.report, "conditional"), "runs")["equal"] = .3 },
			"the place of a row": func(r *release) {
				at(at(at(r.report, "conditional"), "place"), "in_sample")["given_nats"] = 0
			},
			"a pair": func(r *release) {
				at(first(at(r.report, "conditional")["pairs"]), "in_sample")["small_records"] = 1
			},
		} {
			t.Run(name, func(t *testing.T) {
				r := base.copyTo(t, filepath.Join(t.TempDir(), "copy"))
				alter(r)
				r.save(t, true)
				r.refused(t, "neighbours in sample")
			})
		}
	}
}

// TestNoRecordsToJudge: a file without records has columns in clear that nothing is
// judged of, and saying that there are none is refused.
func TestNoRecordsToJudge(t *testing.T) {
	r := jobs["no rows"].make(t)
	if state := at(r.report, "conditional")["state"]; state != "there are no records to judge" {
		t.Errorf("of columns beside no records the report says %q", state)
	}
	passes(t, r.request(), map[string]bool{"support": true, "floor": true, "fit": true, "prior and scale": true,
		"utility": true})
	at(r.report, "conditional")["state"] = "nothing is published beside it"
	r.save(t, true)
	r.refused(t, "neighbours as stated")
}
