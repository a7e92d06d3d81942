package verify_test

import (
	"strings"
	"testing"
)

// ofPlan change plan, order and report.
var ofPlan = []alteration{
	// The plan.
	{name: "one group that has a name", base: "weights", want: "strata", do: alone("strata", []any{"north"})},
	{name: "by rank, and it was by level", want: "options", base: "level", do: func(_ *testing.T, r *release) {
		options, _ := at(r.report, "stated")["options"].([]any)
		at(r.report, "stated")["options"] = append(options, map[string]any{"name": "floor-by", "value": "rank",
			"origin": "flag"})
	}},
	{name: "an output forbidden at the lowest floor", want: "order as asked", base: "safe",
		do: func(_ *testing.T, r *release) {
			r.order = []byte(strings.Replace(string(r.order), "\na,0,-1,-2,-3,-4", "\na,0,-1,-2,-3,-inf", 1))
		}},
	{name: "a total off by one", base: "weights", want: "row sums", do: func(t *testing.T,
		r *release) {
		r.rowOf(1)["total"] = "4611686018427387903"
	}},
	{name: "a count dropped", base: "weights", want: "prior",
		do: func(t *testing.T, r *release) { r.plan["counts"] = r.counts()[1:] }},
	{name: "bins of other values", want: `"a type that the plan's bins are not of"`, base: "bins",
		do: func(t *testing.T, r *release) { at(r.plan, "bins")["of"] = "integer" }},
	{name: "bins that are none", want: `"bins that are none"`, base: "bins",
		do: func(t *testing.T, r *release) { at(r.plan, "bins")["spec"] = "5,1" }},
	{name: "no bins", want: `"never privatized"`, base: "bins",
		do: func(t *testing.T, r *release) { delete(r.plan, "bins") }},
	{name: "an input renamed", base: "weights", want: "row sums",
		do: func(t *testing.T, r *release) { r.plan["inputs"].([]any)[4] = "f" }},
	{name: "an output twice", base: "weights", want: "values",
		do: func(t *testing.T, r *release) { r.plan["outputs"].([]any)[1] = "a" }},
	{name: "null in the midst", base: "weights", want: "values", do: func(t *testing.T,
		r *release) {
		r.plan["outputs"].([]any)[1] = nil
	}},
	{name: "a better floor asked for", base: "weights", want: "floor", do: both("floor", "asked", to("rank >= 5"))},
	{name: "the target no number", base: "weights", want: "target", do: both("epsilon", "target", to("0x1p3"))},
	{name: "the target other than the options say", base: "weights", want: "options", do: func(t *testing.T, r *release) {
		at(r.report, "stated")["options"] = []any{map[string]any{"name": "epsilon", "value": "0.8", "origin": "flag"}}
	}},
	{name: "pi too short", base: "weights", want: "certificate", do: func(t *testing.T,
		r *release) {
		at(r.plan, "certificate")["pi"] = r.pi()[1:]
	}},
	{name: "upper_factor below lower_factor", base: "weights", want: "bracket",
		do: both("certificate", "upper_factor", to("1"))},
	{name: "a fraction not in lowest terms", base: "weights", want: "bracket", do: both("certificate", "upper_factor",
		func(old any) any { return old.(string) + "0/10" })},
	{name: "another plan hash", base: "weights", want: `"is not the plan of"`, plain: true,
		do: said("plan", "plan_sha256",
			strings.Repeat("0", 64))},
	{name: "a column that is not there", base: "weights", want: `"has no column"`, do: func(t *testing.T, r *release) {
		r.report["column"],
			r.plan["column"] = "x", "x"
	}},
	// The order.
	{name: "an order cell changed", base: "weights", want: "order hash", plain: true,
		do: func(t *testing.T, r *release) { r.order[len(r.order)-2] = '5' }},
	{name: "an order cell NaN", base: "weights", want: "order", do: func(t *testing.T, r *release) {
		r.order = []byte(strings.Replace(string(r.order), "\na,0,", "\na,NaN,", 1))
	}},
	{name: "an order row dropped", base: "weights", want: "order", do: func(t *testing.T, r *release) {
		r.order = r.order[:strings.LastIndex(strings.TrimSpace(string(r.order)), "\n")+1]
	}},
	{name: "an order quote never closed", base: "weights", want: "order", do: func(t *testing.T, r *release) {
		r.order = append(r.order,
			'"')
	}},
	// The report.
	{name: "another input hash", base: "weights", want: `"another file than the input"`, plain: true,
		do: said("input", "sha256", strings.Repeat("0", 64))},
	{name: "no output hash though there was one", base: "weights", want: "output hash", plain: true,
		do: func(t *testing.T, r *release) {
			at(r.report, "output")["sha256"] = ""
			at(r.report, "stated")["options"] = []any{map[string]any{"name": "hash", "value": "sha256", "origin": "default"}}
		}},
	{name: "nulls called public", want: "values", base: "letters",
		do: func(t *testing.T, r *release) { r.plan["null"] = "public" }},
	{name: "the stamp taken off", base: "weights", want: "report", do: func(t *testing.T, r *release) {
		delete(at(r.report, "stated"), "stamp")
		at(r.report, "stated")["options"] = []any{map[string]any{"name": "test-seed", "value": "(given)", "origin": "flag"}}
	}},
	// Documents that are none.
	{name: "another version", base: "weights", want: `"tacet.report/v3"`, do: func(t *testing.T,
		r *release) {
		r.report["schema"] = "tacet.report/v1"
	}},
	{name: "a plan of another version", base: "weights", want: `"tacet.plan/v2"`,
		do: func(t *testing.T, r *release) { r.plan["schema"] = "tacet.plan/v1" }},
	{name: "a larger limit", want: "max shift", base: "shares", do: sharesOf("limit", to("1/10"))},
	{name: "values that are not kept", want: "max shift", base: "shares",
		do: sharesOf("keep_values", func(any) any { return true })},
	{name: "another preference", want: "max shift", base: "near", do: both("utility", "prefer", to("utility"))},
	{name: "an unknown member", base: "weights", want: "members", do: said("epsilon", "delta", 0)},
	{name: "a member in capitals", base: "weights", want: `"not known"`, do: said("epsilon", "Nats", 0)},
	// Records that stand without doubt, and other counts than the plan's.
	{name: "not asked, but said", base: "certain some", want: "certainty", do: func(t *testing.T, r *release) {
		said("certainty", "unchanged_allowed", true)(t, r)
		at(r.report, "stated")["options"] = []any{map[string]any{"name": "allow", "value": "", "origin": "default"}}
	}},
	{name: "a count that is no number", base: "elsewhere", want: "told again", blind: true,
		do: func(_ *testing.T, r *release) { at(r.report, "prior")["counts"].([]any)[0] = "-1" }},
	{name: "the plan's own counts", base: "elsewhere", want: "plan as made", blind: true,
		do: func(_ *testing.T, r *release) { at(r.report, "prior")["counts"] = r.plan["counts"] }},
	{name: "a run that followed nothing", base: "elsewhere", want: "plan as made", blind: true,
		do: func(_ *testing.T, r *release) { r.report["command"] = "run" }},
	{name: "no part", base: "part", want: "counts",
		do: func(_ *testing.T, r *release) { delete(at(r.report, "prior"), "part") }},
	{name: "not as an option", base: "part", want: "part of the plan's data",
		do: func(_ *testing.T, r *release) {
			at(r.report, "stated")["options"] = []any{map[string]any{"name": "part-of-plan", "value": "false",
				"origin": "default"}}
		}},
	{name: "more records of a value than the plan counts", base: "part", want: "counts",
		do: func(_ *testing.T, r *release) {
			r.counts()[len(r.counts())-1] = "3"
		}},
	{name: "records that were given up, promised all the same", want: "target", base: "prior given up",
		do: func(_ *testing.T, r *release) {
			delete(at(r.plan, "prior"), "only")
			delete(at(r.report, "prior"), "only")
			at(r.report, "stated")["options"] = []any{}
		}},
	// Strata.
	{name: "records of a group", want: "strata", base: "strata apart", do: func(_ *testing.T, r *release) {
		p, _ := r.groups()
		c := p[0].(map[string]any)["counts"].([]any)
		c[0] = more(1)(c[0])
	}},
	{name: "a negative count", want: "strata", base: "strata apart", do: recounted(1 << 40)},
	{name: "a stratum in two groups", want: "strata", base: "strata apart",
		do: grouped(0, "strata", to([]any{"0", "1"}))},
	{name: "a stratum under another name", want: "strata of records", base: "strata apart",
		do: grouped(0, "strata", to([]any{"00"}))},
	{name: "a function of the column", want: "strata of records", base: "strata apart", do: both("strata", "function",
		to("weekday"))},
	{name: "a group without a name", want: "strata of records", base: "strata apart",
		do: grouped(4, "strata", to([]any{}))},
	{name: "strata smaller than they are merged at", want: "strata", base: "strata apart",
		do: func(_ *testing.T, r *release) {
			at(r.plan, "strata")["min"], at(r.report, "strata")["min"] = "300", 300
		}},
	{name: "the mechanism of another group, and its draws", want: "strata of records", base: "strata apart",
		do: func(t *testing.T, r *release) {
			p, _ := r.groups()
			a, b := p[0].(map[string]any), p[9].(map[string]any)
			a["mechanism"], b["mechanism"] = b["mechanism"], a["mechanism"]
		}},
	{name: "another rule", want: "strata", base: "strata apart", do: both("strata", "rule", to("shared"))},
	{name: "the floor of a group", want: "floor", base: "strata apart", do: grouped(2, "rank", plus(1))},
	{name: "records of a group beside its prior", want: "strata", base: "strata smoothed",
		do: func(_ *testing.T, r *release) {
			p, _ := r.groups()
			for i, d := range []int64{1, -1} {
				c := p[i].(map[string]any)["records"].([]any)
				c[0] = more(d)(c[0])
			}
		}},
	{name: "merged strata that are said to be published", want: "strata", base: "strata merged",
		do: func(_ *testing.T, r *release) {
			at(r.report, "strata")["published"] = true
			for _, c := range at(r.report, "stated")["columns"].([]any) {
				if c := c.(map[string]any); c["name"] == "d" {
					c["fate"] = "published in clear"
				}
			}
		}},
}
