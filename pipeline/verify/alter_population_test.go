package verify

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tacet-privacy/tacet/pipeline"
)

// ofPopulation are releases that claim something of the population, or whose
// prior is not the counts of the file.
var ofPopulation = map[string]job{
	"sets": {cell: skew, rows: 3000, order: "ordered:a,b,c,d,e", options: pipeline.Options{Epsilon: "3",
		Design: "safe", Confidence: "1e-6", Robust: true, Audit: "off"}},
	"auto": {cell: skew, rows: 3000, order: "circular:a,b,c,d,e", options: pipeline.Options{Epsilon: "0.9",
		Confidence: "1e-3", Audit: "off"}},
	"smoothed": {cell: skew, rows: 3000, order: "circular:a,b,c,d,e", options: pipeline.Options{Epsilon: "0.9",
		Smooth: "3/2", Audit: "off"}},
	"rare claim": {cell: skew, rows: 3000, order: "ordered:a,b,c,d,e", options: pipeline.Options{Epsilon: "1.5",
		MinCount: 500, Other: "e", Confidence: "1e-3", Audit: "off"}},
	"rare": {cell: skew, rows: 3000, order: "ordered:a,b,c,d,e", options: pipeline.Options{Epsilon: "1.5",
		MinCount: 500, Other: "e", Audit: "off"}},
}

// bound sets a member of what the report says of the population, and of the
// rule in that place.
func bound(member string, rule int, value func(any) any) func(*testing.T, *release) {
	return func(_ *testing.T, r *release) {
		q := at(r.report, "population")
		c := q["rules"].([]any)[rule].(map[string]any)
		best := q["nats"] == c["nats"]
		if _, ok := c[member]; ok {
			c[member] = value(c[member])
			if !best || member != "nats" {
				return
			}
		}
		q[member] = value(q[member])
	}
}

// dropClaim takes a sentence out of the report.
func dropClaim(key string) func(*testing.T, *release) {
	return func(_ *testing.T, r *release) {
		r.report["claims"] = slices.DeleteFunc(r.report["claims"].([]any),
			func(c any) bool { return c.(map[string]any)["key"] == key })
	}
}

var populations = []alteration{
	{name: "a bound by sets that is a little lower", want: "population", base: "sets", do: bound("nats", 0, plus(-1e-4))},
	{name: "a bound by sets that is higher", want: "population", base: "sets", do: bound("nats", 0, plus(.01))},
	{name: "fewer sets in plan and report", want: "population", base: "sets", do: both("population", "sets", plus(-1))},
	{name: "more of delta than there is", want: "population", base: "sets", do: bound("delta", 0, to(1e-3))},
	{name: "another delta in the report", want: "population", base: "sets", do: said("population", "delta", "1e-9")},
	{name: "a design that is looser than it says", want: "population", base: "sets",
		do: both("population", "design_factor", to("1"))},
	{name: "a target that the population does not keep", want: "population", base: "sets",
		do: both("epsilon", "target", to("0.01"))},
	{name: "a claim that the report lacks", want: "population", base: "sets",
		do: func(_ *testing.T, r *release) { delete(r.report, "population") }},
	{name: "a claim that the plan lacks", want: "population", base: "sets",
		do: func(_ *testing.T, r *release) { delete(r.plan, "population") }},
	{name: "a bound by the ball that is lower", want: "population", base: "auto", do: bound("nats", 1, plus(-1e-5))},
	{name: "a ball of another radius", want: "population", base: "auto", do: bound("radius", 1, plus(-1e-6))},
	{name: "a law over fewer letters", want: "population", base: "auto", do: both("population", "letters", plus(-1))},
	{name: "a bound by letters that is lower", want: "population", base: "auto", do: bound("nats", 2, plus(-1e-3))},
	{name: "other records than there are", want: "population", base: "auto", do: said("population", "records", 17)},
	{name: "a smoothed prior under another name", want: "own counts", base: "smoothed",
		do: said("prior", "of", "declared prior")},
	{name: "another factor of the file itself", want: "own counts", base: "smoothed", do: said("prior", "own_factor",
		"9/8")},
	{name: "records that the prior is not made of", want: "row sums", base: "smoothed",
		do: func(_ *testing.T, r *release) {
			records := at(r.plan, "prior")["records"].([]any)
			records[0] = "1"
		}},
	{name: "less added than was", want: "row sums", base: "smoothed",
		do: func(_ *testing.T, r *release) { at(r.plan, "prior")["smooth"] = "1/2" }},
	{name: "records given up by the report alone", want: "target", base: "declared", do: said("prior", "only", true)},
	{name: "records given up by plan and report", want: "claims", base: "declared", do: func(_ *testing.T, r *release) {
		at(r.plan, "prior")["only"], at(r.report, "prior")["only"] = true, true
	}},
	{name: "records that were given up, promised all the same", want: "target", base: "given up",
		do: func(_ *testing.T, r *release) {
			delete(at(r.plan, "prior"), "only")
			delete(at(r.report, "prior"), "only")
			r.report["options"] = []any{}
		}},
	{name: "a promise to those who know the file, dropped", want: "claims", base: "declared",
		do: dropClaim("leakage.file")},
	{name: "what is not promised, dropped", want: "claims", base: "given up", do: dropClaim("leakage.file")},
	{name: "what is not promised, called promised", want: "claims", base: "given up", do: func(_ *testing.T, r *release) {
		for _, c := range r.report["claims"].([]any) {
			if c := c.(map[string]any); c["key"] == "leakage.file" {
				c["standing"] = "promised"
			}
		}
	}},
	{name: "another factor of the file under a declared prior", want: "own counts", base: "declared",
		do: said("prior", "own_factor", "9/8")},
	{name: "a declared prior of another file", want: "own counts", base: "declared",
		do: said("prior", "file", "other.csv")},
	{name: "a lower bound that neither prior proves", want: "certificate", base: "declared",
		do: func(_ *testing.T, r *release) {
			c := at(r.plan, "certificate")
			c["lower_factor"] = c["upper_factor"]
			at(r.report, "design")["lower_factor"] = c["upper_factor"]
			delete(c, "pi")
		}},
	{name: "the rule sets where letters were merged", want: "population", base: "rare claim",
		do: func(_ *testing.T, r *release) {
			q := at(r.report, "population")
			q["rules"].([]any)[0].(map[string]any)["rule"], q["sets"] = "sets", 31
			q = at(r.plan, "population")
			q["rules"].([]any)[0], q["sets"] = "sets", 31
		}},
	{name: "a letter called one that the order has no row for", want: "values treated alike", base: "rare",
		do: func(_ *testing.T, r *release) {
			at(r.plan, "other")["lent"] = at(r.plan, "other")["merged"].([]any)[:1]
			at(r.report, "other")["lent"] = 1
		}},
	{name: "no sentence on rare letters", want: "claims", base: "rare", do: func(_ *testing.T, r *release) {
		r.report["claims"] = slices.DeleteFunc(r.report["claims"].([]any),
			func(c any) bool { return c.(map[string]any)["key"] == "merged" })
	}},
	{name: "a rare letter with a row of its own", want: "values treated alike", base: "rare",
		do: func(_ *testing.T, r *release) {
			at(r.plan, "other")["merged"] = []any{}
			at(r.report, "other")["letters"], at(r.report, "other")["records"] = 0, 0
		}},
	{name: "a common letter called rare", want: "values treated alike", base: "rare", do: func(_ *testing.T, r *release) {
		o := at(r.plan, "other")
		o["merged"] = append(o["merged"].([]any), "a")
	}},
	{name: "another number of rare records", want: "values treated alike", base: "rare", do: said("other", "records", 1)},
}

// TestPopulationAltered: what is said of the population, of other priors and of
// values treated alike passes as it is, and no altered figure does.
func TestPopulationAltered(t *testing.T) {
	bases := map[string]*release{}
	prior := filepath.Join(t.TempDir(), "prior.csv")
	if err := os.WriteFile(prior, []byte("label,probability\na,1/5\nb,1/5\nc,1/5\nd,1/5\ne,1/5\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	ofPopulation["declared"] = job{cell: skew, rows: 3000, order: "circular:a,b,c,d,e",
		options: pipeline.Options{Epsilon: "0.9", Prior: prior, Audit: "off"}}
	ofPopulation["given up"] = job{cell: skew, rows: 3000, order: "circular:a,b,c,d,e",
		options: pipeline.Options{Epsilon: "0.9", Prior: prior, PriorOnly: true, Audit: "off"}}
	for name, j := range ofPopulation {
		bases[name] = j.make(t)
		passes(t, bases[name].request(), nil)
	}
	for _, a := range populations {
		t.Run(a.name, func(t *testing.T) {
			r := bases[a.base].copyTo(t, filepath.Join(t.TempDir(), "copy"))
			a.do(t, r)
			r.save(t, true)
			r.refused(t, a.want)
		})
	}
}

// TestNullDecides: the output that decides the bound of a rule may be null, which is
// not the same as none.
func TestNullDecides(t *testing.T) {
	r := job{cell: []string{"a", "a", "a", "b", "b", "b", "c", "d", "", ""}, rows: 3000, order: "ordered:a,b,c,d",
		options: pipeline.Options{Epsilon: "1.7", Design: "safe", Null: "letter", Confidence: "1e-3", Audit: "off"}}.make(t)
	null, rule := 0, map[string]any(nil)
	for _, c := range at(r.report, "population")["rules"].([]any) {
		if y, there := c.(map[string]any)["output"]; there && y == nil {
			null, rule = null+1, c.(map[string]any)
		}
	}
	if null == 0 {
		t.Fatalf("control: %v", at(r.report, "population"))
	}
	passes(t, r.request(), nil)
	delete(rule, "output")
	r.save(t, true)
	r.refused(t, "population")
}
