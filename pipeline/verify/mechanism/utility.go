package mechanism

import (
	"math"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// CheckUtility recomputes what the records keep. Sums are of floats, carried
// with their rounding errors.
func CheckUtility(v *document.View, f *document.Files) {
	const name = "utility"
	if v.Order == nil || v.Groups == nil {
		v.Leave(name, document.Either(v.Empty(), "there are no values", "the order or the rows are not known"), "utility",
			"design.utility_gap", "design.prefer")
		return
	}
	var w document.Faults
	expected, size := 0.0, 0.0
	for i, g := range v.Groups {
		own, of := Expected(v.Order, g)
		w.Match(exact.Near(v.Plan.Groups[i].Expected, own, of) || g.Total == 0, "the utility"+v.Which(i))
		share := float64(g.Total) / float64(max(1, v.Total))
		expected, size = expected+share*own, size+share*of
	}
	expectUtility(v, &w, expected, size)
	if why, ok := v.Paired(f); !ok {
		v.Seen("utility.realised", "utility.unchanged")
		v.Settle(name, w, "worst and expected; %s neither what was realised nor the records unchanged",
			document.Either(f.In == nil, "without input", why+", so"))
		return
	}
	mean, same, records := expectRealised(v, &w, expected, size)
	v.Settle(name, w, "worst %v, expected %.6g, realised %.6g, %d of %d records unchanged", v.Worst.Value, expected, mean,
		same, records)
}

// expectUtility holds plan and report to what is expected, and the report to what
// the plan says was preferred, and how near that is to the best.
func expectUtility(v *document.View, w *document.Faults, expected, size float64) {
	p := v.Plan.Utility
	w.Match(exact.Near(p.Expected, expected, size), "the expected utility of the plan")
	w.Match(p.UpperBound >= p.Expected, "an upper bound below what is expected, which")
	w.Match(p.ShareBound >= p.Share && p.Gap >= 0, "an expected share of unchanged records above its bound, which")
	w.Match(p.Prefer == "" || p.Prefer == "shares" || p.Prefer == "unchanged" && exact.Near(p.Share, unchanged(v), 1),
		"the share of records expected to stay unchanged")
	v.Expect(w, Figures{"utility.worst": v.Worst.Value, "utility.expected": p.Expected, "utility.unit": v.Plan.Order.Unit,
		"utility.upper_bound": p.UpperBound, "utility.unchanged_expected?": p.Share,
		"utility.unchanged_upper_bound?": p.ShareBound, "design.utility_gap?": p.Gap, "design.prefer?": p.Prefer})
}

// expectRealised counts what was realised from the pairs of letters.
func expectRealised(v *document.View, w *document.Faults, expected, size float64) (mean float64, same, records int64) {
	var realised compensated
	v.Pairs.Each(func(x, y int, n int64) {
		if v.Report.Earlier() == 0 || !math.IsInf(v.Order.Row(x)[y], -1) {
			records += n
			realised.add(float64(n) * v.Order.Row(x)[y])
		}
		if v.Plan.Inputs[x] == v.Plan.Outputs[y] {
			same += n
		}
	})
	mean = expected
	if records > 0 {
		mean = realised.value() / float64(records)
	}
	own := rounded(mean, realised.size/float64(max(records, 1)))
	var want any = own
	if len(v.Plan.Inputs)*len(v.Plan.Outputs) > 1<<22 { // large tables: the run does not count pairs
		want = Rule(func(n Node) bool {
			return exact.Near(n.Float(""), own.Value, own.Size) || exact.Near(n.Float(""), expected, size)
		})
	}
	v.Expect(w, Figures{"utility.realised": want, "utility.unchanged": same})
	return mean, same, records
}

// Expected is sum_x P_x sum_y p_xy u'(x,y) of a group, and the size of its terms.
func Expected(o *files.Order, g document.Group) (value, size float64) {
	var total compensated
	for x, r := range g.Rows {
		if g.Count[x] == 0 {
			continue
		}
		var mean compensated
		row := o.Row(x)
		for i, y := range r.Output {
			mean.add(float64(r.Weight[i]) / float64(r.Total) * row[y])
		}
		share := float64(g.Count[x]) / float64(g.Total)
		total.add(share * mean.value())
		size += share * mean.size
	}
	return total.value(), size
}

// unchanged is the share of records expected to keep their label, in all groups
// together.
func unchanged(v *document.View) float64 {
	var total compensated
	for _, g := range v.Groups {
		for x, r := range g.Rows {
			for i, y := range r.Output {
				if g.Count[x] > 0 && v.Plan.Inputs[x] == v.Plan.Outputs[y] {
					total.add(float64(g.Count[x]) / float64(v.Total) * (float64(r.Weight[i]) / float64(r.Total)))
				}
			}
		}
	}
	return total.value()
}
