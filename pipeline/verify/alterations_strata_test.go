package verify_test

import (
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

// recounted moves n records of the first letter from the second group to the
// first.
func recounted(n int64) func(*testing.T, *release) {
	return put("plan.groups[0].counts[0]", more(n), "plan.groups[1].counts[0]", more(-n))
}

// outputs are those of the plan.
func (r *release) outputs() (all []string) {
	for _, l := range r.plan["outputs"].([]any) {
		all = append(all, l.(string))
	}
	return all
}

// byPrior are releases whose prior is not the counts of the file, or that claim something
// of the population.
var byPrior = map[string]job{
	"smoothed": {cell: skew, rows: 3000, order: "circular:a,b,c,d,e", options: pipeline.Options{Epsilon: "0.9",
		Smooth: "3/2", Audit: "off"}},
	"claim": {cell: skew, rows: 3000, order: "circular:a,b,c,d,e", options: pipeline.Options{Epsilon: "0.9",
		Confidence: "1e-3", Audit: "off"}},
	"rare": {cell: skew, rows: 3000, order: "ordered:a,b,c,d,e", options: pipeline.Options{Epsilon: "1.5",
		MinCount: 500, Other: "e", Audit: "off", AllowUnchanged: true}},
}

// certainties are releases of which some, all or no records stand without doubt.
var certainties = map[string]job{
	"some": {cell: []string{"a", "a", "a", "a", "b", "b", "c", "d"}, rows: 800, order: "ordered:a,b,c,d",
		options: pipeline.Options{Epsilon: "1.9"}},
	"all": {cell: []string{"a", "b", "b", "c"}, rows: 400, order: "ordered:a,b,c",
		options: pipeline.Options{Epsilon: "1.4", AllowUnchanged: true}},
	"none": {cell: []string{"a", "b", "b", "c"}, rows: 400, order: "ordered:a,b,c",
		options: pipeline.Options{Epsilon: "1"}},
}
