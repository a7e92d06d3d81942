package verify_test

import (
	"slices"
	"strings"
	"testing"
)

// zeros are the hash of nothing that there is.
var zeros = strings.Repeat("0", 64)

// option is the list of options of a report that holds this one alone.
func option(name, value string) []any {
	return []any{map[string]any{"name": name, "value": value, "origin": "flag"}}
}

// ordered changes the text of order.csv.
func ordered(change func(string) string) func(*testing.T, *release) {
	return func(_ *testing.T, r *release) { r.order = []byte(change(string(r.order))) }
}

// ofPlan change plan, order and report.
var ofPlan = []alteration{
	// The plan.
	{name: "one group that has a name", base: "weights", want: "strata",
		do: put("plan.groups[0].strata", []any{"north"})},
	{name: "by rank, and it was by level", want: "options", base: "level",
		do: put("report.stated.options", func(old any) any {
			options, _ := old.([]any)
			return append(options, option("floor-by", "rank")...)
		})},
	{name: "an output forbidden at the lowest floor", want: "order as asked", base: "safe",
		do: ordered(replace("\na,0,-1,-2,-3,-4", "\na,0,-1,-2,-3,-inf"))},
	{name: "a total off by one", base: "weights", want: "row sums",
		do: put("plan.mechanisms[0].rows[1].total", "4611686018427387903")},
	{name: "a count dropped", base: "weights", want: "prior",
		do: put("plan.counts", func(old any) any { return old.([]any)[1:] })},
	{name: "bins of other values", want: `"a type that the plan's bins are not of"`, base: "bins",
		do: put("plan.bins.of", "integer")},
	{name: "bins that are none", want: `"bins that are none"`, base: "bins", do: put("plan.bins.spec", "5,1")},
	{name: "no bins", want: `"never privatized"`, base: "bins", do: put("plan.bins", gone{})},
	{name: "an input renamed", base: "weights", want: "row sums", do: put("plan.inputs[4]", "f")},
	{name: "an output twice", base: "weights", want: "values", do: put("plan.outputs[1]", "a")},
	{name: "null in the midst", base: "weights", want: "values", do: put("plan.outputs[1]", nil)},
	{name: "a better floor asked for", base: "weights", want: "floor", do: put("both.floor.asked", "rank >= 5")},
	{name: "the target no number", base: "weights", want: "target", do: put("both.epsilon.target", "0x1p3")},
	{name: "the target other than the options say", base: "weights", want: "options",
		do: put("report.stated.options", option("epsilon", "0.8"))},
	{name: "pi too short", base: "weights", want: "certificate",
		do: put("plan.certificate.pi", func(old any) any { return old.([]any)[1:] })},
	{name: "upper_factor below lower_factor", base: "weights", want: "bracket",
		do: put("both.certificate.upper_factor", "1")},
	{name: "a fraction not in lowest terms", base: "weights", want: "bracket",
		do: put("both.certificate.upper_factor", func(old any) any { return old.(string) + "0/10" })},
	{name: "another plan hash", base: "weights", want: `"is not the plan of"`, plain: true,
		do: put("report.plan.plan_sha256", zeros)},
	{name: "a column that is not there", base: "weights", want: `"has no column"`, do: put("both.column", "x")},
	// The order.
	{name: "an order cell changed", base: "weights", want: "order hash", plain: true,
		do: func(t *testing.T, r *release) { r.order[len(r.order)-2] = '5' }},
	{name: "an order cell NaN", base: "weights", want: "order", do: ordered(replace("\na,0,", "\na,NaN,"))},
	{name: "an order row dropped", base: "weights", want: "order",
		do: ordered(func(s string) string { return s[:strings.LastIndex(strings.TrimSpace(s), "\n")+1] })},
	{name: "an order quote never closed", base: "weights", want: "order", do: ordered(add(`"`))},
	// The report.
	{name: "another input hash", base: "weights", want: `"another file than the input"`, plain: true,
		do: put("report.input.sha256", zeros)},
	{name: "no output hash though there was one", base: "weights", want: "output hash", plain: true,
		do: put("report.output.sha256", "", "report.stated.options", option("hash", "sha256"))},
	{name: "nulls called public", want: "values", base: "letters", do: put("plan.null", "public")},
	{name: "the stamp taken off", base: "weights", want: "report",
		do: put("report.stated.stamp", gone{}, "report.stated.options", option("test-seed", "(given)"))},
	// Documents that are none.
	{name: "another version", base: "weights", want: `"tacet.report/v3"`, do: put("report.schema", "tacet.report/v1")},
	{name: "a plan of another version", base: "weights", want: `"tacet.plan/v2"`,
		do: put("plan.schema", "tacet.plan/v1")},
	{name: "a larger limit", want: "max shift", base: "shares", do: put("plan.shares.limit", "1/10")},
	{name: "values that are not kept", want: "max shift", base: "shares", do: put("plan.shares.keep_values", true)},
	{name: "another preference", want: "max shift", base: "near", do: put("both.utility.prefer", "utility")},
	{name: "an unknown member", base: "weights", want: "members", do: put("report.epsilon.delta", 0)},
	{name: "a member in capitals", base: "weights", want: `"not known"`, do: put("report.epsilon.Nats", 0)},
	// Records that stand without doubt, and other counts than the plan's.
	{name: "not asked, but said", base: "certain some", want: "certainty",
		do: put("report.certainty.unchanged_allowed", true, "report.stated.options", option("allow", ""))},
	{name: "a count that is no number", base: "elsewhere", want: "told again", blind: true,
		do: put("report.prior.counts[0]", "-1")},
	{name: "the plan's own counts", base: "elsewhere", want: "plan as made", blind: true,
		do: func(_ *testing.T, r *release) { at(r.report, "prior")["counts"] = r.plan["counts"] }},
	{name: "a run that followed nothing", base: "elsewhere", want: "plan as made", blind: true,
		do: put("report.command", "run")},
	{name: "no part", base: "part", want: "counts", do: put("report.prior.part", gone{})},
	{name: "not as an option", base: "part", want: "part of the plan's data",
		do: put("report.stated.options", option("part-of-plan", "false"))},
	{name: "more records of a value than the plan counts", base: "part", want: "counts",
		do: func(_ *testing.T, r *release) { r.counts()[len(r.counts())-1] = "3" }},
	{name: "records that were given up, promised all the same", want: "target", base: "prior given up",
		do: put("plan.prior.only", gone{}, "report.prior.only", gone{}, "report.stated.options", []any{})},
	// Strata.
	{name: "records of a group", want: "strata", base: "strata apart", do: put("plan.groups[0].counts[0]", more(1))},
	{name: "a negative count", want: "strata", base: "strata apart", do: recounted(1 << 40)},
	{name: "a stratum in two groups", want: "strata", base: "strata apart",
		do: put("both.groups[0].strata", []any{"0", "1"})},
	{name: "a stratum under another name", want: "strata of records", base: "strata apart",
		do: put("both.groups[0].strata", []any{"00"})},
	{name: "a function of the column", want: "strata of records", base: "strata apart",
		do: put("both.strata.function", "weekday")},
	{name: "a group without a name", want: "strata of records", base: "strata apart",
		do: put("both.groups[4].strata", []any{})},
	{name: "strata smaller than they are merged at", want: "strata", base: "strata apart",
		do: put("plan.strata.min", "300", "report.strata.min", 300)},
	{name: "the mechanism of another group, and its draws", want: "strata of records", base: "strata apart",
		do: func(t *testing.T, r *release) {
			groups := r.plan["groups"].([]any)
			a, b := groups[0].(map[string]any), groups[9].(map[string]any)
			a["mechanism"], b["mechanism"] = b["mechanism"], a["mechanism"]
		}},
	{name: "another rule", want: "strata", base: "strata apart", do: put("both.strata.rule", "shared")},
	{name: "the floor of a group", want: "floor", base: "strata apart", do: put("both.groups[2].rank", plus(1))},
	{name: "records of a group beside its prior", want: "strata", base: "strata smoothed",
		do: put("plan.groups[0].records[0]", more(1), "plan.groups[1].records[0]", more(-1))},
	{name: "merged strata that are said to be published", want: "strata", base: "strata merged",
		do: put("report.strata.published", true, "report.stated.columns", func(old any) any {
			i := slices.IndexFunc(old.([]any), func(c any) bool { return c.(map[string]any)["name"] == "d" })
			old.([]any)[i].(map[string]any)["fate"] = "published in clear"
			return old
		})},
}
