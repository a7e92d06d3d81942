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
		options: pipeline.Options{Epsilon: "0.01"}},
}

// certainly sets what the report says of records that stand without doubt.
func certainly(name string, v any) func(*testing.T, *release) { return said("certainty", name, v) }

// inWords gives a claim other words.
func inWords(key, words string) func(*testing.T, *release) { return claiming(key, "words", to(words)) }

// ofCertainty change of how many records outputs leave no doubt.
var ofCertainty = []alteration{
	{name: "confirmed less", base: "certain some", want: "certainty", do: certainly("confirmed", 0.1)},
	{name: "confirmed none", base: "certain some", want: "certainty", do: certainly("confirmed", 0.)},
	{name: "kept more", base: "certain some", want: "certainty", do: certainly("kept", 0.5)},
	{name: "unchanged", base: "certain some", want: "certainty", do: certainly("unchanged", true)},
	{name: "nothing", base: "certain some", want: "certainty", do: certainly("nothing", "there is nothing")},
	{name: "missing", base: "certain some", want: "certainty",
		do: func(_ *testing.T, r *release) { delete(r.report, "certainty") }},
	{name: "not unchanged", base: "certain all", want: "certainty", do: certainly("unchanged", false)},
	{name: "not allowed", base: "certain all", want: "certainty", do: certainly("unchanged_allowed", false)},
	{name: "something", base: "certain none", want: "certainty", do: certainly("nothing", "")},
	{name: "no word of it", base: "certain none", want: "claims",
		do: inWords("leakage.reached", "At most 1 times as likely.")},
	{name: "fewer in words", base: "certain some", want: "claims",
		do: inWords("confirmed", "At most 0.1 in 100 of the records.")},
	{name: "not asked, but said", base: "certain some", want: "certainty", do: func(t *testing.T, r *release) {
		certainly("unchanged_allowed", true)(t, r)
		r.report["options"] = []any{map[string]any{"name": "allow-unchanged", "value": "false", "origin": "default"}}
	}},
	{name: "the options disagree", base: "certain all", want: "certainty", do: func(_ *testing.T, r *release) {
		r.report["options"] = []any{map[string]any{"name": "allow-unchanged", "value": "false", "origin": "default"}}
	}},
}

// besideOf is what the report says of a column in clear.
func besideOf(r *release, i int) map[string]any {
	return at(r.report, "conditional")["columns"].([]any)[i].(map[string]any)
}

// ofNeighbours change what other columns tell.
var ofNeighbours = []alteration{
	{name: "what a column tells", base: "beside", want: "neighbours in sample",
		do: func(_ *testing.T, r *release) {
			besideOf(r, 0)["held_out_gain_at_most"] = plus(-1e-6)(besideOf(r, 0)["held_out_gain_at_most"])
		}},
	{name: "a gain", base: "beside", want: "neighbours in sample",
		do: func(_ *testing.T, r *release) { besideOf(r, 1)["held_out_gain"] = 0.01 }},
	{name: "a verdict", base: "beside", want: "neighbours in sample",
		do: func(_ *testing.T, r *release) { besideOf(r, 1)["verdict"] = "clear" }},
	{name: "rows held out", base: "beside", want: "neighbours in sample",
		do: func(_ *testing.T, r *release) { besideOf(r, 1)["held_out_records"] = 10 }},
	{name: "rows judged", base: "beside", want: "neighbours in sample",
		do: func(_ *testing.T, r *release) {
			at(r.report, "conditional")["records"] = 5999
		}},
	{name: "equal neighbours", base: "beside", want: "neighbours in sample",
		do: func(_ *testing.T, r *release) { at(at(r.report, "conditional"), "runs")["equal"] = .3 }},
	{name: "the place of a row", base: "beside", want: "neighbours in sample",
		do: func(_ *testing.T, r *release) {
			at(at(r.report, "conditional"), "place")["held_out_gain_at_most"] = 0
		}},
	{name: "a pair", base: "beside", want: "neighbours in sample",
		do: func(_ *testing.T, r *release) {
			at(r.report, "conditional")["pairs"] = []any{map[string]any{"columns": []any{"kept", "mark"}, "judged": true,
				"verdict": "clear", "held_out_gain": 0, "held_out_gain_at_most": 0}}
		}},
	{name: "what a column tells", base: "arrow beside", want: "neighbours in sample",
		do: func(_ *testing.T, r *release) {
			besideOf(r, 0)["held_out_gain_at_most"] = plus(-1e-6)(besideOf(r, 0)["held_out_gain_at_most"])
		}},
	{name: "a gain", base: "arrow beside", want: "neighbours in sample",
		do: func(_ *testing.T, r *release) { besideOf(r, 1)["held_out_gain"] = 0.01 }},
	{name: "a verdict", base: "arrow beside", want: "neighbours in sample",
		do: func(_ *testing.T, r *release) { besideOf(r, 1)["verdict"] = "clear" }},
	{name: "rows held out", base: "arrow beside", want: "neighbours in sample",
		do: func(_ *testing.T, r *release) { besideOf(r, 1)["held_out_records"] = 10 }},
	{name: "rows judged", base: "arrow beside", want: "neighbours in sample",
		do: func(_ *testing.T, r *release) {
			at(r.report, "conditional")["records"] = 5999
		}},
	{name: "equal neighbours", base: "arrow beside", want: "neighbours in sample",
		do: func(_ *testing.T, r *release) { at(at(r.report, "conditional"), "runs")["equal"] = .3 }},
	{name: "the place of a row", base: "arrow beside", want: "neighbours in sample",
		do: func(_ *testing.T, r *release) {
			at(at(r.report, "conditional"), "place")["held_out_gain_at_most"] = 0
		}},
	{name: "a pair", base: "arrow beside", want: "neighbours in sample",
		do: func(_ *testing.T, r *release) {
			at(r.report, "conditional")["pairs"] = []any{map[string]any{"columns": []any{"kept", "mark"}, "judged": true,
				"verdict": "clear", "held_out_gain": 0, "held_out_gain_at_most": 0}}
		}},
}

// ofOtherCounts change figures of a release by a plan that was made from other counts, or
// from data of which this file is a part.
var ofOtherCounts = []alteration{
	{name: "a count", base: "elsewhere", want: "counts",
		do: func(_ *testing.T, r *release) { at(r.report, "prior")["counts"].([]any)[0] = "1501" }},
	{name: "two counts", base: "elsewhere", want: "factors", blind: true,
		do: func(_ *testing.T, r *release) {
			c := at(r.report, "prior")["counts"].([]any)
			c[0], c[1] = c[1],
				c[0]
		}},
	{name: "counts of fewer letters", base: "elsewhere", want: "plan as made", blind: true,
		do: func(_ *testing.T, r *release) { at(r.report, "prior")["counts"] = []any{"5"} }},
	{name: "a count that is no number", base: "elsewhere", want: "plan as made", blind: true,
		do: func(_ *testing.T, r *release) { at(r.report, "prior")["counts"].([]any)[0] = "-1" }},
	{name: "no counts", base: "elsewhere", want: "epsilon", blind: true,
		do: func(_ *testing.T, r *release) { delete(at(r.report, "prior"), "counts") }},
	{name: "the plan's own counts", base: "elsewhere", want: "plan as made", blind: true,
		do: func(_ *testing.T, r *release) { at(r.report, "prior")["counts"] = r.plan["counts"] }},
	{name: "the plan's own factor", base: "elsewhere", want: "epsilon", blind: true,
		do: func(_ *testing.T, r *release) {
			at(r.report, "epsilon")["factor"], at(r.report, "epsilon")["nats"] = at(r.plan, "epsilon")["factor"],
				at(r.plan, "epsilon")["nats"]
		}},
	{name: "an unproven lower bound", base: "elsewhere", want: "certificate", blind: true,
		do: func(_ *testing.T, r *release) {
			at(r.report, "design")["lower_factor"] = at(r.report, "epsilon")["factor"]
		}},
	{name: "the plan's upper bound", base: "elsewhere", want: "bracket", blind: true,
		do: func(_ *testing.T, r *release) {
			at(r.report, "design")["upper_factor"] = at(r.plan, "certificate")["upper_factor"]
		}},
	{name: "a utility that no mechanism has", base: "elsewhere", want: "utility bound", blind: true,
		do: func(_ *testing.T, r *release) { at(r.report, "utility")["upper_bound"] = 1. }},
	{name: "a utility that is too low", base: "elsewhere", want: "utility", blind: true,
		do: func(_ *testing.T, r *release) { at(r.report, "utility")["upper_bound"] = -1000. }},
	{name: "another expectation", base: "elsewhere", want: "utility", blind: true,
		do: func(_ *testing.T, r *release) {
			at(r.report, "utility")["expected"] = at(r.plan,
				"utility")["expected"]
		}},
	{name: "a run that followed nothing", base: "elsewhere", want: "plan as made", blind: true,
		do: func(_ *testing.T, r *release) { r.report["command"] = "run" }},
	{name: "the plan's data", base: "elsewhere", want: "own counts", blind: true,
		do: func(_ *testing.T, r *release) { at(r.report, "prior")["of"] = "the plan" }},
	{name: "its factor", base: "part", want: "part of the plan's data",
		do: func(_ *testing.T, r *release) { at(at(r.report, "prior"), "part")["factor"] = "1" }},
	{name: "its nats", base: "part", want: "part of the plan's data",
		do: func(_ *testing.T, r *release) { at(at(r.report, "prior"), "part")["nats"] = 0.5 }},
	{name: "its records", base: "part", want: "part of the plan's data",
		do: func(_ *testing.T, r *release) { at(at(r.report, "prior"), "part")["records"] = 41. }},
	{name: "the whole", base: "part", want: "part of the plan's data",
		do: func(_ *testing.T, r *release) { at(at(r.report, "prior"), "part")["of"] = 41. }},
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
	{name: "a run", base: "part", want: "part of the plan's data",
		do: func(_ *testing.T, r *release) { r.report["command"] = "run" }},
	{name: "more records of a value than the plan counts", base: "part", want: "counts",
		do: func(_ *testing.T, r *release) {
			r.counts()[len(r.counts())-1] = "3"
		}},
}
