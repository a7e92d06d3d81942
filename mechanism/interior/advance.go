package interior

import "math"

// reach returns the largest steps, at most 1, that keep the primal and the
// dual variables non-negative along way.
func (it *iterate) reach() (primal, dual float64) {
	w := &it.way
	var best [2][2]float64
	it.halves(func(part int, cols []int32, _ []float64) {
		ap, ad := 1.0, 1.0
		for _, j := range cols {
			o, n := it.off[j], len(it.Column[j])
			p, s, d, z := it.p[o:][:n], it.s[o:][:n], it.d[o:][:n], it.z[o:][:n]
			wp, ws, wd, wz := w.p[o:][:n], w.s[o:][:n], w.d[o:][:n], w.z[o:][:n]
			for k := range n {
				if wp[k]*ap < -p[k] {
					ap = -p[k] / wp[k]
				}
				if ws[k]*ap < -s[k] {
					ap = -s[k] / ws[k]
				}
				if wd[k]*ad < -d[k] {
					ad = -d[k] / wd[k]
				}
				if wz[k]*ad < -z[k] {
					ad = -z[k] / wz[k]
				}
			}
		}
		best[part] = [2]float64{ap, ad}
	})
	primal, dual = math.Min(best[0][0], best[1][0]), math.Min(best[0][1], best[1][1])
	it.each(w, func(v, price, dv, dprice float64, _ *float64) {
		if dv*primal < -v {
			primal = -v / dv
		}
		if dprice*dual < -price {
			dual = -price / dprice
		}
	})
	for _, j := range it.flat {
		if v := w.u[j]; v*primal < -it.u[j] {
			primal = -it.u[j] / v
		}
		if v := w.nu[j]; v*dual < -it.nu[j] {
			dual = -it.nu[j] / v
		}
	}
	if it.surplus {
		for i := range it.e {
			if v := w.e[i]; v*primal < -it.e[i] {
				primal = -it.e[i] / v
			}
			if v := w.y[i]; v*dual < -it.y[i] {
				dual = -it.y[i] / v
			}
		}
	}
	return primal, dual
}

// after is mu at the point moved by ap and ad along way.
func (it *iterate) after(ap, ad float64) float64 {
	w := &it.way
	var dot [2]float64
	it.halves(func(part int, cols []int32, _ []float64) {
		sum := 0.0
		for _, j := range cols {
			o, n := it.off[j], len(it.Column[j])
			p, s, d, z := it.p[o:][:n], it.s[o:][:n], it.d[o:][:n], it.z[o:][:n]
			wp, ws, wd, wz := w.p[o:][:n], w.s[o:][:n], w.d[o:][:n], w.z[o:][:n]
			for k := range n {
				sum += (p[k]+ap*wp[k])*(d[k]+ad*wd[k]) + (s[k]+ap*ws[k])*(z[k]+ad*wz[k])
			}
		}
		dot[part] = sum
	})
	total, count := dot[0]+dot[1], 0
	for _, j := range it.live {
		count += 2 * len(it.Column[j])
	}
	it.each(w, func(v, price, dv, dprice float64, _ *float64) {
		total += (v + ap*dv) * (price + ad*dprice)
		count++
	})
	for _, j := range it.flat {
		total += (it.u[j] + ap*w.u[j]) * (it.nu[j] + ad*w.nu[j])
		count++
	}
	if it.surplus {
		for i := range it.e {
			total += (it.e[i] + ap*w.e[i]) * (it.y[i] + ad*w.y[i])
			count++
		}
	}
	return total / float64(max(count, 1))
}

// move takes the step.
func (it *iterate) move(ap, ad float64) {
	w := &it.way
	it.halves(func(_ int, cols []int32, _ []float64) {
		for _, j := range cols {
			it.u[j] += ap * w.u[j]
			it.nu[j] += ad * w.nu[j]
			for k, end := it.off[j], it.off[j+1]; k < end; k++ {
				it.p[k] += ap * w.p[k]
				it.s[k] += ap * w.s[k]
				it.d[k] += ad * w.d[k]
				it.z[k] += ad * w.z[k]
			}
		}
	})
	it.advance(ap, ad)
	for _, j := range it.flat {
		it.u[j] += ap * w.u[j]
		it.nu[j] += ad * w.nu[j]
	}
	for i := range it.y {
		it.y[i] += ad * w.y[i]
		if it.surplus {
			it.e[i] += ap * w.e[i]
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
	ratio := math.Max(it.after(ap, ad), 0) / mu
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
