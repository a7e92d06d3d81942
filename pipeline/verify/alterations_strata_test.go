package verify_test

import (
	"math/big"
	"testing"
)

// ofStrata change what plan and report say of strata.
var ofStrata = []alteration{
	// Counts and names.
	{name: "records of a group", want: "row sums", base: "strata apart", do: func(_ *testing.T, r *release) {
		p, _ := r.groups()
		c := p[0].(map[string]any)["counts"].([]any)
		c[0] = more(1)(c[0])
	}},
	{name: "records moved to another group", want: "strata", base: "strata apart", do: recounted(1)},
	{name: "a negative count", want: "row sums", base: "strata apart", do: recounted(1 << 40)},
	{name: "a stratum in two groups", want: "row sums", base: "strata apart",
		do: grouped(0, "strata", to([]any{"0", "1"}))},
	{name: "a stratum under another name", want: "strata of records", base: "strata apart",
		do: grouped(0, "strata", to([]any{"00"}))},
	{name: "two strata exchanged", want: "strata of records", base: "strata apart", do: func(t *testing.T, r *release) {
		grouped(0, "strata", to([]any{"9"}))(t, r)
		grouped(9, "strata", to([]any{"0"}))(t, r)
	}},
	{name: "another column", want: "strata of records", base: "strata apart", do: func(_ *testing.T, r *release) {
		at(r.plan, "strata")["of"], at(r.report, "strata")["column"] = "k", "k"
	}},
	{name: "a function of the column", want: "strata of records", base: "strata apart", do: both("strata", "function",
		to("weekday"))},
	{name: "a group without a name", want: "strata of records", base: "strata apart",
		do: grouped(4, "strata", to([]any{}))},
	{name: "no groups", want: "row sums", base: "strata apart", do: func(_ *testing.T, r *release) {
		r.plan["groups"], at(r.report, "strata")["groups"] = []any{}, []any{}
	}},
	{name: "no strata in the plan", want: "strata", base: "strata shared", do: func(_ *testing.T, r *release) {
		p, _ := r.groups()
		r.plan["groups"], at(r.plan, "design")["kind"] = p[:1], "safe"
		delete(p[0].(map[string]any), "strata")
		delete(r.plan, "strata")
		r.share()
	}},
	// Merging.
	{name: "strata merged that need not be", want: "strata of records", base: "strata merged", do: moved(0, 8)},
	{name: "a stratum taken out of the rest", want: "strata of records", base: "strata merged", do: moved(8, 0)},
	{name: "the rest no longer one", want: "strata", base: "strata merged", do: func(t *testing.T, r *release) {
		grouped(8, "rest", to(false))(t, r)
		at(r.report, "strata")["merged"] = 0
	}},
	{name: "a group that takes what is not named", want: "strata", base: "strata apart",
		do: grouped(4, "rest", to(true))},
	{name: "two rests", want: "row sums", base: "strata merged", do: grouped(2, "rest", to(true))},
	{name: "strata smaller than they are merged at", want: "strata", base: "strata apart",
		do: func(_ *testing.T, r *release) {
			at(r.plan, "strata")["min"], at(r.report, "strata")["min"] = "300", 300
		}},
	// Mechanisms and factors.
	{name: "a weight moved", want: "strata", base: "strata apart", do: func(_ *testing.T, r *release) {
		a, b := r.lawCell(0), r.lawCell(1)
		if a[1] == b[1] {
			row := r.rowOf(0)
			a[1], row["total"] = more(1)(a[1]), more(1)(row["total"])
			return
		}
		a[1], b[1] = b[1], a[1]
	}},
	{name: "a weight changed, hashes as they were", want: "plan hash", base: "strata apart", plain: true,
		do: func(_ *testing.T, r *release) {
			r.lawCell(0)[1] = more(1)(r.lawCell(0)[1])
		}},
	{name: "a weight changed", want: "row sums", base: "strata apart",
		do: func(_ *testing.T, r *release) { r.lawCell(0)[1] = more(1)(r.lawCell(0)[1]) }},
	{name: "an output left out", want: "strata", base: "strata shared", do: func(_ *testing.T, r *release) {
		row := r.rowOf(0)
		cells := row["outputs"].([]any)
		weight, _ := new(big.Int).SetString(cells[0].([]any)[1].(string), 10)
		row["outputs"], row["total"] = cells[1:], more(-weight.Int64())(row["total"])
	}},
	{name: "the mechanism of another group", want: "strata", base: "strata apart", do: planned(0, "mechanism", to(9))},
	{name: "the mechanism of another group, and its draws", want: "strata of records", base: "strata apart",
		do: func(t *testing.T, r *release) {
			p, _ := r.groups()
			a, b := p[0].(map[string]any), p[9].(map[string]any)
			a["mechanism"], b["mechanism"] = b["mechanism"], a["mechanism"]
		}},
	{name: "a mechanism that is not there", want: "row sums", base: "strata apart", do: planned(0, "mechanism", to(99))},
	{name: "another rule", want: "row sums", base: "strata apart", do: both("strata", "rule", to("shared"))},
	{name: "another rule for one mechanism", want: "row sums", base: "strata shared",
		do: both("strata", "rule", to("apart"))},
	{name: "a factor of a group in the plan", want: "factors", base: "strata apart", do: planned(5, "factor", smaller)},
	{name: "nats of a group", want: "factors", base: "strata apart", do: grouped(5, "nats", downOneBit)},
	{name: "the largest factor of any group", want: "epsilon", base: "strata apart",
		do: both("epsilon", "factor", smaller)},
	{name: "its nats", want: "epsilon", base: "strata apart", do: both("epsilon", "nats", downOneBit)},
	// Floors, utility, and what was weighed.
	{name: "the floor of a group", want: "floor", base: "strata apart", do: grouped(2, "rank", plus(1))},
	{name: "the value of a group", want: "floor", base: "strata apart", do: grouped(2, "value", plus(1))},
	{name: "the floor of all groups", want: "strata", base: "strata apart", do: both("floor", "rank", plus(1))},
	{name: "the utility of a group", want: "utility", base: "strata apart", do: grouped(2, "expected", plus(1e-6))},
	{name: "the utility of all groups", want: "strata", base: "strata apart",
		do: both("utility", "expected", plus(1e-6))},
	{name: "the design that was taken, as it was weighed", want: "strata", base: "strata apart",
		do: func(_ *testing.T, r *release) {
			for _, d := range []map[string]any{r.plan, r.report} {
				for _, e := range at(d, "strata")["tried"].([]any) {
					if e := e.(map[string]any); e["rule"] == "apart" {
						e["rank"] = plus(1)(e["rank"])
					}
				}
			}
		}},
	{name: "a better design than the one that was taken", want: "strata", base: "strata apart",
		do: func(_ *testing.T, r *release) {
			for _, d := range []map[string]any{r.plan, r.report} {
				for _, e := range at(d, "strata")["tried"].([]any) {
					if e := e.(map[string]any); e["rule"] == "shared" {
						e["found"], e["rank"] = true, 5
					}
				}
			}
		}},
	{name: "the share of unchanged records", want: "utility", base: "strata preferred",
		do: func(_ *testing.T, r *release) {
			share := plus(-1e-6)(at(r.plan, "utility")["unchanged"])
			at(r.plan, "utility")["unchanged"], at(r.report, "utility")["unchanged_expected"] = share, share
		}},
	{name: "headroom that is left only as long as no record changes its stratum", want: "headroom", base: "strata both",
		do: func(_ *testing.T, r *release) {
			reached, _ := new(big.Rat).SetString(at(r.plan, "epsilon")["factor"].(string))
			share := new(big.Rat).Quo(big.NewRat(24596, 10000), reached)
			share.Sub(share, big.NewRat(1, 1))
			r.plan["headroom"] = map[string]any{"share": share.RatString(), "target": "log(" + reached.RatString() + ")"}
			at(r.report, "design")["headroom"] = share.RatString()
		}},
	{name: "a value that is not drawn alike in one group", want: "values treated alike", base: "strata rare",
		do: func(t *testing.T, r *release) {
			o := at(r.plan, "other")
			merged := o["merged"].([]any)
			for _, row := range r.law()["rows"].([]any) {
				if row := row.(map[string]any); row["input"] == merged[0] {
					a := row["outputs"].([]any)[0].([]any)
					a[1], row["total"] = more(1)(a[1]), more(1)(row["total"])
				}
			}
		}},
	{name: "a common value among those that are drawn alike", want: "values treated alike", base: "strata rare",
		do: func(_ *testing.T, r *release) {
			at(r.plan, "other")["min_count"], at(r.report, "other")["min_count"] = 2, 2
		}},
	// Another prior than the records.
	{name: "records of a group beside its prior", want: "row sums", base: "strata smoothed",
		do: func(_ *testing.T, r *release) {
			p, _ := r.groups()
			for i, d := range []int64{1, -1} {
				c := p[i].(map[string]any)["records"].([]any)
				c[0] = more(d)(c[0])
			}
		}},
	{name: "a group to which less was added", want: "row sums", base: "strata smoothed",
		do: func(_ *testing.T, r *release) {
			p, _ := r.groups()
			for i, d := range []int64{1, -1} {
				c := p[i].(map[string]any)["counts"].([]any)
				c[0] = more(d)(c[0])
			}
		}},
	{name: "what is told relative to the records of another prior", want: "stratum and output", base: "strata smoothed",
		do: func(_ *testing.T, r *release) { delete(at(r.report, "strata"), "own") }},
	{name: "records that were given up", want: "claims", base: "strata smoothed", do: both("prior", "only", to(true))},
	// Whoever does not know the stratum.
	// The population.
	// The file.
	{name: "a stratum drawn from a mechanism that is not its own", want: "strata of records", base: "strata apart",
		do: func(t *testing.T, r *release) {
			outputs := r.outputs()
			r.redraw(t, outputs, func(row int64, y int32) int32 {
				if row%11 == 0 {
					return int32(len(outputs)-1) - y
				}
				return y
			})
		}},
}
