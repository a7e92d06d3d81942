package verify_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"
)

// put sets members of plan and report by their paths, such as "plan.floor.rank" or
// "report.outputs[0].share"; "both" sets what the plan has in the report, too. A value may be a
// function of the old one, or gone.
func put(path string, value any, more ...any) change {
	return func(_ *testing.T, r *release) {
		r.put(path, value)
		for i := 0; i < len(more); i += 2 {
			r.put(more[i].(string), more[i+1])
		}
	}
}

// elsewhere are members of a plan that stand in another object of the report.
var elsewhere = strings.NewReplacer("both.certificate.", "report.design.", "both.groups[", "report.strata.groups[",
	"both.", "report.")

func (r *release) put(path string, value any) {
	if of, both := strings.CutPrefix(path, "both."); both {
		r.put("plan."+of, func(old any) any {
			if change, ok := value.(func(any) any); ok {
				value = change(old)
			}
			return value
		})
		r.put(elsewhere.Replace(path), value)
		return
	}
	steps := strings.FieldsFunc(path, func(c rune) bool { return strings.ContainsRune(".[]", c) })
	of, last := any(map[string]any{"plan": r.plan, "report": r.report}), steps[len(steps)-1]
	for _, step := range steps[:len(steps)-1] {
		of = member(of, step)
	}
	if change, ok := value.(func(any) any); ok {
		value = change(member(of, last))
	}
	if list, ok := of.([]any); ok {
		i, _ := strconv.Atoi(last)
		list[i] = value
		return
	}
	of.(map[string]any)[last] = value
	if _, out := value.(gone); out {
		delete(of.(map[string]any), last)
	}
}

// member is what an object or a list has by a name or a place.
func member(of any, name string) any {
	if list, ok := of.([]any); ok {
		i, _ := strconv.Atoi(name)
		return list[i]
	}
	return of.(map[string]any)[name]
}

func plus(d float64) func(any) any { return func(old any) any { return number(old) + d } }

func number(v any) float64 {
	f, err := v.(json.Number).Float64()
	if err != nil {
		panic(err)
	}
	return f
}

// more adds to a number that is written as text.
func more(d int64) func(any) any {
	return func(old any) any {
		n, _ := new(big.Int).SetString(old.(string), 10)
		return n.Add(n, big.NewInt(d)).String()
	}
}

// times multiplies a fraction by n parts of a million.
func times(n int64) func(any) any {
	return func(old any) any {
		f, _ := new(big.Rat).SetString(old.(string))
		return f.Mul(f, big.NewRat(n, 1_000_000)).RatString()
	}
}

var smaller, larger = times(999_999), times(1_000_001)

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

func first(list any) map[string]any { return list.([]any)[0].(map[string]any) }

func downOneBit(old any) any { return math.Nextafter(number(old), 0) }

func (r *release) cellsOf(x int) []any { return r.rowOf(x)["outputs"].([]any) }

func (r *release) counts() []any { return r.plan["counts"].([]any) }

// recounted moves n records of the first letter from the second group to the
// first.
func recounted(n int64) change {
	return put("plan.groups[0].counts[0]", more(n), "plan.groups[1].counts[0]", more(-n))
}

// outputs are those of the plan.
func (r *release) outputs() (all []string) {
	for _, l := range r.plan["outputs"].([]any) {
		all = append(all, l.(string))
	}
	return all
}
