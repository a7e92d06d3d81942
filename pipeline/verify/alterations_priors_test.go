package verify_test

import (
	"testing"

	"github.com/tacet-privacy/tacet/pipeline"
)

// byPrior are releases whose prior is not the counts of the file, or that claim something
// of the population.
var byPrior = map[string]job{
	"smoothed": {cell: skew, rows: 3000, order: "circular:a,b,c,d,e", options: pipeline.Options{Epsilon: "0.9",
		Smooth: "3/2", Audit: "off"}},
	"claim": {cell: skew, rows: 3000, order: "circular:a,b,c,d,e", options: pipeline.Options{Epsilon: "0.9",
		Confidence: "1e-3", Audit: "off"}},
	"rare": {cell: skew, rows: 3000, order: "ordered:a,b,c,d,e", options: pipeline.Options{Epsilon: "1.5",
		MinCount: 500, Other: "e", Audit: "off"}},
}

// ofPriors change what is said of other priors and of values treated alike.
var ofPriors = []alteration{
	{name: "a law over fewer letters", want: "population", base: "prior claim",
		do: both("population", "letters", plus(-1))},
	{name: "a claim that the report lacks", want: "population", base: "prior claim",
		do: func(_ *testing.T, r *release) { delete(r.report, "population") }},
	{name: "a claim that the plan lacks", want: "population", base: "prior claim",
		do: func(_ *testing.T, r *release) { delete(r.plan, "population") }},
	{name: "records that the prior is not made of", want: "row sums", base: "prior smoothed",
		do: func(_ *testing.T, r *release) {
			records := at(r.plan, "prior")["records"].([]any)
			records[0] = "1"
		}},
	{name: "less added than was", want: "row sums", base: "prior smoothed",
		do: func(_ *testing.T, r *release) { at(r.plan, "prior")["smooth"] = "1/2" }},
	{name: "records given up by the report alone", want: "target", base: "prior declared",
		do: said("prior", "only", true)},
	{name: "records given up by plan and report", want: "claims", base: "prior declared",
		do: func(_ *testing.T, r *release) {
			at(r.plan, "prior")["only"], at(r.report, "prior")["only"] = true, true
		}},
	{name: "records that were given up, promised all the same", want: "target", base: "prior given up",
		do: func(_ *testing.T, r *release) {
			delete(at(r.plan, "prior"), "only")
			delete(at(r.report, "prior"), "only")
			r.report["options"] = []any{}
		}},
	{name: "a lower bound that neither prior proves", want: "certificate", base: "prior declared",
		do: func(_ *testing.T, r *release) {
			c := at(r.plan, "certificate")
			c["lower_factor"] = c["upper_factor"]
			at(r.report, "design")["lower_factor"] = c["upper_factor"]
			delete(c, "pi")
		}},
	{name: "a letter called one that the order has no row for", want: "values treated alike", base: "prior rare",
		do: func(_ *testing.T, r *release) {
			at(r.plan, "other")["lent"] = at(r.plan, "other")["merged"].([]any)[:1]
			at(r.report, "other")["lent"] = 1
		}},
	{name: "a rare letter with a row of its own", want: "values treated alike", base: "prior rare",
		do: func(_ *testing.T, r *release) {
			at(r.plan, "other")["merged"] = []any{}
			at(r.report, "other")["letters"], at(r.report, "other")["records"] = 0, 0
		}},
	{name: "a common letter called rare", want: "values treated alike", base: "prior rare",
		do: func(_ *testing.T, r *release) {
			o := at(r.plan, "other")
			o["merged"] = append(o["merged"].([]any), "a")
		}},
}
