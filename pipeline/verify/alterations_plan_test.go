package verify_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// ofPlan change the plan, and what the report says of it.
var ofPlan = []alteration{
	// The plan.
	{name: "one group that has a name", base: "weights", want: "row sums", do: alone("strata", []any{"north"})},
	{name: "one group that takes what is not named", base: "weights", want: "row sums", do: alone("rest", true)},
	{name: "two groups that no column tells apart", base: "weights", want: "row sums",
		do: func(_ *testing.T, r *release) {
			one := r.plan["groups"].([]any)[0].(map[string]any)
			none := maps.Clone(one)
			none["counts"] = slices.Clone(one["counts"].([]any))
			for x := range none["counts"].([]any) {
				none["counts"].([]any)[x] = "0"
			}
			r.plan["groups"] = []any{one, none}
		}},
	{name: "a weight moved", base: "weights", want: "factors", do: func(t *testing.T, r *release) {
		c := r.cellsOf(0)
		a, b := c[0].([]any), c[1].([]any)
		a[1], b[1] = b[1], a[1]
	}},
	{name: "a weight moved, hashes as they were", base: "weights", want: "plan hash", plain: true,
		do: func(t *testing.T, r *release) {
			c := r.cellsOf(0)
			a, b := c[0].([]any), c[1].([]any)
			a[1], b[1] = b[1], a[1]
		}},
	{name: "no level", want: "floor", base: "level", do: func(_ *testing.T, r *release) {
		delete(at(r.report, "floor"), "level")
	}},
	{name: "a level of an order that has none", want: "floor", base: "by value", do: func(_ *testing.T, r *release) {
		at(r.report, "floor")["level"] = map[string]any{"at": 1, "of": 2}
	}},
	{name: "by rank, and it was by level", want: "options", base: "level", do: func(_ *testing.T, r *release) {
		options, _ := r.report["options"].([]any)
		r.report["options"] = append(options, map[string]any{"name": "floor-by", "value": "rank", "origin": "flag"})
	}},
	{name: "a level design out of proportion", want: "proportions", base: "level", do: func(t *testing.T, r *release) {
		var cells [][2]any
		for i, c := range r.cellsOf(0) {
			cells = append(cells, [2]any{c.([]any)[0], int64(i + 7)})
		}
		r.setCells(0, cells...)
	}},
	{name: "a weight moved in a safe design", want: "support", base: "safe", do: func(t *testing.T, r *release) {
		r.setCells(0, [2]any{"a", int64(3)}, [2]any{"b", int64(1)})
	}},
	{name: "a safe design that prefers one output", want: "support", base: "safe", do: func(t *testing.T, r *release) {
		r.setCells(0, [2]any{"a", int64(2)}, [2]any{"b", int64(1)}, [2]any{"c", int64(1)}, [2]any{"d", int64(1)},
			[2]any{"e", int64(1)})
	}},
	{name: "an output forbidden at the lowest floor", want: "support", base: "safe", do: func(t *testing.T, r *release) {
		r.order = []byte(strings.Replace(string(r.order), "\na,0,-1,-2,-3,-4", "\na,0,-1,-2,-3,-inf", 1))
	}},
	{name: "records below a floor that was raised", want: "forbidden cells", base: "floor fixed",
		do: func(t *testing.T, r *release) { at(r.plan, "floor")["at"] = 5 }},
	{name: "a total off by one", base: "weights", want: "row sums", do: func(t *testing.T,
		r *release) {
		r.rowOf(1)["total"] = "4611686018427387903"
	}},
	{name: "a forbidden cell in the plan", want: "support", base: "floor fixed", do: func(t *testing.T, r *release) {
		r.setCells(0, [2]any{"a", int64(1)}, [2]any{"e", int64(1)})
	}},
	{name: "a weight of 0", base: "weights", want: "row sums", do: func(t *testing.T, r *release) {
		r.setCells(0, [2]any{"a", int64(0)},
			[2]any{"b", int64(9)})
	}},
	{name: "a negative weight", base: "weights", want: "row sums", do: func(t *testing.T,
		r *release) {
		r.setCells(0, [2]any{"a", int64(-1)}, [2]any{"b", int64(9)})
	}},
	{name: "outputs of a row out of order", base: "weights", want: "row sums", do: func(t *testing.T,
		r *release) {
		slices.Reverse(r.cellsOf(0))
	}},
	{name: "a row of the plan dropped", base: "weights", want: "row sums", do: func(t *testing.T, r *release) {
		m := r.law()
		m["rows"] = m["rows"].([]any)[1:]
	}},
	{name: "rows swapped between letters", want: "support", base: "floor fixed", do: func(t *testing.T, r *release) {
		a, b := r.rowOf(0), r.rowOf(4)
		a["outputs"], b["outputs"] = b["outputs"], a["outputs"]
		a["total"], b["total"] = b["total"], a["total"]
	}},
	{name: "a count raised by one", base: "weights", want: "counts", do: func(t *testing.T, r *release) {
		r.counts()[2] = fmt.Sprint(number(json.Number(r.counts()[2].(string))) + 1)
	}},
	{name: "a count dropped", base: "weights", want: "prior",
		do: func(t *testing.T, r *release) { r.plan["counts"] = r.counts()[1:] }},
	{name: "bins of other values", want: `"a type that the plan's bins are not of"`, base: "bins",
		do: func(t *testing.T, r *release) { at(r.plan, "bins")["of"] = "integer" }},
	{name: "bins that are none", want: `"bins that are none"`, base: "bins",
		do: func(t *testing.T, r *release) { at(r.plan, "bins")["spec"] = "5,1" }},
	{name: "no bins", want: `"never privatized"`, base: "bins",
		do: func(t *testing.T, r *release) { delete(r.plan, "bins") }},
	{name: "the bins of two counts swapped", want: "counts", base: "bins", do: func(t *testing.T, r *release) {
		r.counts()[0], r.counts()[1] = r.counts()[1], r.counts()[0]
	}},
	{name: "bins published as their middle", want: "bins", base: "bins",
		do: func(t *testing.T, r *release) { at(r.plan, "bins")["as"] = "middle" }},
	{name: "other bins in the report", want: "domain", base: "bins",
		do: func(t *testing.T, r *release) { at(at(r.report, "domain"), "bins")["spec"] = "width:5" }},
	{name: "other bins in the report and its sentence", want: "domain", base: "bins",
		do: func(t *testing.T, r *release) {
			at(at(r.report, "domain"), "bins")["spec"] = "width:5"
			c := r.claimOf("bins")
			c["asked"], c["words"] = "width:5", strings.Replace(c["words"].(string), "their edges are", "each is 5 wide, "+
				"and one begins at 0,", 1)
		}},
	{name: "bins without any", base: "weights", want: "domain", do: func(t *testing.T, r *release) {
		at(r.report, "domain")["bins"] = map[string]any{"spec": "width:5", "of": "integer", "as": "text"}
	}},
	{name: "an input renamed everywhere", base: "weights", want: "counts", do: func(t *testing.T, r *release) {
		r.plan["inputs"].([]any)[4], r.rowOf(4)["input"] = "f", "f"
		r.order = []byte(strings.Replace(string(r.order), "\ne,", "\nf,", 1))
	}},
	{name: "an input renamed", base: "weights", want: "row sums",
		do: func(t *testing.T, r *release) { r.plan["inputs"].([]any)[4] = "f" }},
	{name: "inputs out of order", base: "weights", want: "values", do: func(t *testing.T,
		r *release) {
		slices.Reverse(r.plan["inputs"].([]any))
	}},
	{name: "an output twice", base: "weights", want: "values",
		do: func(t *testing.T, r *release) { r.plan["outputs"].([]any)[1] = "a" }},
	{name: "null in the midst", base: "weights", want: "values", do: func(t *testing.T,
		r *release) {
		r.plan["outputs"].([]any)[1] = nil
	}},
	{name: "the floor raised", want: "support", base: "floor fixed",
		do: func(t *testing.T, r *release) { at(r.plan, "floor")["at"] = 5 }},
	{name: "the floor turned into a value", want: "support", base: "floor fixed",
		do: func(t *testing.T, r *release) { at(r.plan, "floor")["by"] = "value" }},
	{name: "the floor's rank raised", base: "weights", want: "floor", do: both("floor", "rank", plus(1))},
	{name: "the floor's value raised", base: "weights", want: "floor", do: both("floor", "value", plus(1))},
	{name: "a better floor asked for", base: "weights", want: "floor", do: both("floor", "asked", to("rank >= 5"))},
	{name: "a factor rounded down", base: "weights", want: "epsilon", do: both("epsilon", "factor", smaller)},
	{name: "nats rounded down", base: "weights", want: "epsilon", do: both("epsilon", "nats", downOneBit)},
	{name: "nats far above", base: "weights", want: "epsilon", do: both("epsilon", "nats", plus(1e-6))},
	{name: "a least epsilon off its grid", want: "target", base: "least",
		do: both("epsilon", "target", func(old any) any { return old.(string) + "1" })},
	{name: "a least epsilon above the promise", want: "target", base: "least",
		do: both("epsilon", "target", to("3.500"))},
	{name: "another promise than the sentences have", want: "claims", base: "least",
		do: both("epsilon", "asked", to("log(31)"))},
	{name: "another promise than the options have", want: "target", base: "least", do: func(t *testing.T, r *release) {
		both("epsilon", "asked", to("log(31)"))(t, r)
		r.report["options"] = []any{map[string]any{"name": "epsilon", "value": "least", "origin": "flag"},
			map[string]any{"name": "at-most", "value": "log(30)", "origin": "flag"}}
	}},
	{name: "a least epsilon that was none", want: "target", base: "floor fixed", do: both("epsilon", "least", to(true))},
	{name: "a least epsilon that is called lowered", want: "target", base: "least", do: both("epsilon", "least",
		to(false))}, {name: "the least where the floor was chosen, too", want: "target", base: "least",
		do: both("floor", "asked", to("best"))},
	{name: "the target no number", base: "weights", want: "target", do: both("epsilon", "target", to("0x1p3"))},
	{name: "the target other than the options say", base: "weights", want: "target", do: func(t *testing.T, r *release) {
		r.report["options"] = []any{map[string]any{"name": "epsilon", "value": "0.8", "origin": "flag"}}
	}},
	{name: "lower_factor raised", base: "weights", want: "certificate", do: both("certificate", "lower_factor", larger)},
	{name: "lower_factor raised to the factor reached", base: "weights", want: "certificate",
		do: func(t *testing.T, r *release) {
			both("certificate", "lower_factor", to(at(r.plan, "epsilon")["factor"]))(t, r)
			both("certificate", "upper_factor", to(at(r.plan, "epsilon")["factor"]))(t, r)
		}},
	{name: "an entry of pi changed", base: "weights", want: "certificate",
		do: func(t *testing.T, r *release) { r.pi()[3] = "0" }},
	{name: "pi in other order", base: "weights", want: "certificate",
		do: func(t *testing.T, r *release) { slices.Reverse(r.pi()) }},
	{name: "pi left out", base: "weights", want: "certificate", do: func(t *testing.T, r *release) {
		delete(at(r.plan, "certificate"),
			"pi")
	}},
	{name: "pi too short", base: "weights", want: "certificate", do: func(t *testing.T,
		r *release) {
		at(r.plan, "certificate")["pi"] = r.pi()[1:]
	}},
	{name: "pi negative", base: "weights", want: "certificate", do: func(t *testing.T, r *release) { r.pi()[1] = "-5" }},
	{name: "pi proportional to the prior", base: "weights", want: "certificate", do: func(t *testing.T, r *release) {
		copy(r.pi(), r.counts())
		both("certificate", "lower_factor", to("4"))(t, r)
	}},
	{name: "upper_factor below lower_factor", base: "weights", want: "bracket",
		do: both("certificate", "upper_factor", to("1"))},
	{name: "upper_factor above the factor", base: "weights", want: "bracket",
		do: both("certificate", "upper_factor", to("1000"))},
	{name: "a fraction not in lowest terms", base: "weights", want: "bracket", do: both("certificate", "upper_factor",
		func(old any) any { return old.(string) + "0/10" })},
	{name: "an optimal design called safe", base: "weights", want: "support", do: both("design", "kind", to("safe"))},
	{name: "another design hash", base: "weights", want: "design hash", plain: true, do: said("plan", "design_sha256",
		strings.Repeat("0", 64))},
	{name: "another plan hash", base: "weights", want: `"is not the plan of"`, plain: true,
		do: said("plan", "plan_sha256",
			strings.Repeat("0", 64))},
	{name: "another column", base: "weights", want: `"is not the plan of"`, do: func(t *testing.T,
		r *release) {
		r.report["column"] = "d"
	}},
	{name: "a column that is not there", base: "weights", want: `"has no column"`, do: func(t *testing.T, r *release) {
		r.report["column"],
			r.plan["column"] = "x", "x"
	}},
	{name: "the null rule changed", want: "nulls", base: "letters",
		do: func(t *testing.T, r *release) { at(r.report, "nulls")["rule"] = "public" }},
	{name: "what a value tells by being there, smaller", want: "nulls", base: "public",
		do: func(t *testing.T, r *release) {
			at(r.report, "nulls")["value_factor"] = smaller(at(r.report, "nulls")["value_factor"])
		}},
	{name: "what a value tells by being there, unsaid", want: "nulls", base: "public",
		do: func(t *testing.T, r *release) {
			delete(at(r.report, "nulls"), "value_factor")
			delete(at(r.report, "nulls"), "value_nats")
		}},
	{name: "what a value tells rounded down", want: "nulls", base: "public", do: func(t *testing.T, r *release) {
		at(r.report, "nulls")["value_nats"] = downOneBit(at(r.report, "nulls")["value_nats"])
	}},
	{name: "what a null tells rounded down", want: "nulls", base: "public", do: func(t *testing.T, r *release) {
		at(r.report, "nulls")["nats"] = downOneBit(at(r.report, "nulls")["nats"])
	}},
}
