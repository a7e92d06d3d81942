package verify

import "math"

// checkUtility recomputes what the records keep. Sums are of floats, carried
// with their rounding errors.
func (v *verifier) checkUtility(f *files) {
	const name = "utility"
	u := v.report.Utility
	if v.empty() || v.order == nil || v.rows == nil {
		v.skip(name, either(v.empty(), "there are no letters", "the order or the rows are not known"))
		return
	}
	var w wrong
	w.match(u.Worst == v.worst.value, "the worst")
	w.match(u.Unit == v.plan.Order.Unit, "the unit, which the plan has otherwise,")
	w.match(u.UpperBound == v.plan.Utility.UpperBound, "the upper bound, which the plan has otherwise,")
	planned, d := v.plan.Utility, v.report.Design
	w.match(u.Share == planned.Share && u.ShareBound == planned.ShareBound && d.Gap == planned.Gap && d.Prefer == planned.Prefer, "what was preferred, which the plan has otherwise,")
	if u.ShareBound < u.Share || d.Gap < 0 {
		w.addf("the expected share of unchanged records is above its bound")
	}
	expected, size := v.expected()
	w.match(near(u.Expected, expected, size) && u.Expected == v.plan.Utility.Expected, "the expected utility")
	if u.UpperBound < u.Expected {
		w.addf("the upper bound is below what is expected")
	}
	if planned.Prefer != "" {
		w.match(planned.Prefer == "unchanged" && near(u.Share, v.unchanged(), 1), "the share of records expected to stay unchanged")
	}
	if f.in == nil || v.pairs == nil {
		v.settle(name, w, "worst and expected; without input neither what was realised nor the records unchanged")
		return
	}
	var realised kept
	records, same := int64(0), int64(0)
	v.pairs.each(func(x, y int, n int64) {
		if v.report.held() == 0 || !math.IsInf(v.order.row(x)[y], -1) {
			records += n
			realised.add(float64(n) * v.order.row(x)[y])
		}
		if v.plan.Inputs[x] == v.plan.Outputs[y] {
			same += n
		}
	})
	mean := expected
	if records > 0 {
		mean = realised.value() / float64(records)
	}
	ok := near(u.Realised, mean, realised.size/float64(max(records, 1)))
	if !ok && len(v.plan.Inputs)*len(v.plan.Outputs) > 1<<22 {
		ok = near(u.Realised, expected, size) // large tables: the run does not count pairs
	}
	w.match(ok, "the utility realised")
	w.match(u.Unchanged == same, "the number of records unchanged")
	v.settle(name, w, "worst %v, expected %.6g, realised %.6g, %d of %d records unchanged", u.Worst, expected, mean, same, records)
}

// expected is sum_x P_x sum_y p_xy u'(x,y), and the size of its terms.
func (v *verifier) expected() (value, size float64) {
	var total kept
	for x, r := range v.rows {
		if v.count[x] == 0 {
			continue
		}
		var mean kept
		row := v.order.row(x)
		for i, y := range r.output {
			mean.add(float64(r.weight[i]) / float64(r.total) * row[y])
		}
		share := float64(v.count[x]) / float64(v.total)
		total.add(share * mean.value())
		size += share * mean.size
	}
	return total.value(), size
}

// unchanged is the share of records expected to keep their label.
func (v *verifier) unchanged() float64 {
	var total kept
	for x, r := range v.rows {
		for i, y := range r.output {
			if v.count[x] > 0 && v.plan.Inputs[x] == v.plan.Outputs[y] {
				total.add(float64(v.count[x]) / float64(v.total) * (float64(r.weight[i]) / float64(r.total)))
			}
		}
	}
	return total.value()
}

// kept is a sum that keeps what rounding loses [Knuth, TwoSum].
type kept struct{ sum, lost, size float64 }

func (k *kept) add(v float64) {
	t := k.sum + v
	b := t - k.sum
	k.lost += (k.sum - (t - b)) + (v - b)
	k.sum = t
	k.size += math.Abs(v)
}

func (k *kept) value() float64 { return k.sum + k.lost }
