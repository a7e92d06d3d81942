package verify_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// zeros are the hash of nothing that there is.
var zeros = strings.Repeat("0", 64)

// option is the list of options of a report that holds this one alone.
func option(name, value string) []any {
	return []any{map[string]any{"name": name, "value": value, "origin": "flag"}}
}

// tail is a list without its first.
func tail(list any) any { return list.([]any)[1:] }

// reordered changes the text of order.csv.
func reordered(change func(string) string) change {
	return func(_ *testing.T, r *release) { r.order = []byte(change(string(r.order))) }
}

// ofPlan change plan, order and report.
var ofPlan = slices.Concat(of(hashed, []row{
	// The plan.
	{"weights", "one group that has a name", "strata", put("plan.groups[0].strata", []any{"north"})},
	{"level", "by rank, and it was by level", "options", put("report.stated.options", func(old any) any {
		options, _ := old.([]any)
		return append(options, option("floor-by", "rank")...)
	})},
	{"safe", "an output forbidden at the lowest floor", "order as asked",
		reordered(replace("\na,0,-1,-2,-3,-4", "\na,0,-1,-2,-3,-inf"))},
	{"weights", "a total off by one", "row sums", put("plan.mechanisms[0].rows[1].total", "4611686018427387903")},
	{"weights", "a count dropped", "prior", put("plan.counts", tail)},
	{"bins", "bins of other values", `"a type that the plan's bins are not of"`, put("plan.bins.of", "integer")},
	{"bins", "bins that are none", `"bins that are none"`, put("plan.bins.spec", "5,1")},
	{"bins", "no bins", `"never privatized"`, put("plan.bins", gone{})},
	{"weights", "an input renamed", "row sums", put("plan.inputs[4]", "f")},
	{"weights", "an output twice", "values", put("plan.outputs[1]", "a")},
	{"weights", "null in the midst", "values", put("plan.outputs[1]", nil)},
	{"weights", "a better floor asked for", "floor", put("both.floor.asked", "rank >= 5")},
	{"weights", "the target no number", "target", put("both.epsilon.target", "0x1p3")},
	{"weights", "the target other than the options say", "options",
		put("report.stated.options", option("epsilon", "0.8"))},
	{"weights", "pi too short", "certificate", put("plan.certificate.pi", tail)},
	{"weights", "upper_factor below lower_factor", "bracket", put("both.certificate.upper_factor", "1")},
	{"weights", "a fraction not in lowest terms", "bracket",
		put("both.certificate.upper_factor", func(old any) any { return old.(string) + "0/10" })},
	{"weights", "a column that is not there", `"has no column"`, put("both.column", "x")},
	{"weights", "an order cell NaN", "order", reordered(replace("\na,0,", "\na,NaN,"))},
	{"weights", "an order row dropped", "order",
		reordered(func(s string) string { return s[:strings.LastIndex(strings.TrimSpace(s), "\n")+1] })},
	{"weights", "an order quote never closed", "order", reordered(add(`"`))},
	{"letters", "nulls called public", "values", put("plan.null", "public")},
	{"weights", "the stamp taken off", "options",
		put("report.stated.stamp", gone{}, "report.stated.options", option("test-seed", "(given)"))},
	// Documents that are none.
	{"weights", "another version", `"tacet.report/v3"`, put("report.schema", "tacet.report/v1")},
	{"weights", "a plan of another version", `"tacet.plan/v2"`, put("plan.schema", "tacet.plan/v1")},
	{"shares", "a larger limit", "max shift", put("plan.shares.limit", "1/10")},
	{"shares", "values that are not kept", "max shift", put("plan.shares.keep_values", true)},
	{"near", "another preference", "max shift", put("both.utility.prefer", "utility")},
	{"weights", "an unknown member", "told again", put("report.epsilon.delta", 0)},
	{"weights", "a member in capitals", `"not known"`, put("report.epsilon.Nats", 0)},
	// Records that stand without doubt, and other counts than the plan's.
	{"certain some", "not asked, but said", "options",
		put("report.certainty.unchanged_allowed", true, "report.stated.options", option("allow", ""))},
	{"part", "no part", "counts", put("report.prior.part", gone{})},
	{"part", "not as an option", "options",
		put("report.stated.options", option("part-of-plan", "false"))},
	{"part", "more records of a value than the plan counts", "counts",
		func(_ *testing.T, r *release) { r.counts()[len(r.counts())-1] = "3" }},
	{"prior given up", "records that were given up, promised all the same", "target",
		put("plan.prior.only", gone{}, "report.prior.only", gone{}, "report.stated.options", []any{})},
	// Strata.
	{"strata apart", "records of a group", "strata", put("plan.groups[0].counts[0]", more(1))},
	{"strata apart", "a negative count", "strata", recounted(1 << 40)},
	{"strata apart", "a stratum in two groups", "strata", put("both.groups[0].strata", []any{"0", "1"})},
	{"strata apart", "a stratum under another name", "counts", put("both.groups[0].strata", []any{"00"})},
	{"strata apart", "a function of the column", "told again", put("both.strata.function", "weekday")},
	{"strata apart", "a group without a name", "strata", put("both.groups[4].strata", []any{})},
	{"strata apart", "strata smaller than they are merged at", "strata",
		put("plan.strata.min", "300", "report.strata.min", 300)},
	{"strata apart", "the mechanism of another group, and its draws", "factors",
		func(t *testing.T, r *release) {
			groups := r.plan["groups"].([]any)
			a, b := groups[0].(map[string]any), groups[9].(map[string]any)
			a["mechanism"], b["mechanism"] = b["mechanism"], a["mechanism"]
		}},
	{"strata apart", "another rule", "strata", put("both.strata.rule", "shared")},
	{"strata apart", "the floor of a group", "floor", put("both.groups[2].rank", plus(1))},
	{"strata smoothed", "records of a group beside its prior", "strata",
		put("plan.groups[0].records[0]", more(1), "plan.groups[1].records[0]", more(-1))},
	{"strata merged", "merged strata that are said to be published", "strata",
		put("report.strata.published", true, "report.stated.columns", func(old any) any {
			i := slices.IndexFunc(old.([]any), func(c any) bool { return c.(map[string]any)["name"] == "d" })
			old.([]any)[i].(map[string]any)["fate"] = "published in clear"
			return old
		})},
}), of(written, []row{
	{"weights", "another plan hash", `"is not the plan of"`, put("report.plan.plan_sha256", zeros)},
	// The order.
	{"weights", "an order cell changed", "order hash",
		func(t *testing.T, r *release) { r.order[len(r.order)-2] = '5' }},
	// The report.
	{"weights", "another input hash", `"another file than the input"`, put("report.input.sha256", zeros)},
	{"weights", "no output hash though there was one", "output hash",
		put("report.output.sha256", "", "report.stated.options", option("hash", "sha256"))},
}), unseen(of(hashed, []row{
	{"elsewhere", "a count that is no number", "told again", put("report.prior.counts[0]", "-1")},
	{"elsewhere", "the plan's own counts", "plan as made",
		func(_ *testing.T, r *release) { at(r.report, "prior")["counts"] = r.plan["counts"] }},
	{"elsewhere", "a run that followed nothing", "plan as made", put("report.command", "run")},
})))

// setApart puts the rows of the plan into a file of their own, as plans have them with
// millions of weights. The documents are hashed and stated anew.
func (r *release) setApart(t *testing.T, change func([]byte) []byte) {
	t.Helper()
	place := map[string]int{}
	for y, l := range r.plan["outputs"].([]any) {
		place[fmt.Sprint(l)] = y
	}
	data := []byte("tacetw1\n")
	for x := range r.plan["inputs"].([]any) {
		cells, last := r.cellsOf(x), -1
		data = binary.AppendUvarint(data, uint64(len(cells)))
		for _, c := range cells {
			pair := c.([]any)
			y := place[fmt.Sprint(pair[0])]
			w, err := strconv.ParseUint(pair[1].(string), 10, 64)
			must(t, err)
			data, last = binary.AppendUvarint(binary.AppendUvarint(data, uint64(y-last)), w), y
		}
	}
	r.redesign()
	data = change(data)
	delete(r.law(), "rows")
	r.law()["weights_sha256"] = hexSum(data)
	must(t, os.WriteFile(r.path("plan.weights"), data, 0o600))
	r.save(t, true)
}

// apart changes the weights that stand beside a plan.
func apart(change func([]byte) []byte) change {
	return func(t *testing.T, r *release) {
		r.setApart(t, func(b []byte) []byte { return change(slices.Clone(b)) })
	}
}

// claimed says otherwise in the plan what stands beside it.
func claimed(member string, value any) change {
	return each(apart(slices.Clone), put("plan.mechanisms[0]."+member, value), hashed)
}

// ofWeights change rows that stand beside the plan.
var ofWeights = of(asItLies, []row{
	{"weights", "weights apart: cut short", "row sums", apart(func(b []byte) []byte { return b[:len(b)-1] })},
	{"weights", "weights apart: empty", "row sums", apart(func([]byte) []byte { return nil })},
	{"weights", "weights apart: a byte more", "row sums", apart(func(b []byte) []byte { return append(b, 1) })},
	{"weights", "weights apart: more outputs than there are", "row sums",
		apart(func(b []byte) []byte { b[8] = 9; return b })},
	{"weights", "weights apart: a weight changed", "told again", apart(func(b []byte) []byte { b[10] ^= 1; return b })},
	{"weights", "weights apart: rows in the plan, too", "row sums", claimed("rows",
		[]any{map[string]any{"input": "a", "total": "1", "outputs": []any{[]any{"a", "1"}}}})},
	{"weights", "weights apart: another file than the plan's", "row sums", claimed("weights_sha256", hexSum(nil))},
	{"weights", "weights apart: a file that the plan does not name", "stated weights", claimed("weights_sha256", gone{})},
})
