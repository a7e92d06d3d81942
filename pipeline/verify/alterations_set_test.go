package verify_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"
)

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

// sharesOf changes a member of what the plan says of shares.
func sharesOf(path string, value func(old any) any) func(*testing.T, *release) {
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

// smaller takes a little from a fraction.
func smaller(old any) any {
	f, _ := new(big.Rat).SetString(old.(string))
	return f.Mul(f, big.NewRat(999_999, 1_000_000)).RatString()
}

func larger(old any) any {
	f, _ := new(big.Rat).SetString(old.(string))
	return f.Mul(f, big.NewRat(1_000_001, 1_000_000)).RatString()
}

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

// alone sets a member of the group of a plan that has one.
func alone(member string, value any) func(*testing.T, *release) {
	return func(_ *testing.T, r *release) { r.plan["groups"].([]any)[0].(map[string]any)[member] = value }
}

func to(v any) func(any) any { return func(any) any { return v } }

func first(list any) map[string]any { return list.([]any)[0].(map[string]any) }

func downOneBit(old any) any { return math.Nextafter(number(old), 0) }

func (r *release) cellsOf(x int) []any { return r.rowOf(x)["outputs"].([]any) }

func (r *release) counts() []any { return r.plan["counts"].([]any) }

func (r *release) pi() []any { return at(r.plan, "certificate")["pi"].([]any) }

// claimOf is a claim of the report.
func (r *release) claimOf(key string) map[string]any {
	for _, c := range r.report["claims"].([]any) {
		if c := c.(map[string]any); c["key"] == key {
			return c
		}
	}
	panic("no claim " + key)
}

// strataOf sets a member of the report's strata, or of an object in them.
func strataOf(member string, value func(any) any, in ...string) func(*testing.T, *release) {
	return func(_ *testing.T, r *release) {
		s := at(r.report, "strata")
		for _, name := range in {
			s = at(s, name)
		}
		s[member] = value(s[member])
	}
}

func reportOf(member string, value func(any) any) func(*testing.T, *release) {
	return func(_ *testing.T, r *release) { r.report[member] = value(r.report[member]) }
}
