package verify

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/verify/document"
)

// An alteration is something a forger does to a release. The forger makes
// every hash fit unless plain is set. want names a check that has to fail, or,
// in quotes, part of the message with which the files are refused.
type alteration struct {
	name, want string
	plain      bool
	base       string // of jobs; "" is optimal
	do         func(t *testing.T, r *release)
}

// both sets a member of plan and report.
func both(object, member string, value func(old any) any) func(*testing.T, *release) {
	return func(_ *testing.T, r *release) {
		v := value(at(r.plan, object)[member])
		at(r.plan, object)[member] = v
		other := map[string]string{"certificate": "design", "mechanism": "design"}[object]
		if other == "" {
			other = object
		}
		at(r.report, other)[member] = v
	}
}

// said sets a member of an object of the report alone.
func said(object, member string, value any) func(*testing.T, *release) {
	return func(_ *testing.T, r *release) { at(r.report, object)[member] = value }
}

// alone sets a member of the group of a plan that has one.
func alone(member string, value any) func(*testing.T, *release) {
	return func(_ *testing.T, r *release) { r.plan["groups"].([]any)[0].(map[string]any)[member] = value }
}

func to(v any) func(any) any { return func(any) any { return v } }

func plus(d float64) func(any) any {
	return func(old any) any { return number(old) + d }
}

func number(v any) float64 {
	f, err := v.(json.Number).Float64()
	if err != nil {
		panic(err)
	}
	return f
}

func firstOutput(member string, value func(old any) any) func(*testing.T, *release) {
	return func(_ *testing.T, r *release) {
		o := r.report["outputs"].([]any)[0].(map[string]any)
		o[member] = value(o[member])
	}
}

// ofShares changes a member of what the plan says of shares.
func ofShares(path string, value func(old any) any) func(*testing.T, *release) {
	return func(_ *testing.T, r *release) {
		o, member := at(r.plan, "shares"), path
		if of, name, ok := strings.Cut(path, "."); ok {
			o, member = o[of].(map[string]any), name
		}
		o[member] = value(o[member])
	}
}

// priced makes a list of a proof larger by what moves its bound.
func priced(bound, list string) func(*testing.T, *release) {
	return func(_ *testing.T, r *release) {
		all := at(r.plan, "shares")[bound].(map[string]any)[list].([]any)
		for i := range all {
			n, _ := new(big.Int).SetString(all[i].(string), 10)
			all[i] = n.Sub(n, big.NewInt(1<<50)).String()
			if list == "level" {
				all[i] = n.Add(n, big.NewInt(1<<57)).String()
			}
		}
	}
}

// figureOf changes a figure of the report.
func figureOf(object, member string, value func(old any) any) func(*testing.T, *release) {
	return func(_ *testing.T, r *release) { at(r.report, object)[member] = value(at(r.report, object)[member]) }
}

// first is the first object of a list.
func first(list any) map[string]any { return list.([]any)[0].(map[string]any) }

// smaller takes a little from a fraction.
func smaller(old any) any {
	f, _ := new(big.Rat).SetString(old.(string))
	return f.Mul(f, big.NewRat(999_999, 1_000_000)).RatString()
}

func larger(old any) any {
	f, _ := new(big.Rat).SetString(old.(string))
	return f.Mul(f, big.NewRat(1_000_001, 1_000_000)).RatString()
}

func downOneBit(old any) any { return math.Nextafter(number(old), 0) }

// cellsOf are the cells of row x of the mechanism.
func (r *release) cellsOf(x int) []any { return r.rowOf(x)["outputs"].([]any) }

// setCells gives row x other cells, and the total that is theirs.
func (r *release) setCells(x int, cell ...[2]any) {
	total := int64(0)
	list := []any{}
	for _, c := range cell {
		total += c[1].(int64)
		list = append(list, []any{c[0], fmt.Sprint(c[1])})
	}
	r.rowOf(x)["outputs"], r.rowOf(x)["total"] = list, fmt.Sprint(total)
}

func (r *release) counts() []any { return r.plan["counts"].([]any) }

func (r *release) pi() []any { return at(r.plan, "certificate")["pi"].([]any) }

var papers = []alteration{
	// The plan.
	{name: "one group that has a name", want: "row sums", do: alone("strata", []any{"north"})},
	{name: "one group that takes what is not named", want: "row sums", do: alone("rest", true)},
	{name: "two groups that no column tells apart", want: "row sums", do: func(_ *testing.T, r *release) {
		one := r.plan["groups"].([]any)[0].(map[string]any)
		none := maps.Clone(one)
		none["counts"] = slices.Clone(one["counts"].([]any))
		for x := range none["counts"].([]any) {
			none["counts"].([]any)[x] = "0"
		}
		r.plan["groups"] = []any{one, none}
	}},
	{name: "a weight moved", want: "factors", do: func(t *testing.T, r *release) {
		c := r.cellsOf(0)
		a, b := c[0].([]any), c[1].([]any)
		a[1], b[1] = b[1], a[1]
	}},
	{name: "a weight moved, hashes as they were", want: "plan hash", plain: true, do: func(t *testing.T, r *release) {
		c := r.cellsOf(0)
		a, b := c[0].([]any), c[1].([]any)
		a[1], b[1] = b[1], a[1]
	}},
	{name: "a better level than any row keeps", want: "floor", base: "by level", do: func(_ *testing.T, r *release) {
		at(at(r.report, "floor"), "level")["at"] = 3
	}},
	{name: "a level of another hierarchy", want: "floor", base: "level", do: func(_ *testing.T, r *release) {
		at(at(r.report, "floor"), "level")["of"] = 2
	}},
	{name: "no level", want: "floor", base: "level", do: func(_ *testing.T, r *release) {
		delete(at(r.report, "floor"), "level")
	}},
	{name: "a level of an order that has none", want: "floor", base: "by value", do: func(_ *testing.T, r *release) {
		at(r.report, "floor")["level"] = map[string]any{"at": 1, "of": 2}
	}},
	{name: "a better level in the words of the claim", want: "claims", base: "by level",
		do: func(t *testing.T, r *release) {
			changed := 0
			for _, c := range r.report["claims"].([]any) {
				c := c.(map[string]any)
				for member, said := range c {
					if words, ok := said.(string); ok && strings.Contains(words, "level 2 of 3") {
						c[member] = strings.Replace(words, "level 2 of 3", "level 3 of 3", 1)
						changed++
					}
				}
			}
			if changed == 0 {
				t.Error("no claim names level 2 of 3")
			}
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
	{name: "a total off by one", want: "row sums", do: func(t *testing.T,
		r *release) {
		r.rowOf(1)["total"] = "4611686018427387903"
	}},
	{name: "a forbidden cell in the plan", want: "support", base: "floor fixed", do: func(t *testing.T, r *release) {
		r.setCells(0, [2]any{"a", int64(1)}, [2]any{"e", int64(1)})
	}},
	{name: "a weight of 0", want: "row sums", do: func(t *testing.T, r *release) {
		r.setCells(0, [2]any{"a", int64(0)},
			[2]any{"b", int64(9)})
	}},
	{name: "a negative weight", want: "row sums", do: func(t *testing.T,
		r *release) {
		r.setCells(0, [2]any{"a", int64(-1)}, [2]any{"b", int64(9)})
	}},
	{name: "outputs of a row out of order", want: "row sums", do: func(t *testing.T,
		r *release) {
		slices.Reverse(r.cellsOf(0))
	}},
	{name: "a row of the plan dropped", want: "row sums", do: func(t *testing.T, r *release) {
		m := r.law()
		m["rows"] = m["rows"].([]any)[1:]
	}},
	{name: "rows swapped between letters", want: "support", base: "floor fixed", do: func(t *testing.T, r *release) {
		a, b := r.rowOf(0), r.rowOf(4)
		a["outputs"], b["outputs"] = b["outputs"], a["outputs"]
		a["total"], b["total"] = b["total"], a["total"]
	}},
	{name: "a count raised by one", want: "counts", do: func(t *testing.T, r *release) {
		r.counts()[2] = fmt.Sprint(number(json.Number(r.counts()[2].(string))) + 1)
	}},
	{name: "two counts swapped", want: "counts", do: func(t *testing.T, r *release) {
		r.counts()[0],
			r.counts()[4] = r.counts()[4], r.counts()[0]
	}},
	{name: "a count dropped", want: "prior", do: func(t *testing.T, r *release) { r.plan["counts"] = r.counts()[1:] }},
	{name: "the count of a bin raised, that of the next lowered", want: "counts", base: "bins",
		do: func(t *testing.T, r *release) {
			for i, d := range []int64{1, -1} {
				r.counts()[1+i] = fmt.Sprint(int64(number(json.Number(r.counts()[1+i].(string)))) + d)
			}
		}},
	{name: "an edge of the bins moved", want: "bins", base: "bins",
		do: func(t *testing.T, r *release) { at(r.plan, "bins")["spec"] = "-inf,0,2,5,10,25" }},
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
	{name: "a sentence with other bins", want: "claims", base: "bins", do: claiming("bins", "asked", to("width:5"))},
	{name: "a sentence that leaves edges out", want: "claims", base: "bins",
		do: claiming("bins", "words", to("Values were put into bins before anything was drawn. The edges were given, and "+
			"none was computed from the records by this program."))},
	{name: "a sentence on bins that are published as their middle", want: "claims", base: "bins",
		do: claiming("bins", "note", to("middle"))},
	{name: "no sentence on bins", want: "claims", base: "bins", do: func(t *testing.T, r *release) {
		r.report["claims"] = slices.DeleteFunc(r.report["claims"].([]any), func(c any) bool {
			return c.(map[string]any)["key"] == "bins"
		})
	}},
	{name: "bins without any", want: "domain", do: func(t *testing.T, r *release) {
		at(r.report, "domain")["bins"] = map[string]any{"spec": "width:5", "of": "integer", "as": "text"}
	}},
	{name: "an input renamed everywhere", want: "counts", do: func(t *testing.T, r *release) {
		r.plan["inputs"].([]any)[4], r.rowOf(4)["input"] = "f", "f"
		r.order = []byte(strings.Replace(string(r.order), "\ne,", "\nf,", 1))
	}},
	{name: "an input renamed", want: "row sums", do: func(t *testing.T, r *release) { r.plan["inputs"].([]any)[4] = "f" }},
	{name: "inputs out of order", want: "values", do: func(t *testing.T,
		r *release) {
		slices.Reverse(r.plan["inputs"].([]any))
	}},
	{name: "an output twice", want: "values", do: func(t *testing.T, r *release) { r.plan["outputs"].([]any)[1] = "a" }},
	{name: "null in the midst", want: "values", do: func(t *testing.T,
		r *release) {
		r.plan["outputs"].([]any)[1] = nil
	}},
	{name: "the floor raised", want: "support", base: "floor fixed",
		do: func(t *testing.T, r *release) { at(r.plan, "floor")["at"] = 5 }},
	{name: "the floor turned into a value", want: "support", base: "floor fixed",
		do: func(t *testing.T, r *release) { at(r.plan, "floor")["by"] = "value" }},
	{name: "the floor's rank raised", want: "floor", do: both("floor", "rank", plus(1))},
	{name: "the floor's value raised", want: "floor", do: both("floor", "value", plus(1))},
	{name: "a better floor asked for", want: "floor", do: both("floor", "asked", to("rank >= 5"))},
	{name: "a factor rounded down", want: "epsilon", do: both("epsilon", "factor", smaller)},
	{name: "nats rounded down", want: "epsilon", do: both("epsilon", "nats", downOneBit)},
	{name: "nats far above", want: "epsilon", do: both("epsilon", "nats", plus(1e-6))},
	{name: "the target lowered", want: "target", do: both("epsilon", "target", to("0.8999"))},
	{name: "a least epsilon off its grid", want: "target", base: "least",
		do: both("epsilon", "target", func(old any) any { return old.(string) + "1" })},
	{name: "a least epsilon above the promise", want: "target", base: "least", do: both("epsilon", "target", to("3.500"))},
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
	{name: "the target no number", want: "target", do: both("epsilon", "target", to("0x1p3"))},
	{name: "the target other than the options say", want: "target", do: func(t *testing.T, r *release) {
		r.report["options"] = []any{map[string]any{"name": "epsilon", "value": "0.8", "origin": "flag"}}
	}},
	{name: "lower_factor raised", want: "certificate", do: both("certificate", "lower_factor", larger)},
	{name: "lower_factor raised to the factor reached", want: "certificate", do: func(t *testing.T, r *release) {
		both("certificate", "lower_factor", to(at(r.plan, "epsilon")["factor"]))(t, r)
		both("certificate", "upper_factor", to(at(r.plan, "epsilon")["factor"]))(t, r)
	}},
	{name: "an entry of pi changed", want: "certificate", do: func(t *testing.T, r *release) { r.pi()[3] = "0" }},
	{name: "pi in other order", want: "certificate", do: func(t *testing.T, r *release) { slices.Reverse(r.pi()) }},
	{name: "pi left out", want: "certificate", do: func(t *testing.T, r *release) {
		delete(at(r.plan, "certificate"),
			"pi")
	}},
	{name: "pi too short", want: "certificate", do: func(t *testing.T,
		r *release) {
		at(r.plan, "certificate")["pi"] = r.pi()[1:]
	}},
	{name: "pi negative", want: "certificate", do: func(t *testing.T, r *release) { r.pi()[1] = "-5" }},
	{name: "pi proportional to the prior", want: "certificate", do: func(t *testing.T, r *release) {
		copy(r.pi(), r.counts())
		both("certificate", "lower_factor", to("4"))(t, r)
	}},
	{name: "upper_factor below lower_factor", want: "bracket", do: both("certificate", "upper_factor", to("1"))},
	{name: "upper_factor above the factor", want: "bracket", do: both("certificate", "upper_factor", to("1000"))},
	{name: "a fraction not in lowest terms", want: "bracket", do: both("certificate", "upper_factor",
		func(old any) any { return old.(string) + "0/10" })},
	{name: "an optimal design called safe", want: "support", do: both("design", "kind", to("safe"))},
	{name: "the report calls it safe", want: "bracket", do: said("design", "kind", "safe")},
	{name: "another design hash", want: "design hash", plain: true, do: said("plan", "design_sha256",
		strings.Repeat("0", 64))},
	{name: "another plan hash", want: `"is not the plan of"`, plain: true, do: said("plan", "plan_sha256",
		strings.Repeat("0", 64))},
	{name: "another column", want: `"is not the plan of"`, do: func(t *testing.T,
		r *release) {
		r.report["column"] = "d"
	}},
	{name: "a column that is not there", want: `"has no column"`, do: func(t *testing.T, r *release) {
		r.report["column"],
			r.plan["column"] = "x", "x"
	}},
	{name: "the null rule changed", want: "nulls", base: "letters",
		do: func(t *testing.T, r *release) { at(r.report, "nulls")["rule"] = "public" }},
	{name: "a null less", want: "nulls", base: "public", do: said("nulls", "count", 1)},
	{name: "what a value tells by being there, smaller", want: "nulls", base: "public",
		do: func(t *testing.T, r *release) {
			at(r.report, "nulls")["value_factor"] = smaller(at(r.report, "nulls")["value_factor"])
		}},
	{name: "what a value tells by being there, unsaid", want: "nulls", base: "public", do: func(t *testing.T, r *release) {
		delete(at(r.report, "nulls"), "value_factor")
		delete(at(r.report, "nulls"), "value_nats")
	}},
	{name: "what a value tells rounded down", want: "nulls", base: "public", do: func(t *testing.T, r *release) {
		at(r.report, "nulls")["value_nats"] = downOneBit(at(r.report, "nulls")["value_nats"])
	}},
	{name: "no sentence on what a value tells by being there", want: "claims", base: "public",
		do: func(t *testing.T, r *release) {
			r.report["claims"] = slices.DeleteFunc(r.report["claims"].([]any),
				func(c any) bool { return c.(map[string]any)["key"] == "presence.value" })
		}},
	{name: "what a null tells rounded down", want: "nulls", base: "public", do: func(t *testing.T, r *release) {
		at(r.report, "nulls")["nats"] = downOneBit(at(r.report, "nulls")["nats"])
	}},
	// The order.
	{name: "an order cell changed", want: "order hash", plain: true,
		do: func(t *testing.T, r *release) { r.order[len(r.order)-2] = '5' }},
	{name: "an order cell changed, ranks as they were", want: "utility", do: func(t *testing.T, r *release) {
		r.order = []byte(strings.Replace(string(r.order), "\na,0,-1,", "\na,0,-0.5,", 1))
	}},
	{name: "an order cell forbidden", want: "support", do: func(t *testing.T, r *release) {
		r.order = []byte(strings.Replace(string(r.order), "\na,0,", "\na,-inf,", 1))
	}},
	{name: "order rows under other labels", want: "order", do: func(t *testing.T, r *release) {
		r.order = []byte(strings.NewReplacer("\nd,", "\ne,", "\ne,", "\nd,").Replace(string(r.order)))
	}},
	{name: "order columns under other labels", want: "order", do: func(t *testing.T, r *release) {
		r.order = []byte(strings.Replace(string(r.order), ",d,e\n", ",e,d\n", 1))
	}},
	{name: "an order cell NaN", want: "order", do: func(t *testing.T, r *release) {
		r.order = []byte(strings.Replace(string(r.order), "\na,0,", "\na,NaN,", 1))
	}},
	{name: "an order row dropped", want: "order", do: func(t *testing.T, r *release) {
		r.order = r.order[:strings.LastIndex(strings.TrimSpace(string(r.order)), "\n")+1]
	}},
	{name: "an order quote never closed", want: "order", do: func(t *testing.T, r *release) {
		r.order = append(r.order,
			'"')
	}},
	{name: "ties denied", want: "order", do: both("order", "ties", to(0))},
	{name: "another spec", want: "order", do: said("order", "spec", "numeric")},
	// The report.
	{name: "records", want: "records", do: func(t *testing.T, r *release) { r.report["records"] = 3001 }},
	{name: "letters", want: "values", do: func(t *testing.T, r *release) { r.report["letters"] = 4 }},
	{name: "an output's factor", want: "factors", do: firstOutput("factor", smaller)},
	{name: "an output's nats", want: "factors", do: firstOutput("nats", downOneBit)},
	{name: "an output's support", want: "factors", do: firstOutput("support", plus(1))},
	{name: "an output's share", want: "output shares", do: firstOutput("share", plus(1e-6))},
	{name: "an output's label", want: "factors", do: firstOutput("label", to("zz"))},
	{name: "an output dropped", want: "factors", do: func(t *testing.T,
		r *release) {
		r.report["outputs"] = r.report["outputs"].([]any)[1:]
	}},
	{name: "outputs in other order", want: "output shares", do: func(t *testing.T,
		r *release) {
		slices.Reverse(r.report["outputs"].([]any))
	}},
	{name: "a smaller shift", want: "shares", do: figureOf("shares", "shift", smaller)},
	{name: "a larger shift", want: "shares", do: figureOf("shares", "shift", larger)},
	{name: "one output more in use", want: "shares", do: figureOf("shares", "used", plus(1))},
	{name: "fewer outputs", want: "shares", do: figureOf("shares", "of", plus(-1))},
	{name: "a common value nearer", want: "shares", do: figureOf("shares", "relative", smaller)},
	{name: "another common value", want: "shares", do: figureOf("shares", "value", to("e"))},
	{name: "a joint shift without strata", want: "shares", do: said("shares", "joint", "1/10")},
	{name: "the shift of a baseline", want: "baselines", do: func(_ *testing.T, r *release) {
		b := first(r.report["baselines"])
		b["shift"] = number(b["shift"]) - 1e-3
	}},
	{name: "an invariant mechanism left out", want: "baselines", do: func(_ *testing.T, r *release) {
		b := r.report["baselines"].([]any)
		r.report["baselines"] = b[:len(b)-1]
	}},
	{name: "no shares", want: "shares", do: func(_ *testing.T, r *release) { delete(r.report, "shares") }},
	{name: "expected utility", want: "utility", do: both("utility", "expected", plus(1e-9))},
	{name: "realised utility", want: "utility", do: func(t *testing.T, r *release) {
		at(r.report, "utility")["realised"] = number(at(r.report, "utility")["realised"]) + 1e-9
	}},
	{name: "worst utility", want: "utility", do: said("utility", "worst", 0)},
	{name: "utility bound", want: "utility", do: both("utility", "upper_bound", plus(-10))},
	{name: "records unchanged", want: "utility", do: said("utility", "unchanged", 17)},
	{name: "the report's floor", want: "floor", do: said("floor", "rank", 5)},
	{name: "outputs a letter has", want: "floor", do: said("floor", "allowed", 5)},
	{name: "the floor in words", want: "floor", do: said("floor", "in_words", "the same letter")},
	{name: "the binding set", want: "binding set", do: said("binding", "records", 2999)},
	{name: "no binding set", want: "binding set", do: func(t *testing.T, r *release) { delete(r.report, "binding") }},
	{name: "the scale", want: "prior and scale", do: said("scale", "rarest_from", 1)},
	{name: "letters that may be confirmed", want: "beliefs", do: said("scale", "uncapped_letters", 0)},
	{name: "the commonest share", want: "prior and scale", do: said("prior", "max", 0.1)},
	{name: "letters not seen", want: "prior and scale", do: said("prior", "unseen", 1)},
	{name: "whose prior", want: "counts", do: said("prior", "of", "the population")},
	{name: "a column's fate", want: "columns", do: func(t *testing.T, r *release) {
		r.report["columns"].([]any)[1].(map[string]any)["fate"] = "dropped"
	}},
	{name: "another input hash", want: `"another file than the input"`, plain: true,
		do: said("input", "sha256", strings.Repeat("0", 64))},
	{name: "another output hash", want: "output hash", plain: true, do: said("output", "sha256", strings.Repeat("0", 64))},
	{name: "no output hash though there was one", want: "output hash", plain: true, do: func(t *testing.T, r *release) {
		at(r.report, "output")["sha256"] = ""
		r.report["options"] = []any{map[string]any{"name": "hash", "value": "sha256", "origin": "default"}}
	}},
	{name: "nulls called public", want: "values", base: "letters",
		do: func(t *testing.T, r *release) { r.plan["null"] = "public" }},
	{name: "rows", want: "output file", do: said("output", "rows", 2999)},
	{name: "bytes of the input", want: "input file", do: said("input", "bytes", 1)},
	{name: "the stamp taken off", want: "report", do: func(t *testing.T, r *release) {
		delete(r.report, "stamp")
		r.report["options"] = []any{map[string]any{"name": "test-seed", "value": "(given)", "origin": "flag"}}
	}},
	{name: "a check that failed", want: "report", do: func(t *testing.T,
		r *release) {
		r.report["checks"].([]any)[0].(map[string]any)["passed"] = false
	}},
	{name: "a check left out", want: "report", do: func(t *testing.T,
		r *release) {
		r.report["checks"] = r.report["checks"].([]any)[:3]
	}},
	{name: "a place moved", want: "map", base: "map", do: func(t *testing.T,
		r *release) {
		first(at(r.report, "map")["to"])["x"] = 17.5
	}},
	{name: "a place moved in a plane", want: "map", base: "plane",
		do: func(t *testing.T, r *release) { at(at(r.report, "map"), "from")["y"] = 17.5 }},
	{name: "a map of a letter that is moved less", want: "map", base: "map", do: func(t *testing.T, r *release) {
		m, o := at(r.report, "map"), first(at(r.report, "map")["to"])
		m["from"] = map[string]any{"label": o["label"], "x": o["x"], "y": o["y"]}
	}},
	{name: "the farthest left out of a map", want: "map", base: "map", do: func(t *testing.T, r *release) {
		m := at(r.report, "map")
		to := m["to"].([]any)
		far := slices.MaxFunc(to, func(a, b any) int {
			return cmp.Compare(number(a.(map[string]any)["distance"]), number(b.(map[string]any)["distance"]))
		})
		m["to"] = slices.DeleteFunc(to,
			func(d any) bool { return d.(map[string]any)["label"] == far.(map[string]any)["label"] })
		m["more"] = 1
	}},
	{name: "an output of a map less likely", want: "map", base: "plane",
		do: func(t *testing.T, r *release) { first(at(r.report, "map")["to"])["share"] = .001 }},
	{name: "a forbidden output in a map", want: "map", base: "map", do: func(t *testing.T, r *release) {
		m := at(r.report, "map")
		m["to"] = append(m["to"].([]any), m["others"].([]any)[0])
	}},
	// Documents that are none.
	{name: "another version", want: `"tacet.report/v2"`, do: func(t *testing.T,
		r *release) {
		r.report["schema"] = "tacet.report/v1"
	}},
	{name: "a plan of another version", want: `"tacet.plan/v2"`,
		do: func(t *testing.T, r *release) { r.plan["schema"] = "tacet.plan/v1" }},
	// Shares of published values.
	{name: "a larger limit", want: "max shift", base: "shares", do: ofShares("limit", to("1/10"))},
	{name: "a limit written otherwise", want: "max shift", base: "shares", do: func(t *testing.T, r *release) {
		ofShares("asked", to("9%"))(t, r)
		at(r.report, "design")["max_shift"] = "9%"
	}},
	{name: "a limit in the report alone", want: "max shift", base: "shares", do: said("design", "max_shift", "7%")},
	{name: "no limit in the plan", want: "max shift", base: "shares",
		do: func(_ *testing.T, r *release) { delete(r.plan, "shares") }},
	{name: "a smaller shift in the plan", want: "max shift", base: "shares", do: ofShares("shift", smaller)},
	{name: "a larger shift in the plan", want: "max shift", base: "shares", do: ofShares("shift", larger)},
	{name: "bounds for a smaller factor", want: "max shift", base: "shares", do: ofShares("factor", smaller)},
	{name: "a bound of the utility lower than is proven", want: "max shift", base: "shares", do: ofShares("worth.value",
		func(old any) any { return "-" + larger(old.(string)[1:]).(string) })},
	{name: "a bound for another shift", want: "max shift", base: "shares", do: ofShares("within", larger)},
	{name: "a bound of the utility above what is proven", want: "max shift", base: "shares", do: both("utility",
		"upper_bound", plus(1e-3))},
	{name: "a price moved", want: "max shift", base: "shares", do: priced("worth", "price")},
	{name: "a level moved", want: "max shift", base: "shares", do: priced("worth", "level")},
	{name: "a price that is no number", want: "max shift", base: "shares", do: func(_ *testing.T, r *release) {
		at(at(r.plan, "shares"), "worth")["price"].([]any)[0] = "1e3"
	}},
	{name: "prices left out", want: "max shift", base: "shares", do: func(_ *testing.T, r *release) {
		delete(at(at(r.plan, "shares"), "worth"), "price")
	}},
	{name: "no proof of the utility", want: "max shift", base: "shares", do: func(_ *testing.T, r *release) {
		delete(at(at(r.plan, "shares"), "worth"), "base")
	}},
	{name: "a refused floor refused by more", want: "max shift", base: "shares", do: ofShares("refused.value", larger)},
	{name: "a refused floor refused by less than the limit", want: "max shift", base: "shares",
		do: ofShares("refused.value", to("1/100"))},
	{name: "the floor itself refused", want: "max shift", base: "shares", do: func(_ *testing.T, r *release) {
		at(r.plan, "shares")["refused_at"] = at(r.plan, "floor")["at"]
	}},
	{name: "a price of a refused floor moved", want: "max shift", base: "shares", do: priced("refused", "price")},
	{name: "a least shift above what is proven", want: "max shift", base: "near", do: ofShares("least.value", larger)},
	{name: "a least shift without proof", want: "max shift", base: "near", do: func(_ *testing.T, r *release) {
		delete(at(at(r.plan, "shares"), "least"), "base")
	}},
	{name: "a limit where none was asked for", want: "max shift", base: "near", do: ofShares("limit", to("1/2"))},
	{name: "another preference", want: "max shift", base: "near", do: both("utility", "prefer", to("utility"))},

	{name: "an unknown member", want: "members", do: said("epsilon", "delta", 0)},
	{name: "a member in capitals", want: `"not known"`, do: said("epsilon", "Nats", 0)},
	{name: "a number as text", want: "epsilon", do: said("epsilon", "nats", "0.1")},
}

// TestAltered: every altered document is refused by name.
func TestAltered(t *testing.T) {
	bases := map[string]*release{}
	for _, name := range []string{"", "safe", "floor fixed", "letters", "public", "map", "plane", "shares", "near",
		"by value", "by level", "level", "bins", "least"} {
		j := jobs[name]
		if name == "" {
			j = jobs["weights"]
		}
		bases[name] = j.make(t)
		passes(t, bases[name].request(), nil)
	}
	if _, ok := at(bases[""].plan, "certificate")["pi"].([]any); !ok {
		t.Fatal("the plan holds no weights")
	}
	seen := map[string]bool{}
	for _, a := range papers {
		if seen[a.name] {
			t.Errorf("%s stands twice", a.name)
		}
		seen[a.name] = true
		t.Run(a.name, func(t *testing.T) {
			r := bases[a.base].copyTo(t, filepath.Join(t.TempDir(), "copy"))
			a.do(t, r)
			r.save(t, !a.plain)
			r.refused(t, a.want)
		})
	}
}

// refused wants the check of that name to fail, or the files to be refused
// with a message that holds the quoted words.
func (r *release) refused(t *testing.T, want string) {
	t.Helper()
	refusedBy(t, r.request(), want)
}

func refusedBy(t *testing.T, q document.Request, want string) {
	t.Helper()
	got, err := Run(context.Background(), q)
	if words, ok := strings.CutPrefix(want, `"`); ok {
		var e *document.Error
		if words = strings.TrimSuffix(words, `"`); !errors.As(err, &e) || !strings.Contains(e.What, words) {
			t.Errorf("the answer is %v, want %q", err, words)
		}
		return
	}
	must(t, err)
	if !slices.Contains(got.Failed(), want) {
		t.Errorf("%v failed, want %s", got.Failed(), want)
		for _, c := range got.Checks {
			t.Logf("%s: %v: %s", c.Name, c.Outcome, c.Detail)
		}
	}
}

// TestDamagedDocuments: what is no whole JSON document is refused.
func TestDamagedDocuments(t *testing.T) {
	base := jobs["safe"].make(t)
	for _, file := range []string{"report.json", "plan.json"} {
		whole, err := os.ReadFile(base.path(file))
		must(t, err)
		text := string(whole)
		half := text[:len(text)/2]
		for name, damaged := range map[string]string{
			"cut in half": half, "empty": "", "more behind": text + "{}", "a list": "[]", "null": "null",
			"NaN":            strings.Replace(text, `"rank":`, `"rank": NaN, "r":`, 1),
			"a member twice": strings.Replace(text, `"schema":`, `"schema": "x", "schema":`, 1),
			"deep":           strings.Repeat("[", 100_000),
		} {
			t.Run(file+" "+name, func(t *testing.T) {
				must(t, os.WriteFile(base.path(file), []byte(damaged), 0o600))
				base.refused(t, `"`+file+` `)
			})
		}
		must(t, os.Remove(base.path(file)))
		base.refused(t, `"cannot be read"`)
		must(t, os.WriteFile(base.path(file), whole, 0o600))
	}
	passes(t, base.request(), nil)
}

// TestBytesBehindThePlan: the hash covers what stands before its key, so
// nothing else may stand behind it.
func TestBytesBehindThePlan(t *testing.T) {
	r := jobs["safe"].make(t)
	plan, err := os.ReadFile(r.path("plan.json"))
	must(t, err)
	for _, behind := range []string{" ", "\n\n"} {
		must(t, os.WriteFile(r.path("plan.json"), append(plan, behind...), 0o600))
		r.refused(t, "plan hash")
	}
	must(t, os.WriteFile(r.path("plan.json"), []byte(strings.TrimSuffix(string(plan), "\n}\n")+
		",\n\"null\": \"public\"}\n"), 0o600))
	r.refused(t, `"has a member twice"`)
}

// TestPlanOfAnotherRun: plan and order of another run are not taken.
func TestPlanOfAnotherRun(t *testing.T) {
	one := jobs["safe"].make(t)
	j := jobs["safe"]
	j.options = pipeline.Options{Epsilon: "2", Design: "safe"}
	q := one.request()
	q.Plan = j.make(t).path("plan.json")
	_, err := Run(context.Background(), q)
	var e *document.Error
	if !errors.As(err, &e) || !strings.Contains(e.What, "is not the plan of") {
		t.Errorf("%v", err)
	}
}
