package frontier

import (
	"math"
	"math/big"
	"slices"

	"github.com/tacet-privacy/tacet/mechanism"
)

// Up to allValues cells every distinct utility is a candidate value floor.
// Beyond, the candidates are at most sampledValues of them, evenly spread.
const (
	allValues     = 1 << 18
	sampledValues = 1024
	placedCells   = 1 << 24 // up to which a descent keeps where each output stands
)

// A descent walks the candidate value floors tau[0] > tau[1] > ... of a
// ladder: at each, the prefixes that grow. Step 0 is the best floor at which
// every letter has an output.
type descent struct {
	*ladder
	tau     []float64
	growth  []growth   // by step
	sampled bool       // not every distinct utility is in tau
	place   [][]uint16 // of each output in best, else M; nil beyond placedCells
}

type growth struct {
	step int32
	x    uint16
	take uint16  // the new |B_x|
	sum  float64 // of the values of the new B_x
}

// descend reads the order once more. Floors below lowest are left out; lowest
// itself, if finite, is a candidate where tau is only sampled. A floor that
// some letter cannot meet gives *NoOutputError.
func (l *ladder) descend(o mechanism.Order, lowest float64) (*descent, error) {
	d := &descent{ladder: l}
	value := make([]float64, l.outputs)
	top, cells := math.Inf(1), 0
	beyond := math.Inf(-1) // what is worth no more may not be listed
	for x, b := range l.best {
		if l.stop.over(l.outputs) {
			return nil, l.stop.err()
		}
		mechanism.ValuesAt(o, x, b, value)
		if value[b[0]] < lowest {
			return nil, &mechanism.NoOutputError{Letter: x, Floor: mechanism.ValueFloor(lowest)}
		}
		top = min(top, value[b[0]])
		if last := value[b[len(b)-1]]; len(b) < l.outputs && l.reach < l.outputs {
			beyond = max(beyond, last)
		}
		cells += len(b)
	}
	if floor := math.Nextafter(beyond, 0); !math.IsInf(lowest, -1) && lowest < floor {
		return nil, &WideError{Floor: mechanism.ValueFloor(lowest), Least: mechanism.ValueFloor(floor)}
	}
	d.sampled = cells > allValues
	stride := 1
	if d.sampled {
		stride = max(1, len(l.best)*l.outputs/allValues)
	}
	for x := 0; x < len(l.best); x += stride {
		mechanism.ValuesAt(o, x, l.best[x], value)
		for _, y := range l.best[x] {
			if v := value[y]; v <= top && v >= lowest && v > beyond {
				d.tau = append(d.tau, v)
			}
		}
	}
	d.tau = append(d.tau, top)
	if d.sampled && !math.IsInf(lowest, -1) {
		d.tau = append(d.tau, lowest)
	}
	slices.Sort(d.tau)
	d.tau = slices.Compact(d.tau)
	slices.Reverse(d.tau)
	if d.sampled {
		d.tau = thin(d.tau, sampledValues)
	}
	if cells <= placedCells && l.reach == l.outputs {
		d.place = l.places()
	}
	d.grow(o)
	return d, l.stop.err()
}

// places inverts best.
func (l *ladder) places() [][]uint16 {
	place := make([][]uint16, len(l.best))
	for x, b := range l.best {
		place[x] = slices.Repeat([]uint16{uint16(l.outputs)}, l.outputs)
		for i, y := range b {
			place[x][y] = uint16(i)
		}
	}
	return place
}

// thin keeps at most k entries, evenly spread, the first and last among them.
func thin[T any](v []T, k int) []T {
	if len(v) <= k {
		return v
	}
	kept := make([]T, k)
	for i := range kept {
		kept[i] = v[i*(len(v)-1)/(k-1)]
	}
	return kept
}

// spaced are at most k of 0..n-1, likewise.
func spaced(n, k int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return thin(all, k)
}

func (d *descent) grow(o mechanism.Order) {
	value := make([]float64, d.outputs)
	for x, b := range d.best {
		if d.stop.over(d.outputs) {
			return
		}
		mechanism.ValuesAt(o, x, b, value)
		var sum mechanism.Sum
		step := 0
		for i, y := range b {
			v := value[y]
			next := step
			for next < len(d.tau) && v < d.tau[next] {
				next++
			}
			if next > step && i > 0 {
				d.growth = append(d.growth, growth{int32(step), uint16(x), uint16(i), sum.Value()})
			}
			step = next
			if step == len(d.tau) {
				break
			}
			sum.Add(v)
			if i == len(b)-1 {
				d.growth = append(d.growth, growth{int32(step), uint16(x), uint16(i + 1), sum.Value()})
			}
		}
	}
	slices.SortStableFunc(d.growth, func(a, b growth) int { return int(a.step - b.step) })
}

// A landing is the state of a walk at one step.
type landing struct {
	step    int
	take    []int   // |B_x|
	mass    []int64 // n P(S_y)
	poor    int     // outputs of positive mass below the walk's need
	utility float64 // of the uniform mechanism
}

// walk visits the steps in turn until visit returns false. Outputs of mass
// below need are counted as poor: each alone leaks more than n/need.
func (d *descent) walk(need int64, visit func(*landing) bool) {
	w := &landing{take: make([]int, len(d.best)), mass: make([]int64, d.outputs)}
	mean := make([]float64, len(d.best))
	var utility mechanism.Sum
	n := float64(max(1, d.prior.Total()))
	at := 0
	for w.step = range d.tau {
		for ; at < len(d.growth) && int(d.growth[at].step) == w.step; at++ {
			g := d.growth[at]
			c := d.prior.Count(int(g.x))
			if c > 0 {
				for _, y := range d.best[g.x][w.take[g.x]:g.take] {
					was := w.mass[y]
					w.mass[y] += c
					if was > 0 && was < need {
						w.poor--
					}
					if w.mass[y] < need {
						w.poor++
					}
				}
				m := g.sum / float64(g.take)
				utility.Add(float64(c) / n * (m - mean[g.x]))
				mean[g.x] = m
			}
			w.take[g.x] = int(g.take)
		}
		w.utility = utility.Value()
		if !visit(w) || d.stop.over(len(w.mass)) {
			return
		}
	}
}

// cheapest is the least factor of the uniform mechanism over the steps before
// end, and its step; the better floor on a tie.
func (d *descent) cheapest(end int) (step int, factor *big.Rat) {
	step = -1
	killer := -1
	d.walk(1, func(w *landing) bool {
		if w.step >= end {
			return false
		}
		if factor != nil {
			if killer >= 0 && d.kills(killer, w.take, factor) {
				return true
			}
			if y := leastMass(w.mass); y < 0 || big.NewRat(d.prior.Total(), w.mass[y]).Cmp(factor) >= 0 {
				return true
			}
		}
		y, f := d.uniformFactor(w.take, factor)
		if f != nil && (factor == nil || f.Cmp(factor) < 0) {
			step, factor = w.step, f
		}
		killer = y
		return factor.Cmp(one) > 0
	})
	return step, factor
}

var one = big.NewRat(1, 1)

// safe is the first step at which the utility-safe mechanism is within e, -1
// where there is none.
func (d *descent) safe(e mechanism.Epsilon) int {
	limit, found := e.Factor(), -1
	killer := -1 // the output that was too much at the last step tried
	d.walk(e.LeastMass(d.prior.Total()), func(w *landing) bool {
		if w.poor > 0 || killer >= 0 && d.kills(killer, w.take, limit) {
			return true
		}
		var f *big.Rat
		if killer, f = d.uniformFactor(w.take, limit); f != nil && e.Admits(f) {
			found = w.step
		}
		return found < 0
	})
	return found
}

// kills reports whether output y alone is surely above the limit: N steps
// instead of N M. It knows nothing beyond placedCells.
func (d *descent) kills(y int, take []int, limit *big.Rat) bool {
	if d.killed(y, take, limit) {
		return true
	}
	for _, p := range d.also {
		one := *d
		one.ladder = d.under(p)
		if one.killed(y, take, limit) {
			return true
		}
	}
	return false
}

// killed is kills under the first prior.
func (d *descent) killed(y int, take []int, limit *big.Rat) bool {
	q, least := 0.0, 0
	for x, place := range d.place {
		if c := d.prior.Count(x); c > 0 && int(place[y]) < take[x] {
			q += float64(c) / float64(take[x])
			if least == 0 || take[x] < least {
				least = take[x]
			}
		}
	}
	return q > 0 && d.above(1/float64(least)/q, limit)
}
