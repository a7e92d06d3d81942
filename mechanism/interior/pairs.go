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

// each visits ranges of all pairs in use, those of the cells in two halves at once: values,
// prices, the steps of both and their targets.
func (it *iterate) each(visit func(part int, v, w, dv, dw, target []float64)) {
	show := func(part int, x *pairs, a, b int) {
		visit(part, x.value[a:b], x.price[a:b], x.dvalue[a:b], x.dprice[a:b], x.target[a:b])
	}
	ofP, ofS := pairs{it.p, it.d, it.way.p, it.way.d, it.xd}, pairs{it.s, it.z, it.way.s, it.way.z, it.sz}
	it.halves(func(part int, cols []int32, _ []float64) {
		for _, j := range cols {
			show(part, &ofP, it.off[j], it.off[j+1])
			show(part, &ofS, it.off[j], it.off[j+1])
		}
	})
	ofU := pairs{it.u, it.nu, it.way.u, it.way.nu, it.ux}
	for _, j := range it.flat {
		show(0, &ofU, int(j), int(j)+1)
	}
	if it.surplus {
		visit(0, it.e, it.y, it.way.e, it.way.y, it.ey)
	}
	if h := it.quota; h != nil {
		for _, set := range it.sets() {
			for _, j := range set {
				show(0, &h.above, int(j), int(j)+1)
				show(0, &h.below, int(j), int(j)+1)
			}
		}
		if !h.Least {
			show(0, &h.left, 0, 1)
		}
	}
}

// aim sets the targets to mu minus the products, less the second-order term of the step
// when corrected is set (Mehrotra).
func (it *iterate) aim(mu float64, corrected bool) {
	it.each(func(_ int, v, w, dv, dw, target []float64) {
		w, dv, dw, target = w[:len(v)], dv[:len(v)], dw[:len(v)], target[:len(v)]
		for k := range v {
			if target[k] = mu - v[k]*w[k]; corrected {
				target[k] -= dv[k] * dw[k]
			}
		}
	})
}

// reach returns the largest steps, at most 1, that keep the primal and the
// dual variables non-negative.
func (it *iterate) reach() (primal, dual float64) {
	best := [2][2]float64{{1, 1}, {1, 1}}
	it.each(func(part int, v, w, dv, dw, _ []float64) {
		w, dv, dw = w[:len(v)], dv[:len(v)], dw[:len(v)]
		ap, ad := best[part][0], best[part][1]
		for k := range v {
			if dv[k]*ap < -v[k] {
				ap = -v[k] / dv[k]
			}
			if dw[k]*ad < -w[k] {
				ad = -w[k] / dw[k]
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
	it.each(func(part int, v, w, dv, dw, _ []float64) {
		w, dv, dw = w[:len(v)], dv[:len(v)], dw[:len(v)]
		sum := 0.0
		for k := range v {
			sum += (v[k] + ap*dv[k]) * (w[k] + ad*dw[k])
		}
		dot[part] += sum
		count[part] += len(v)
	})
	return (dot[0] + dot[1]) / float64(max(count[0]+count[1], 1))
}

// move takes the step.
func (it *iterate) move(ap, ad float64) {
	it.each(func(_ int, v, w, dv, dw, _ []float64) {
		w, dv, dw = w[:len(v)], dv[:len(v)], dw[:len(v)]
		for k := range v {
			v[k] += ap * dv[k]
			w[k] += ad * dw[k]
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
