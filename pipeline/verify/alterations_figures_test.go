package verify_test

import (
	"slices"
	"strings"
	"testing"
)

// ofReport change order.csv and figures of the report.
var ofReport = []alteration{
	// The order.
	{name: "an order cell changed", base: "weights", want: "order hash", plain: true,
		do: func(t *testing.T, r *release) { r.order[len(r.order)-2] = '5' }},
	{name: "an order cell changed, ranks as they were", base: "weights", want: "utility",
		do: func(t *testing.T, r *release) {
			r.order = []byte(strings.Replace(string(r.order), "\na,0,-1,", "\na,0,-0.5,", 1))
		}},
	{name: "an order cell forbidden", base: "weights", want: "support", do: func(t *testing.T, r *release) {
		r.order = []byte(strings.Replace(string(r.order), "\na,0,", "\na,-inf,", 1))
	}},
	{name: "order rows under other labels", base: "weights", want: "order", do: func(t *testing.T, r *release) {
		r.order = []byte(strings.NewReplacer("\nd,", "\ne,", "\ne,", "\nd,").Replace(string(r.order)))
	}},
	{name: "order columns under other labels", base: "weights", want: "order", do: func(t *testing.T, r *release) {
		r.order = []byte(strings.Replace(string(r.order), ",d,e\n", ",e,d\n", 1))
	}},
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
	{name: "ties denied", base: "weights", want: "order", do: both("order", "ties", to(0))},
	// The report.
	{name: "an output dropped", base: "weights", want: "factors", do: func(t *testing.T,
		r *release) {
		r.report["outputs"] = r.report["outputs"].([]any)[1:]
	}},
	{name: "outputs in other order", base: "weights", want: "output shares", do: func(t *testing.T,
		r *release) {
		slices.Reverse(r.report["outputs"].([]any))
	}},
	{name: "a joint shift without strata", base: "weights", want: "shares", do: said("shares", "joint", "1/10")},
	{name: "expected utility", base: "weights", want: "utility", do: both("utility", "expected", plus(1e-9))},
	{name: "utility bound", base: "weights", want: "utility", do: both("utility", "upper_bound", plus(-10))},
	{name: "a column's fate", base: "weights", want: "columns", do: func(t *testing.T, r *release) {
		r.report["columns"].([]any)[1].(map[string]any)["fate"] = "dropped"
	}},
	{name: "another input hash", base: "weights", want: `"another file than the input"`, plain: true,
		do: said("input", "sha256", strings.Repeat("0", 64))},
	{name: "another output hash", base: "weights", want: "output hash", plain: true,
		do: said("output", "sha256", strings.Repeat("0", 64))},
	{name: "no output hash though there was one", base: "weights", want: "output hash", plain: true,
		do: func(t *testing.T, r *release) {
			at(r.report, "output")["sha256"] = ""
			r.report["options"] = []any{map[string]any{"name": "hash", "value": "sha256", "origin": "default"}}
		}},
	{name: "nulls called public", want: "values", base: "letters",
		do: func(t *testing.T, r *release) { r.plan["null"] = "public" }},
	{name: "the stamp taken off", base: "weights", want: "report", do: func(t *testing.T, r *release) {
		delete(r.report, "stamp")
		r.report["options"] = []any{map[string]any{"name": "test-seed", "value": "(given)", "origin": "flag"}}
	}},
	{name: "a check left out", base: "weights", want: "report", do: func(t *testing.T,
		r *release) {
		r.report["checks"] = r.report["checks"].([]any)[:3]
	}},
	// Documents that are none.
	{name: "another version", base: "weights", want: `"tacet.report/v2"`, do: func(t *testing.T,
		r *release) {
		r.report["schema"] = "tacet.report/v1"
	}},
	{name: "a plan of another version", base: "weights", want: `"tacet.plan/v2"`,
		do: func(t *testing.T, r *release) { r.plan["schema"] = "tacet.plan/v1" }},
}
