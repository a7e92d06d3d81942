package mechanism

import (
	"math"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
)

// CheckUtility recomputes what the records keep. Sums are of floats, carried
// with their rounding errors.
func CheckUtility(v *document.View, f *document.Files) {
	const name = "utility"
	u := v.Report.Utility
	if v.Strata != nil && v.Order != nil {
		checkRealisedOfStrata(v, f)
		return
	}
	if v.Empty() || v.Order == nil || v.Rows == nil {
		v.Skip(name, document.Either(v.Empty(), "there are no letters", "the order or the rows are not known"))
		return
	}
	var w document.Faults
	w.Match(u.Worst == v.Worst.Value, "the worst")
	w.Match(u.Unit == v.Plan.Order.Unit, "the unit, which the plan has otherwise,")
	w.Match(u.UpperBound == v.Plan.Utility.UpperBound, "the upper bound, which the plan has otherwise,")
	checkPreferred(v, &w)
	expected, size := Expected(v)
	w.Match(exact.Near(u.Expected, expected, size) && u.Expected == v.Plan.Utility.Expected, "the expected utility")
	if u.UpperBound < u.Expected {
		w.Addf("the upper bound is below what is expected")
	}
	if f.In == nil || v.Pairs == nil {
		v.Settle(name, w, "worst and expected; without input neither what was realised nor the records unchanged")
		return
	}
	mean, same, records := checkRealised(v, &w, expected, size)
	v.Settle(name, w, "worst %v, expected %.6g, realised %.6g, %d of %d records unchanged", u.Worst, expected, mean, same,
		records)
}

// checkPreferred recomputes the share of records expected to stay unchanged, where
// that was preferred.
func checkPreferred(v *document.View, w *document.Faults) {
	planned, d, u := v.Plan.Utility, v.Report.Design, v.Report.Utility
	w.Match(u.Share == planned.Share && u.ShareBound == planned.ShareBound && d.Gap == planned.Gap &&
		d.Prefer == planned.Prefer, "what was preferred, which the plan has otherwise,")
	if u.ShareBound < u.Share || d.Gap < 0 {
		w.Addf("the expected share of unchanged records is above its bound")
	}
	if planned.Prefer != "" {
		w.Match(planned.Prefer == "unchanged" && exact.Near(u.Share, unchanged(v), 1),
			"the share of records expected to stay unchanged")
	}
}

// checkRealisedOfStrata looks at what was realised; CheckStrata has the rest.
func checkRealisedOfStrata(v *document.View, f *document.Files) {
	const name = "utility"
	if f.In == nil || v.Pairs == nil {
		v.Skip(name, document.Either(f.In == nil, "no input", "the records could not be counted"))
		return
	}
	var w document.Faults
	u := v.Report.Utility
	mean, same, records := checkRealised(v, &w, u.Expected, math.Abs(u.Expected))
	v.Settle(name, w, "realised %.6g, %d of %d records unchanged", mean, same, records)
}

// checkRealised counts what was realised from the pairs of letters.
func checkRealised(v *document.View, w *document.Faults, expected, size float64) (mean float64, same, records int64) {
	u := v.Report.Utility
	var realised compensated
	v.Pairs.Each(func(x, y int, n int64) {
		if v.Report.Held() == 0 || !math.IsInf(v.Order.Row(x)[y], -1) {
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
	ok := exact.Near(u.Realised, mean, realised.size/float64(max(records, 1)))
	if !ok && len(v.Plan.Inputs)*len(v.Plan.Outputs) > 1<<22 {
		ok = exact.Near(u.Realised, expected, size) // large tables: the run does not count pairs
	}
	w.Match(ok, "the utility realised")
	w.Match(u.Unchanged == same, "the number of records unchanged")
	return mean, same, records
}

// Expected is sum_x P_x sum_y p_xy u'(x,y), and the size of its terms.
func Expected(v *document.View) (value, size float64) {
	var total compensated
	for x, r := range v.Rows {
		if v.Count[x] == 0 {
			continue
		}
		var mean compensated
		row := v.Order.Row(x)
		for i, y := range r.Output {
			mean.add(float64(r.Weight[i]) / float64(r.Total) * row[y])
		}
		share := float64(v.Count[x]) / float64(v.Total)
		total.add(share * mean.value())
		size += share * mean.size
	}
	return total.value(), size
}

// unchanged is the share of records expected to keep their label, in all strata
// together.
func unchanged(v *document.View) float64 {
	var total compensated
	for _, c := range crowds(v) {
		for x, r := range c.rows {
			for i, y := range r.Output {
				if c.count[x] > 0 && v.Plan.Inputs[x] == v.Plan.Outputs[y] {
					total.add(float64(c.count[x]) / float64(v.Total) * (float64(r.Weight[i]) / float64(r.Total)))
				}
			}
		}
	}
	return total.value()
}
