package page

import (
	"math"
	"strconv"
)

func (c *Chart) bounds() (lo, hi Point) {
	lo, hi = Point{math.Inf(1), math.Inf(1)}, Point{math.Inf(-1), math.Inf(-1)}
	grow := func(p Point) {
		if finite(p) {
			lo, hi = Point{min(lo.X, p.X), min(lo.Y, p.Y)}, Point{max(hi.X, p.X), max(hi.Y, p.Y)}
		}
	}
	for _, s := range c.Series {
		for _, p := range s.Points {
			grow(p)
		}
	}
	if c.Mark != nil {
		grow(*c.Mark)
	}
	if lo.X > hi.X {
		return Point{}, Point{1, 1}
	}
	return lo, hi
}

// axis maps lo..hi to from..to and puts about n ticks at round numbers; round
// makes it begin and end at one.
func axis(lo, hi, from, to float64, n int, whole bool) (scale func(float64) float64, ticks []tick) {
	if hi == lo {
		hi, lo = hi+0.5, lo-0.5
	}
	step := math.Pow(10, math.Floor(math.Log10((hi-lo)/float64(n))))
	for _, f := range []float64{1, 2, 5, 10} {
		if (hi-lo)/(step*f) <= float64(n) {
			step *= f
			break
		}
	}
	first := math.Ceil(lo/step-1e-9) * step
	if whole {
		first = math.Floor(lo/step) * step
		lo, hi = first, math.Ceil(hi/step)*step
	}
	scale = func(v float64) float64 { return from + (v-lo)/(hi-lo)*(to-from) }
	for k := 0; ; k++ {
		v := first + float64(k)*step
		if v > hi+step*1e-6 {
			return scale, ticks
		}
		ticks = append(ticks, tick{round(scale(v)), strconv.FormatFloat(math.Round(v/step)*step+0, 'g', 6, 64)})
	}
}
