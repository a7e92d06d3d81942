package kernel

import "math"

// utility: the expected utility sum_x P_x sum_y p(y|x) u'(x,y) of every group and of all, and
// the share of records expected to keep their label, are what the plan states, and no better
// than the bounds that it states. Sums are of floats, carried with their rounding errors.
func (p *proof) utility() {
	const name = "utility"
	if p.Order == nil || p.Groups == nil {
		p.Skip(name, either(p.Plan.Empty(), "there are no values", "the order or the rows are not known"))
		return
	}
	var w Faults
	n, all := 0.0, compensated{}
	for i := range p.Groups {
		n += float64(sum(p.Groups[i].Prior))
	}
	same := compensated{}
	for i := range p.Groups {
		g := &p.Groups[i]
		var own compensated
		records := float64(sum(g.Prior))
		for x, r := range g.Rows {
			if g.Prior[x] == 0 {
				continue
			}
			row := p.Order.Row(x)
			var mean compensated
			for k, y := range r.Output {
				chance := float64(r.Weight[k]) / float64(r.Total)
				if mean.add(chance * row[y]); p.Plan.Inputs[x] == p.Plan.Outputs[y] {
					same.add(float64(g.Prior[x]) / n * chance)
				}
			}
			share := float64(g.Prior[x]) / records
			own.add(share * mean.value())
			own.size += share * mean.size
		}
		g.Expected = own.value()
		w.Match(records == 0 || near(p.Plan.Groups[i].Expected, g.Expected, own.size), "the utility"+p.which(i))
		all.add(records / math.Max(n, 1) * g.Expected)
		all.size += records / math.Max(n, 1) * own.size
	}
	u := p.Plan.Utility
	w.Match(near(u.Expected, all.value(), all.size), "the expected utility of the plan")
	w.Match(u.UpperBound >= u.Expected, "an upper bound below what is expected, which")
	w.Match(u.ShareBound >= u.Share && u.Gap >= 0, "an expected share of unchanged records above its bound, which")
	w.Match(u.Prefer == "" || u.Prefer == "shares" || u.Prefer == "unchanged" && near(u.Share, same.value(), 1),
		"the share of records expected to stay unchanged")
	p.Settle(name, w, "expected %.6g, as the plan states", u.Expected)
}
