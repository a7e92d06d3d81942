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

func reportOf(member string, value func(any) any) func(*testing.T, *release) {
	return func(_ *testing.T, r *release) { r.report[member] = value(r.report[member]) }
}
