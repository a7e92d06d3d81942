package interior

import "math"

// A pairs is variables that stay above 0, their prices, the steps of both and what
// their products aim at.
type pairs struct{ value, price, dvalue, dprice, target []float64 }

func newPairs(n int) (x pairs) {
	for _, v := range []*[]float64{&x.value, &x.price, &x.dvalue, &x.dprice, &x.target} {
		*v = make([]float64, n)
	}
	return x
}

// each visits ranges of all pairs in use, those of the cells in two halves at once.
func (it *iterate) each(visit func(part int, x *pairs, from, to int)) {
	ofP, ofS := pairs{it.p, it.d, it.way.p, it.way.d, it.xd}, pairs{it.s, it.z, it.way.s, it.way.z, it.sz}
	it.halves(func(part int, cols []int32, _ []float64) {
		for _, j := range cols {
			visit(part, &ofP, it.off[j], it.off[j+1])
			visit(part, &ofS, it.off[j], it.off[j+1])
		}
	})
	ofU := pairs{it.u, it.nu, it.way.u, it.way.nu, it.ux}
	for _, j := range it.flat {
		visit(0, &ofU, int(j), int(j)+1)
	}
	if it.surplus {
		visit(0, &pairs{it.e, it.y, it.way.e, it.way.y, it.ey}, 0, it.n)
	}
	if h := it.quota; h != nil {
		for _, set := range it.sets() {
			for _, j := range set {
				visit(0, &h.above, int(j), int(j)+1)
				visit(0, &h.below, int(j), int(j)+1)
			}
		}
		if !h.Least {
			visit(0, &h.left, 0, 1)
		}
	}
}

// aim sets the targets to mu minus the products, less the second-order term of the step
// when corrected is set (Mehrotra).
func (it *iterate) aim(mu float64, corrected bool) {
	it.each(func(_ int, x *pairs, from, to int) {
		for k := from; k < to; k++ {
			x.target[k] = mu - x.value[k]*x.price[k]
			if corrected {
				x.target[k] -= x.dvalue[k] * x.dprice[k]
			}
		}
	})
}

// reach returns the largest steps, at most 1, that keep the primal and the
// dual variables non-negative.
func (it *iterate) reach() (primal, dual float64) {
	best := [2][2]float64{{1, 1}, {1, 1}}
	it.each(func(part int, x *pairs, from, to int) {
		ap, ad := best[part][0], best[part][1]
		for k := from; k < to; k++ {
			if x.dvalue[k]*ap < -x.value[k] {
				ap = -x.value[k] / x.dvalue[k]
			}
			if x.dprice[k]*ad < -x.price[k] {
				ad = -x.price[k] / x.dprice[k]
			}
		}
		best[part] = [2]float64{ap, ad}
	})
	return math.Min(best[0][0], best[1][0]), math.Min(best[0][1], best[1][1])
}

// mean is mu, the mean of all products, at the point moved by ap and ad along the step.
func (it *iterate) mean(ap, ad float64) float64 {
	var dot [2]float64
	var count [2]int
	it.each(func(part int, x *pairs, from, to int) {
		sum := 0.0
		for k := from; k < to; k++ {
			sum += (x.value[k] + ap*x.dvalue[k]) * (x.price[k] + ad*x.dprice[k])
		}
		dot[part] += sum
		count[part] += to - from
	})
	return (dot[0] + dot[1]) / float64(max(count[0]+count[1], 1))
}

// move takes the step.
func (it *iterate) move(ap, ad float64) {
	it.each(func(_ int, x *pairs, from, to int) {
		for k := from; k < to; k++ {
			x.value[k] += ap * x.dvalue[k]
			x.price[k] += ad * x.dprice[k]
		}
	})
	for _, j := range it.live {
		it.u[j] += ap * it.way.u[j]
		it.nu[j] += ad * it.way.nu[j]
	}
	if !it.surplus {
		for i := range it.y {
			it.y[i] += ad * it.way.y[i]
		}
	}
}

// step takes one predictor-corrector step [Mehrotra 1992] and returns the step lengths; ok is
// false when the linear algebra failed and nothing moved.
func (it *iterate) step(mu float64) (ap, ad float64, ok bool) {
	if !it.scale() {
		return 0, 0, false
	}
	it.aim(0, false)
	if !it.direct() {
		return 0, 0, false
	}
	ap, ad = it.reach()
	ratio := math.Max(it.mean(ap, ad), 0) / mu
	target := mu * math.Min(1, ratio*ratio*ratio)
	target = math.Max(target, 1e-9*mu)
	it.aim(target, true)
	if !it.direct() {
		return 0, 0, false
	}
	ap, ad = it.reach()
	back := math.Max(0.995, 1-target)
	if ap*back < ap || ad*back < ad {
		ap, ad = math.Min(1, back*ap), math.Min(1, back*ad)
	}
	if !finite(ap, ad) {
		return 0, 0, false
	}
	it.move(ap, ad)
	return ap, ad, true
}
