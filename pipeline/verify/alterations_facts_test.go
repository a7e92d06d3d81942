package verify_test

import (
	"testing"

	"github.com/tacet-privacy/tacet/pipeline"
)

// certainties are releases of which some, all or no records stand without doubt.
var certainties = map[string]job{
	"some": {cell: []string{"a", "a", "a", "a", "b", "b", "c", "d"}, rows: 800, order: "ordered:a,b,c,d",
		options: pipeline.Options{Epsilon: "1.9"}},
	"all": {cell: []string{"a", "b", "b", "c"}, rows: 400, order: "ordered:a,b,c",
		options: pipeline.Options{Epsilon: "1.4", AllowUnchanged: true}},
	"none": {cell: []string{"a", "b", "b", "c"}, rows: 400, order: "ordered:a,b,c",
		options: pipeline.Options{Epsilon: "1"}},
}

// certainly sets what the report says of records that stand without doubt.
func certainly(name string, v any) func(*testing.T, *release) { return said("certainty", name, v) }

// ofCertainty change of how many records outputs leave no doubt.
var ofCertainty = []alteration{
	{name: "nothing", base: "certain some", want: "certainty", do: certainly("nothing", "there is nothing")},
	{name: "not asked, but said", base: "certain some", want: "certainty", do: func(t *testing.T, r *release) {
		certainly("unchanged_allowed", true)(t, r)
		r.report["options"] = []any{map[string]any{"name": "allow", "value": "", "origin": "default"}}
	}},
	{name: "the options disagree", base: "certain all", want: "certainty", do: func(_ *testing.T, r *release) {
		r.report["options"] = []any{map[string]any{"name": "allow", "value": "", "origin": "default"}}
	}},
}

// ofOtherCounts change figures of a release by a plan that was made from other counts, or
// from data of which this file is a part.
var ofOtherCounts = []alteration{
	{name: "two counts", base: "elsewhere", want: "factors", blind: true,
		do: func(_ *testing.T, r *release) {
			c := at(r.report, "prior")["counts"].([]any)
			c[0], c[1] = c[1],
				c[0]
		}},
	{name: "a count that is no number", base: "elsewhere", want: "plan as made", blind: true,
		do: func(_ *testing.T, r *release) { at(r.report, "prior")["counts"].([]any)[0] = "-1" }},
	{name: "no counts", base: "elsewhere", want: "epsilon", blind: true,
		do: func(_ *testing.T, r *release) { delete(at(r.report, "prior"), "counts") }},
	{name: "the plan's own counts", base: "elsewhere", want: "plan as made", blind: true,
		do: func(_ *testing.T, r *release) { at(r.report, "prior")["counts"] = r.plan["counts"] }},
	{name: "a run that followed nothing", base: "elsewhere", want: "plan as made", blind: true,
		do: func(_ *testing.T, r *release) { r.report["command"] = "run" }},
	{name: "the plan's data", base: "elsewhere", want: "own counts", blind: true,
		do: func(_ *testing.T, r *release) { at(r.report, "prior")["of"] = "the plan" }},
	{name: "no part", base: "part", want: "counts",
		do: func(_ *testing.T, r *release) { delete(at(r.report, "prior"), "part") }},
	{name: "of this file", base: "part", want: "counts",
		do: func(_ *testing.T, r *release) {
			delete(at(r.report, "prior"), "part")
			at(r.report, "prior")["of"] = "this file"
		}},
	{name: "as an option only", base: "part", want: "part of the plan's data",
		do: func(_ *testing.T, r *release) {
			delete(at(r.report, "prior"), "part")
			r.report["options"] = []any{map[string]any{"name": "part-of-plan", "value": "true", "origin": "flag"}}
		}},
	{name: "not as an option", base: "part", want: "part of the plan's data",
		do: func(_ *testing.T, r *release) {
			r.report["options"] = []any{map[string]any{"name": "part-of-plan", "value": "false", "origin": "default"}}
		}},
	{name: "more records of a value than the plan counts", base: "part", want: "counts",
		do: func(_ *testing.T, r *release) {
			r.counts()[len(r.counts())-1] = "3"
		}},
}
