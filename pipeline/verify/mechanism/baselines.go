package mechanism

import (
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
)

// highest is the level of local differential privacy, in nats, up to which one is
// searched for at which the leakage is epsilon.
const highest = 0x1p60

// closest is how near to a level a search stops, far below what figures may be off.
const closest = 0x1p-40

// near is how close a figure found by a search must come, of the size of utilities.
const near = 1e-6

// A rival is a mechanism of local differential privacy. logs sets row to log
// p(y|x) at a level; +Inf is no noise.
type rival struct {
	kind string
	v    *document.View
	logs func(level float64, x int, row []float64)
}

// A standing is what a rival leaks and keeps at a level.
type standing struct{ level, nats, worst, mean, size float64 }

// CheckBaselines recomputes what the exponential mechanism and randomised
// response keep at the same epsilon: at the level that guarantees it, and at the
// one that leaks it.
func CheckBaselines(v *document.View) {
	const name = "baselines"
	var w document.Faults
	t, ok := exact.ParseTarget(v.Plan.Epsilon.Target)
	switch {
	case v.Empty() || v.Total == 0 || len(v.Groups) > 1 || len(v.Plan.Inputs)*len(v.Plan.Outputs) > comparedCells:
		v.Expect(&w, Figures{name: nil})
		v.Settle(name, w, "none are listed")
		return
	case v.Order == nil || !ok:
		v.Leave(name, "the order or epsilon is not known", name)
		return
	}
	list := v.Report.List(name)
	var want []Figures
	for _, r := range rivals(v) {
		level := guaranteed(v, t)
		for _, tuned := range []bool{false, true} {
			at := r.at(level)
			if tuned {
				at = r.tuned(natsOf(t), level, nil)
			}
			if math.IsInf(at.worst, 0) || math.IsInf(at.nats, 0) || math.IsNaN(at.nats+at.mean) {
				continue
			}
			if i := len(want); tuned && i < len(list) && !at.is(list[i]) {
				mean := list[i].Float("expected")
				at = r.tuned(natsOf(t), level, &mean) // leakage may be epsilon at several levels
			}
			want = append(want, Figures{"kind": r.kind, "tuned": tuned, "nats": within(at.nats, 1e-9*(1+at.nats)),
				"worst": at.worst, "expected": within(at.mean, at.slack()), "shift": within(r.shift(at.level), 1e-6)})
		}
	}
	want = append(want, invariants(v, t)...)
	v.Expect(&w, Figures{name + "?": want})
	v.Settle(name, w, "%d mechanisms: of local differential privacy, at the level that guarantees epsilon and at the one "+
		"that leaks it, and those that keep shares", len(list))
}

// natsOf is epsilon, rounded to nearest.
func natsOf(t exact.Target) float64 {
	if t.Factor == nil {
		return t.Float()
	}
	f, _ := t.Factor.Float64()
	return math.Log(f)
}

// is reports whether the report says so.
func (s standing) is(b Node) bool {
	return math.Abs(s.nats-b.Float("nats")) <= 1e-9*(1+s.nats) && math.Abs(s.mean-b.Float("expected")) <= s.slack()
}

// slack is how near a mean must come.
func (s standing) slack() float64 { return near * (s.size + math.Abs(s.mean-s.worst)) }

// rivals are the mechanisms compared with. The exponential mechanism needs
// utilities of a finite range.
func rivals(v *document.View) (all []rival) {
	outputs := len(v.Plan.Outputs)
	spread := 0.0
	for y := range outputs {
		low, high := math.Inf(1), math.Inf(-1)
		for x := range v.Plan.Inputs {
			u := v.Order.Row(x)[y]
			low, high = min(low, u), max(high, u)
		}
		spread = max(spread, high-low)
	}
	if !math.IsInf(spread, 1) && !math.IsNaN(spread) {
		all = append(all, rival{"exponential", v, func(level float64, x int, row []float64) {
			scale := level / 2 / spread
			if spread == 0 {
				scale = math.Inf(1)
			}
			values := v.Order.Row(x)
			best, sum := slices.Max(values), 0.0
			for y, u := range values {
				if row[y] = 0; u < best {
					row[y] = scale * (u - best)
				}
				sum += math.Exp(row[y])
			}
			for y := range row {
				row[y] -= math.Log(sum)
			}
		}})
	}
	best := make([]int, len(v.Plan.Inputs))
	for x := range best {
		best[x] = slices.Index(v.Order.Ranks(x), outputs)
	}
	return append(all, rival{"randomised response", v, func(level float64, x int, row []float64) {
		top := -math.Log1p(float64(outputs-1) * math.Exp(-level))
		for y := range row {
			row[y] = top - level
		}
		row[best[x]] = top
	}})
}

// guaranteed is the largest level at which every mechanism is within epsilon:
// epsilon = -log(P + (1-P) e^-level), P the share of the rarest letter that has
// records.
func guaranteed(v *document.View, t exact.Target) float64 {
	least := exact.Least(v.Count)
	if least == v.Total || t.Admits(big.NewRat(v.Total, least)) {
		return math.Inf(1)
	}
	rest := float64(v.Total-least) / float64(v.Total)
	return -math.Log1p(max(-1, math.Expm1(-natsOf(t))/rest))
}

// at is what the mechanism leaks and keeps at a level.
func (r rival) at(level float64) standing {
	s, logs := r.leaks(level)
	v, outputs := r.v, len(r.v.Plan.Outputs)
	s.worst = math.Inf(1)
	for x := range v.Plan.Inputs {
		row, values := logs[x*outputs:(x+1)*outputs], v.Order.Row(x)
		share := float64(v.Count[x]) / float64(v.Total)
		for y, l := range row {
			if row[y] = math.Exp(l); math.IsInf(l, -1) {
				continue
			}
			s.worst = min(s.worst, values[y])
			if share > 0 {
				s.mean += share * row[y] * values[y]
				s.size += share * row[y] * math.Abs(values[y])
			}
		}
	}
	return s
}

// leaks is only what the mechanism leaks at a level, with its table of log p(y|x).
func (r rival) leaks(level float64) (s standing, logs []float64) {
	s.level = level
	v, outputs := r.v, len(r.v.Plan.Outputs)
	logs = make([]float64, len(v.Plan.Inputs)*outputs)
	peak := slices.Repeat([]float64{math.Inf(-1)}, outputs)
	for x := range v.Plan.Inputs {
		row := logs[x*outputs : (x+1)*outputs]
		r.logs(level, x, row)
		for y, l := range row {
			if v.Count[x] > 0 {
				peak[y] = max(peak[y], l)
			}
		}
	}
	for y, top := range peak {
		if math.IsInf(top, -1) {
			continue
		}
		below := 0.0 // q_y / peak - 1
		for x, n := range v.Count {
			if n > 0 {
				below += float64(n) / float64(v.Total) * math.Expm1(logs[x*outputs+y]-top)
			}
		}
		s.nats = max(s.nats, -math.Log1p(below))
	}
	return s, logs
}

// shift is how far the shares of the outputs are from those of the values, at a level.
func (r rival) shift(level float64) float64 {
	outputs := len(r.v.Plan.Outputs)
	logs := make([]float64, len(r.v.Plan.Inputs)*outputs)
	for x := range r.v.Plan.Inputs {
		r.logs(level, x, logs[x*outputs:(x+1)*outputs])
	}
	return roughShift(r.v, func(x, y int) float64 { return math.Exp(logs[x*outputs+y]) })
}

// tuned is the mechanism at a level at which it leaks epsilon, or has the mean
// that is given; without noise where that leaks no more.
func (r rival) tuned(epsilon, level float64, mean *float64) standing {
	if math.IsInf(level, 1) {
		return r.at(level)
	}
	up := r.at(math.Inf(1)).mean >= r.at(0).mean
	above := func(level float64) bool {
		if mean == nil {
			s, _ := r.leaks(level)
			return s.nats > epsilon
		}
		return (r.at(level).mean > *mean) == up
	}
	lo, hi := 0.0, max(1, level)
	for !above(hi) {
		if lo, hi = hi, 2*hi; hi > highest {
			if !above(math.Inf(1)) {
				return r.at(math.Inf(1))
			}
			return r.at(lo)
		}
	}
	// Both figures move by no more than their size while the level moves by 1.
	for hi-lo > closest*(1+lo) {
		if mid := lo + (hi-lo)/2; above(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return r.at(lo)
}
