package utility

import (
	"cmp"
	"slices"
)

const (
	leafSize = 32    // outputs that are not parted further
	slack    = 1e-12 // by which a sum of squares may be rounded
)

// boxes hold outputs, halved across their longest extent, and these halves likewise, so that
// those around a place are counted without a look at each.
type boxes struct {
	outputs []int
	low     []float64
	high    []float64
	half    [2]*boxes // none in a leaf
}

// boxes are those of all outputs.
func (o *points) boxes() *boxes {
	o.once.Do(func() {
		all := make([]int, o.Outputs())
		for y := range all {
			all[y] = y
		}
		o.tree = o.boxesOf(all)
	})
	return o.tree
}

// boxesOf boxes outputs, which it sorts.
func (o *points) boxesOf(outputs []int) *boxes {
	b := &boxes{outputs: outputs, low: slices.Clone(o.output(outputs[0])), high: slices.Clone(o.output(outputs[0]))}
	axis := 0
	for _, y := range outputs {
		for i, v := range o.output(y) {
			b.low[i], b.high[i] = min(b.low[i], v), max(b.high[i], v)
		}
	}
	for i := range b.low {
		if b.high[i]-b.low[i] > b.high[axis]-b.low[axis] {
			axis = i
		}
	}
	if len(outputs) <= leafSize {
		return b
	}
	slices.SortFunc(outputs, func(y, z int) int { return cmp.Or(cmp.Compare(o.output(y)[axis], o.output(z)[axis]), y-z) })
	middle := len(outputs) / 2
	b.half = [2]*boxes{o.boxesOf(outputs[:middle]), o.boxesOf(outputs[middle:])}
	return b
}

// nearer counts the outputs whose square is below low, and visits those up to high.
func (o *points) nearer(b *boxes, a []float64, low, high float64, visit func(y int)) int {
	near, far := 0.0, 0.0 // squares of the nearest and the farthest of the box
	for i, v := range a {
		under, over := b.low[i]-v, v-b.high[i]
		if d := max(under, over, 0); d > 0 {
			near += d * d
		}
		d := max(-under, -over)
		far += d * d
	}
	switch {
	case far < low*(1-slack):
		return len(b.outputs)
	case near > high*(1+slack):
		return 0
	case b.half[0] != nil:
		return o.nearer(b.half[0], a, low, high, visit) + o.nearer(b.half[1], a, low, high, visit)
	}
	n := 0
	for _, y := range b.outputs {
		if s := o.square(a, o.output(y)); s < low {
			n++
		} else if s <= high {
			visit(y)
		}
	}
	return n
}
