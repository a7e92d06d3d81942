package verify

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline"
)

// TestCertaintyForged: of how many records outputs leave no doubt is recomputed,
// and the sentences say it.
func TestCertaintyForged(t *testing.T) {
	words := func(key, words string) func(r *release) {
		return func(r *release) {
			for _, c := range r.report["claims"].([]any) {
				if c := c.(map[string]any); c["key"] == key {
					c["words"] = words
				}
			}
		}
	}
	set := func(name string, v any) func(r *release) {
		return func(r *release) { at(r.report, "certainty")[name] = v }
	}
	some := job{cell: []string{"a", "a", "a", "a", "b", "b", "c", "d"}, rows: 800, order: "ordered:a,b,c,d",
		options: pipeline.Options{Epsilon: "1.9"}}
	all := job{cell: []string{"a", "b", "b", "c"}, rows: 400, order: "ordered:a,b,c",
		options: pipeline.Options{Epsilon: "1.4", AllowUnchanged: true}}
	none := job{cell: []string{"a", "b", "b", "c"}, rows: 400, order: "ordered:a,b,c",
		options: pipeline.Options{Epsilon: "0.01"}}
	made := map[string]*release{"some": some.make(t), "all": all.make(t), "none": none.make(t)}
	for name, r := range made {
		passes(t, r.request(), nil)
		if c := at(r.report, "certainty"); c["unchanged"] != (name == "all") || (c["nothing"] != nil) != (name == "none") ||
			(c["confirmed"] == json.Number("0")) != (name == "none") {
			t.Fatalf("control: %s: %v", name, c)
		}
	}
	for name, c := range map[string]struct {
		of, want string
		change   func(r *release)
	}{
		"confirmed less":      {"some", "certainty", set("confirmed", 0.1)},
		"confirmed none":      {"some", "certainty", set("confirmed", 0.)},
		"kept more":           {"some", "certainty", set("kept", 0.5)},
		"unchanged":           {"some", "certainty", set("unchanged", true)},
		"nothing":             {"some", "certainty", set("nothing", "there is nothing")},
		"missing":             {"some", "certainty", func(r *release) { delete(r.report, "certainty") }},
		"not unchanged":       {"all", "certainty", set("unchanged", false)},
		"not allowed":         {"all", "certainty", set("unchanged_allowed", false)},
		"something":           {"none", "certainty", set("nothing", "")},
		"no word of it":       {"none", "claims", words("leakage.reached", "At most 1 times as likely.")},
		"fewer in words":      {"some", "claims", words("confirmed", "At most 0.1 in 100 of the records.")},
		"not asked, but said": {"some", "certainty", set("unchanged_allowed", true)},
		"the options disagree": {"all", "certainty", func(r *release) {
			r.report["options"] = []any{map[string]any{"name": "allow-unchanged", "value": "false", "origin": "default"}}
		}},
	} {
		r := made[c.of].copyTo(t, t.TempDir())
		r.load(t)
		c.change(r)
		if name == "not asked, but said" {
			r.report["options"] = []any{map[string]any{"name": "allow-unchanged", "value": "false", "origin": "default"}}
		}
		r.save(t, true)
		got, err := Run(context.Background(), r.request())
		if must(t, err); !slices.Contains(got.Failed(), c.want) {
			t.Errorf("%s: failed %v, want %s", name, got.Failed(), c.want)
		}
	}
}
