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

// A growth is a prefix that grows at a step.
type growth struct {
	step int32
	x    uint16
	take uint16 // the new |B_x|
}

// ranks lists the rank floors from the best down to the worst that is asked for.
func (d *Floors) ranks(worst int) {
	for m := 1; m <= min(d.reach, d.outputs-worst+1); m++ {
		d.floor = append(d.floor, mechanism.RankFloor(d.outputs-m+1))
	}
}

// values lists the value floors, for which the order is read once more. Those below lowest are
// left out; lowest itself, if finite, is a candidate where they are only sampled. A floor that
// some letter cannot meet gives *NoOutputError.
func (d *Floors) values(lowest float64) error {
	o := d.order
	d.worst = nil
	value := make([]float64, d.outputs)
	top, cells := math.Inf(1), 0
	beyond := math.Inf(-1) // what is worth no more may not be listed
	for x, b := range d.best {
		if d.stop.over(d.outputs) {
			return d.stop.err()
		}
		mechanism.ValuesAt(o, x, b, value)
		if value[b[0]] < lowest {
			return &mechanism.NoOutputError{Letter: x, Floor: mechanism.ValueFloor(lowest)}
		}
		top = min(top, value[b[0]])
		if last := value[b[len(b)-1]]; len(b) < d.outputs && d.reach < d.outputs {
			beyond = max(beyond, last)
		}
		cells += len(b)
	}
	if floor := math.Nextafter(beyond, 0); !math.IsInf(lowest, -1) && lowest < floor {
		return &WideError{Floor: mechanism.ValueFloor(lowest), Least: mechanism.ValueFloor(floor)}
	}
	d.sampled = cells > allValues
	stride := 1
	if d.sampled {
		stride = max(1, len(d.best)*d.outputs/allValues)
	}
	for x := 0; x < len(d.best); x += stride {
		mechanism.ValuesAt(o, x, d.best[x], value)
		for _, y := range d.best[x] {
			if v := value[y]; v <= top && v >= lowest && v > beyond {
				d.worst = append(d.worst, v)
			}
		}
	}
	d.worst = append(d.worst, top)
	if d.sampled && !math.IsInf(lowest, -1) {
		d.worst = append(d.worst, lowest)
	}
	slices.Sort(d.worst)
	d.worst = slices.Compact(d.worst)
	slices.Reverse(d.worst)
	if d.sampled {
		d.worst = thin(d.worst, sampledValues)
	}
	if cells <= placedCells && d.reach == d.outputs {
		d.place = d.places()
	}
	for _, v := range d.worst {
		d.floor = append(d.floor, mechanism.ValueFloor(v))
	}
	d.grow()
	return d.stop.err()
}

// places inverts best.
func (d *Floors) places() [][]uint16 {
	place := make([][]uint16, len(d.best))
	for x, b := range d.best {
		place[x] = slices.Repeat([]uint16{uint16(d.outputs)}, d.outputs)
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

func (d *Floors) grow() {
	value := make([]float64, d.outputs)
	for x, b := range d.best {
		if d.stop.over(d.outputs) {
			return
		}
		mechanism.ValuesAt(d.order, x, b, value)
		step := 0
		for i, y := range b {
			next := step
			for next < len(d.worst) && value[y] < d.worst[next] {
				next++
			}
			if next > step && i > 0 {
				d.growth = append(d.growth, growth{int32(step), uint16(x), uint16(i)})
			}
			if step = next; step == len(d.worst) {
				break
			}
			if i == len(b)-1 {
				d.growth = append(d.growth, growth{int32(step), uint16(x), uint16(i + 1)})
			}
		}
	}
	slices.SortStableFunc(d.growth, func(a, b growth) int { return int(a.step - b.step) })
}

// A landing is the state of a walk at one step.
type landing struct {
	step      int
	take      []int     // |B_x|
	low, high int       // the fewest and the most of these
	mass      [][]int64 // n P(S_y) by prior
	most      []int64   // the largest count in S_y
	poor      int       // outputs of positive mass below the walk's need
}

// ahead is how many places of a row are read at a time, a cache line of
// each: one place at a time took five times as long at N = 10,000.
const ahead = 32

// walk visits the steps in turn until visit returns false. Outputs of mass
// below need are counted as poor: each alone leaks more than n/need.
func (d *Floors) walk(need int64, visit func(*landing) bool) {
	w := &landing{take: make([]int, len(d.best)), most: make([]int64, d.outputs)}
	prior := d.priors()
	for range prior {
		w.mass = append(w.mass, make([]int64, d.outputs))
	}
	add := func(x int, outputs []uint16) {
		w.take[x] += len(outputs)
		for k, p := range prior {
			c, mass := p.Count(x), w.mass[k]
			if c == 0 {
				continue
			}
			for _, y := range outputs {
				was := mass[y]
				mass[y] += c
				if k > 0 {
					continue
				}
				w.most[y] = max(w.most[y], c)
				if was > 0 && was < need {
					w.poor--
				}
				if was+c < need {
					w.poor++
				}
			}
		}
	}
	var block [][ahead]uint16
	if d.growth == nil {
		block = make([][ahead]uint16, len(d.best))
	}
	at := 0
	for w.step = range d.floor {
		i := w.step % ahead
		for x, b := range d.best[:len(block)] {
			if i == 0 && w.step < len(b) {
				copy(block[x][:], b[w.step:])
			}
			if w.step < len(b) {
				add(x, block[x][i:i+1])
			}
		}
		for ; at < len(d.growth) && int(d.growth[at].step) == w.step; at++ {
			g := d.growth[at]
			add(int(g.x), d.best[g.x][w.take[g.x]:g.take])
		}
		w.low, w.high = slices.Min(w.take), slices.Max(w.take)
		if !visit(w) || d.stop.over(len(w.take)+d.outputs) {
			return
		}
	}
}

// factorAt is the exact factor of the uniform mechanism, n / min mass where rows are equally
// long [SO, Corollary 1], and the output that leaks most.
func (d *Floors) factorAt(w *landing) (y int, factor *big.Rat) {
	y, factor = -1, big.NewRat(1, 1)
	if w.low < w.high {
		if d.stop.over(len(d.best) * d.outputs) {
			return y, factor
		}
		return d.uniform(w.take).Worst(d.priors()...)
	}
	for k, p := range d.priors() {
		if z := leastMass(w.mass[k]); z >= 0 {
			if f := big.NewRat(p.Total(), w.mass[k][z]); y < 0 || f.Cmp(factor) > 0 {
				y, factor = z, f
			}
		}
	}
	return y, factor
}

// leastMass is the first output of least positive mass, -1 if there is none.
func leastMass(mass []int64) int {
	y := -1
	for i, v := range mass {
		if v > 0 && (y < 0 || v < mass[y]) {
			y = i
		}
	}
	return y
}

// disclosure is what the uniform mechanism of a rank floor tells: mutual information,
// sum (P(S_y)/m) (-log P(S_y)) where rows have m outputs each, and the chance that the best guess
// of the letter is right after the output is seen, (1/m) sum_y max_{x in S_y} P_x.
func (d *Floors) disclosure(w *landing) (information, guess float64) {
	n, m := float64(d.prior.Total()), float64(w.low)
	if n == 0 {
		return 0, 0
	}
	var sum, best mechanism.Sum
	for y, v := range w.mass[0] {
		if v > 0 {
			p := float64(v) / n
			sum.Add(-p / m * math.Log(p))
			best.Add(float64(w.most[y]) / n / m)
		}
	}
	return max(0, sum.Value()), best.Value()
}

// scarcest is the letter with records whose most common output is the rarest, and n P(S_y)
// of that output: max_x min_{y in B_x} 1/P(S_y) bounds the floor [SO, Lemma 2].
func (d *Floors) scarcest(w *landing) (letter int, least int64) {
	for x, b := range d.best {
		if d.prior.Count(x) == 0 {
			continue
		}
		most := int64(0)
		for _, y := range b[:w.take[x]] {
			most = max(most, w.mass[0][y])
		}
		if least == 0 || most < least {
			letter, least = x, most
		}
	}
	return letter, least
}

// cheapest is the least factor of the uniform mechanism over the steps before end; nil where
// there is none.
func (d *Floors) cheapest(end int) (least *big.Rat) {
	killer := -1 // the output that was too much at the last step tried
	d.walk(1, func(w *landing) bool {
		switch {
		case w.step >= end:
			return false
		case least == nil:
		case killer >= 0 && d.kills(killer, w.take, least):
			return true
		default: // no mechanism is below 1/P(S_y)
			y := leastMass(w.mass[0])
			if y < 0 || big.NewRat(d.prior.Total(), w.mass[0][y]).Cmp(least) >= 0 {
				return true
			}
		}
		var f *big.Rat
		if killer, f = d.factorAt(w); least == nil || f.Cmp(least) < 0 {
			least = f
		}
		return least.Cmp(one) > 0
	})
	return least
}

var one = big.NewRat(1, 1)

// safe is the first step at which the utility-safe mechanism is within e, -1
// where there is none.
func (d *Floors) safe(e mechanism.Epsilon) int {
	limit, found, killer := e.Factor(), -1, -1
	d.walk(e.LeastMass(d.prior.Total()), func(w *landing) bool {
		if w.poor > 0 || killer >= 0 && d.kills(killer, w.take, limit) {
			return true
		}
		var f *big.Rat
		if killer, f = d.factorAt(w); e.Admits(f) {
			found = w.step
		}
		return found < 0
	})
	return found
}

// kills reports whether output y alone is surely above the limit under some prior: N steps
// instead of N M. It knows nothing beyond placedCells.
func (d *Floors) kills(y int, take []int, limit *big.Rat) bool {
	most, _ := limit.Float64()
	margin := float64(4*len(d.best)+64) * 0x1p-52 // twice what a sum of that many terms and a ratio are off by
	for _, p := range d.priors() {
		q, least := 0.0, 0
		for x, place := range d.place {
			if c := p.Count(x); c > 0 && int(place[y]) < take[x] {
				q += float64(c) / float64(take[x])
				if least == 0 || take[x] < least {
					least = take[x]
				}
			}
		}
		if q > 0 && float64(p.Total())/float64(least)/q*(1-margin) > most {
			return true
		}
	}
	return false
}
