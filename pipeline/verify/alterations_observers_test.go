package verify_test

import (
	"math/big"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline"
)

// byStrata are releases whose promise holds given column d, of eleven strata.
var byStrata = map[string]job{
	"apart": {cell: lopsided(), rows: 3000, order: "ordered:a,b,c,d,e", options: pipeline.Options{Epsilon: "1.3",
		Strata: "d", GivenOnly: true, Audit: "off"}},
	"both": {cell: lopsided(), rows: 3000, order: "ordered:a,b,c,d,e", options: pipeline.Options{Epsilon: "1.3",
		Strata: "d", Audit: "off"}},
	"merged": {cell: lopsided(), rows: 3000, order: "ordered:a,b,c,d,e", options: pipeline.Options{Epsilon: "1.3",
		Strata: "d", StrataMin: 273, GivenOnly: true, Drop: []string{"d"}, Audit: "off"}},
	"preferred": {cell: lopsided(), rows: 3000, order: "ordered:a,b,c,d,e", options: pipeline.Options{Epsilon: "1.3",
		Strata: "d", Prefer: "unchanged", Audit: "off"}},
	"spare": {cell: lopsided(), rows: 3000, order: "ordered:a,b,c,d,e", options: pipeline.Options{Epsilon: "1.3",
		Strata: "d", Headroom: "10%", Audit: "off"}},
	"rare": {cell: lopsided(), rows: 3000, order: "ordered:a,b,c,d,e", options: pipeline.Options{Epsilon: "1.3",
		Strata: "d", GivenOnly: true, MinCount: 500, Other: "c", Audit: "off"}},
	"smoothed": {cell: lopsided(), rows: 3000, order: "ordered:a,b,c,d,e", options: pipeline.Options{Epsilon: "1.3",
		Strata: "d", Smooth: "2", Audit: "off"}},
	"sampled": {cell: lopsided(), rows: 3000, order: "ordered:a,b,c,d,e", options: pipeline.Options{Epsilon: "1.3",
		Strata: "d", Confidence: "1e-3", GivenOnly: true, Audit: "off"}},
	"shared": {cell: skew, rows: 3000, order: "ordered:a,b,c,d,e", options: pipeline.Options{Epsilon: "2.5",
		Design: "safe", Strata: "d", Audit: "off"}},
}

// lopsided has other letters in the first five strata of column d than in the
// other six.
func lopsided() (cell []string) {
	for i := range 11 * 9 {
		letters := "aaaaabbcd"
		if i%11 >= 5 {
			letters = "eeeeddcba"
		}
		cell = append(cell, letters[i/11:i/11+1])
	}
	return cell
}

// groups are those of plan and report.
func (r *release) groups() (plan, report []any) {
	return r.plan["groups"].([]any), at(r.report, "strata")["groups"].([]any)
}

// grouped sets a member of a group in plan and report.
func grouped(group int, member string, value func(any) any) func(*testing.T, *release) {
	return func(_ *testing.T, r *release) {
		p, q := r.groups()
		v := value(p[group].(map[string]any)[member])
		p[group].(map[string]any)[member] = v
		q[group].(map[string]any)[member] = v
	}
}

// stated sets a member of a group in the report alone.
func stated(group int, member string, value func(any) any) func(*testing.T, *release) {
	return func(_ *testing.T, r *release) {
		_, q := r.groups()
		g := q[group].(map[string]any)
		g[member] = value(g[member])
	}
}

// planned sets a member of a group in the plan alone.
func planned(group int, member string, value func(any) any) func(*testing.T, *release) {
	return func(_ *testing.T, r *release) {
		p, _ := r.groups()
		g := p[group].(map[string]any)
		g[member] = value(g[member])
	}
}

// more adds to a number that is written as text.
func more(d int64) func(any) any {
	return func(old any) any {
		n, _ := new(big.Int).SetString(old.(string), 10)
		return n.Add(n, big.NewInt(d)).String()
	}
}

// lawCell is cell i of the first row of the first mechanism.
func (r *release) lawCell(i int) []any {
	return r.rowOf(0)["outputs"].([]any)[i].([]any)
}

// recounted moves n records of the first letter from the second group to the
// first.
func recounted(n int64) func(*testing.T, *release) {
	return func(_ *testing.T, r *release) {
		p, _ := r.groups()
		for i, d := range []int64{n, -n} {
			c := p[i].(map[string]any)["counts"].([]any)
			c[0] = more(d)(c[0])
		}
	}
}

// moved puts the last stratum of one group into another, in plan and report.
func moved(from, to int) func(*testing.T, *release) {
	return func(_ *testing.T, r *release) {
		p, q := r.groups()
		for _, groups := range [][]any{p, q} {
			a, b := groups[from].(map[string]any), groups[to].(map[string]any)
			names := a["strata"].([]any)
			a["strata"] = names[:len(names)-1]
			b["strata"] = append(slices.Clone(b["strata"].([]any)), names[len(names)-1])
		}
	}
}

// outputs are those of the plan.
func (r *release) outputs() (all []string) {
	for _, l := range r.plan["outputs"].([]any) {
		all = append(all, l.(string))
	}
	return all
}

// ofObservers change what is said of those who know the stratum, and of those who do not.
var ofObservers = []alteration{
	// Whom something is promised to.
	{name: "a promise to whoever does not know the stratum", want: "epsilon", base: "strata apart",
		do: func(_ *testing.T, r *release) {
			delete(at(r.plan, "strata"), "given_only")
			at(r.report, "strata")["given_only"] = false
		}},
	{name: "merged strata that are said to be published", want: "strata", base: "strata merged",
		do: func(_ *testing.T, r *release) {
			at(r.report, "strata")["published"] = true
			for _, c := range r.report["columns"].([]any) {
				if c := c.(map[string]any); c["name"] == "d" {
					c["fate"] = "published in clear"
				}
			}
		}},
	// What they are told.
	{name: "what a stratum tells that is not published", want: "stratum and output", base: "strata merged",
		do: strataOf("alone_factor", to("2"))},
	// What they can believe.
	{name: "their best guess not computed", want: "beliefs", base: "strata both",
		do: func(_ *testing.T, r *release) { delete(r.report, "guess") }},
	{name: "no caps", want: "beliefs", base: "strata apart", do: reportOf("caps", to([]any{}))},
	{name: "nothing that they believe", want: "beliefs", base: "strata both",
		do: func(_ *testing.T, r *release) { delete(at(r.report, "strata"), "unaware") }},
	// This file's own records.
}
