package verify

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/verify/document"
)

// claimOf is a claim of the report.
func (r *release) claimOf(key string) map[string]any {
	for _, c := range r.report["claims"].([]any) {
		if c := c.(map[string]any); c["key"] == key {
			return c
		}
	}
	panic("no claim " + key)
}

// claiming sets a member of a claim.
func claiming(key, member string, value func(any) any) func(*testing.T, *release) {
	return func(_ *testing.T, r *release) {
		c := r.claimOf(key)
		c[member] = value(c[member])
	}
}

// ofStrata sets a member of the report's strata, or of an object in them.
func ofStrata(member string, value func(any) any, in ...string) func(*testing.T, *release) {
	return func(_ *testing.T, r *release) {
		s := at(r.report, "strata")
		for _, name := range in {
			s = at(s, name)
		}
		s[member] = value(s[member])
	}
}

// capUnaware sets a member of what whoever does not know the stratum can come
// to believe of a letter.
func capUnaware(i int, member string, value func(any) any) func(*testing.T, *release) {
	return func(_ *testing.T, r *release) {
		c := at(at(r.report, "strata"), "unaware")["caps"].([]any)[i].(map[string]any)
		c[member] = value(c[member])
	}
}

var alteredObservers = []alteration{
	// Whom something is promised to.
	{name: "a promise to whoever does not know the stratum", want: "epsilon", base: "apart",
		do: func(_ *testing.T, r *release) {
			delete(at(r.plan, "strata"), "given_only")
			at(r.report, "strata")["given_only"] = false
		}},
	{name: "a promise to them in the report alone", want: "strata", base: "apart", do: said("strata", "given_only",
		false)},
	{name: "no promise to them in the report alone", want: "strata", base: "both", do: said("strata", "given_only", true)},
	{name: "a claim that promises them epsilon", want: "claims", base: "apart", do: claiming("leakage.unaware", "standing",
		to("promised"))},
	{name: "nothing said of them", want: "claims", base: "both", do: func(_ *testing.T, r *release) {
		var left []any
		for _, c := range r.report["claims"].([]any) {
			if c.(map[string]any)["key"] != "leakage.unaware" {
				left = append(left, c)
			}
		}
		r.report["claims"] = left
	}},
	{name: "strata that are said not to be published", want: "strata", base: "both", do: said("strata", "published",
		false)},
	{name: "merged strata that are said to be published", want: "strata", base: "merged",
		do: func(_ *testing.T, r *release) {
			at(r.report, "strata")["published"] = true
			for _, c := range r.report["columns"].([]any) {
				if c := c.(map[string]any); c["name"] == "d" {
					c["fate"] = "published in clear"
				}
			}
		}},
	{name: "a promise to all in merged strata", want: "claims", base: "merged", do: claiming("leakage.reached", "figure",
		func(f any) any {
			f.(map[string]any)["factor"] = "2"
			return f
		})},
	// What they are told.
	{name: "the factor given the stratum", want: "stratum and output", base: "both", do: ofStrata("given_factor",
		smaller)},
	{name: "its nats", want: "stratum and output", base: "both", do: ofStrata("given_nats", downOneBit)},
	{name: "what stratum and output tell together", want: "stratum and output", base: "both",
		do: ofStrata("together_factor", smaller)},
	{name: "its nats, too", want: "stratum and output", base: "apart", do: ofStrata("together_nats", downOneBit)},
	{name: "what stratum and output tell, left out", want: "stratum and output", base: "both",
		do: ofStrata("together_factor", to(""))},
	{name: "what the stratum tells alone", want: "stratum and output", base: "apart",
		do: ofStrata("alone_factor", smaller)},
	{name: "the nats of that", want: "stratum and output", base: "both", do: ofStrata("alone_nats", downOneBit)},
	{name: "what a stratum tells that is not published", want: "stratum and output", base: "merged",
		do: ofStrata("alone_factor", to("2"))},
	{name: "what both tell, promised", want: "claims", base: "both", do: claiming("leakage.together", "standing",
		to("promised"))},
	{name: "another figure in the sentence on both", want: "claims", base: "both", do: claiming("leakage.together",
		"words", to("At most 1 times as likely."))},
	{name: "the figure of the stratum alone", want: "claims", base: "both", do: claiming("leakage.stratum", "figure",
		to(nil))},
	{name: "another observer of the stratum alone", want: "claims", base: "both", do: claiming("leakage.stratum",
		"observer", to("cell"))},
	// What they can believe.
	{name: "the best guess of whoever knows the stratum", want: "beliefs", base: "both", do: said("guess", "mean", .01)},
	{name: "their best guess before", want: "beliefs", base: "apart", do: said("guess", "before", 0.)},
	{name: "their best guess not computed", want: "beliefs", base: "both",
		do: func(_ *testing.T, r *release) { delete(r.report, "guess") }},
	{name: "a cap of theirs", want: "beliefs", base: "both", do: capOf(0, "cap", plus(-1e-6))},
	{name: "a belief of theirs", want: "beliefs", base: "apart", do: capOf(1, "reached", plus(-1e-6))},
	{name: "a share in a stratum", want: "beliefs", base: "apart", do: capOf(1, "largest_share", plus(-1e-6))},
	{name: "no caps", want: "beliefs", base: "apart", do: reportOf("caps", to([]any{}))},
	{name: "the letters that they may confirm", want: "beliefs", base: "both", do: said("scale", "uncapped_letters", 17)},
	{name: "the epsilon from which they may", want: "beliefs", base: "both", do: said("scale", "rarest_from", .1)},
	{name: "the worst case", want: "beliefs", base: "apart", do: said("story", "after", .001)},
	{name: "the stratum of the worst case", want: "beliefs", base: "apart", do: said("story", "strata", []any{"nowhere"})},
	{name: "the best guess of whoever does not know it", want: "beliefs", base: "both",
		do: ofStrata("mean", to(.01), "unaware", "guess")},
	{name: "their worst guess", want: "beliefs", base: "apart", do: ofStrata("worst", to(.01), "unaware", "guess")},
	{name: "a cap of theirs, too", want: "beliefs", base: "apart", do: capUnaware(0, "cap", plus(-1e-6))},
	{name: "a belief of theirs, too", want: "beliefs", base: "both", do: capUnaware(2, "reached", plus(-1e-6))},
	{name: "a letter that they confirm", want: "beliefs", base: "both",
		do: capUnaware(1, "certain", func(old any) any { return !old.(bool) })},
	{name: "the worst case of theirs", want: "beliefs", base: "both", do: ofStrata("factor", smaller, "unaware", "story")},
	{name: "nothing that they believe", want: "beliefs", base: "both",
		do: func(_ *testing.T, r *release) { delete(at(r.report, "strata"), "unaware") }},
	{name: "what can be estimated in strata", want: "analysts", base: "apart", do: said("analysts", "estimable", 4)},
	// This file's own records.
	{name: "what another file tells given the stratum", want: "stratum and output", base: "applied",
		do: ofStrata("given_factor", smaller)},
	{name: "what it tells whoever does not know it", want: "stratum and output", base: "applied",
		do: ofStrata("overall_factor", smaller)},
	{name: "what stratum and output tell in it", want: "stratum and output", base: "applied",
		do: ofStrata("together_nats", downOneBit)},
	{name: "what the stratum tells in it", want: "stratum and output", base: "applied",
		do: ofStrata("alone_factor", smaller)},
	{name: "a claim of it", want: "claims", base: "applied", do: claiming("leakage.together", "figure",
		to(map[string]any{"factor": "2", "nats": .6931471805599454, "exact": true}))},
}

// TestObserversAltered: what is said of three observers of strata passes as it
// is, and nothing else does.
func TestObserversAltered(t *testing.T) {
	bases := map[string]*release{}
	for name, j := range byStrata {
		bases[name] = j.make(t)
	}
	later := byStrata["both"]
	later.rows, later.options = 2500, pipeline.Options{Plan: filepath.Join(bases["both"].dir, "report", "plan.json"),
		Audit: "off"}
	bases["applied"] = later.make(t)
	for name, r := range bases {
		got, err := Run(context.Background(), r.request())
		must(t, err)
		for _, c := range got.Checks {
			if c.Outcome == document.Failed {
				t.Errorf("%s, untouched: %s: %s", name, c.Name, c.Detail)
			}
		}
	}
	if at(bases["both"].report, "strata")["given_only"] != false ||
		at(bases["apart"].report, "strata")["rule"] != "apart" {
		t.Fatal("the releases are not what their names say")
	}
	for _, a := range alteredObservers {
		t.Run(a.name, func(t *testing.T) {
			r := bases[a.base].copyTo(t, filepath.Join(t.TempDir(), "copy"))
			a.do(t, r)
			r.save(t, !a.plain)
			r.refused(t, a.want)
		})
	}
}
