package kernel

import "math"

// utility: the expected utility sum_x P_x sum_y p(y|x) u'(x,y) of every group and of all, and
// the share of records expected to keep their label, are what the plan states, and no better
// than the bounds that it states. Sums are of floats.
func (p *proof) utility() {
	const name = "utility"
	if p.Order == nil || p.Groups == nil {
		p.Skip(name, either(p.Plan.Empty(), "there are no values", "the order or the rows are not known"))
		return
	}
	var w Faults
	n, mean, size, same := 0.0, 0.0, 0.0, 0.0
	for i := range p.Groups {
		n += float64(sum(p.Groups[i].Prior))
	}
	for i := range p.Groups {
		g := &p.Groups[i]
		own, terms, records := 0.0, 0.0, float64(sum(g.Prior))
		for x, r := range g.Rows {
			row := p.Order.Row(x)
			for k, y := range r.Output {
				if g.Prior[x] == 0 {
					break
				}
				part := float64(g.Prior[x]) * (float64(r.Weight[k]) / float64(r.Total))
				own, terms = own+part*row[y], terms+part*math.Abs(row[y])
				if p.Plan.Inputs[x] == p.Plan.Outputs[y] {
					same += part / n
				}
			}
		}
		g.Expected = own / max(records, 1)
		w.Match(records == 0 || near(p.Plan.Groups[i].Expected, g.Expected, terms/records), "the utility"+p.which(i))
		mean, size = mean+own/max(n, 1), size+terms/max(n, 1)
	}
	u := p.Plan.Utility
	w.Match(near(u.Expected, mean, size), "the expected utility of the plan")
	w.Match(u.UpperBound >= u.Expected, "an upper bound below what is expected, which")
	w.Match(u.ShareBound >= u.Share && u.Gap >= 0, "an expected share of unchanged records above its bound, which")
	w.Match(u.Prefer == "" || u.Prefer == "shares" || u.Prefer == "unchanged" && near(u.Share, same, 1),
		"the share of records expected to stay unchanged")
	p.Settle(name, w, "expected %.6g, as the plan states", u.Expected)
}
