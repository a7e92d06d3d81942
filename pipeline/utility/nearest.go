package utility

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/tacet-privacy/tacet/mechanism"
)

var _ mechanism.Placed = (*points)(nil)

// Coordinates implements mechanism.Placed.
func (o *points) Coordinates(x int) []float64 { return o.input(x) }

// Squares of distances are cheap, and fall as values rise but for rounding: what is
// nearer by more than this share, or by more than tiny, is worth at least as much.
const (
	rounded = 1e-9
	tiny    = 1e-290
)

// scratch are squares of distances, reused: a row of 20,000 takes 160 kB.
var scratch = sync.Pool{New: func() any { return new([]float64) }}

// square is the square of the straight distance of two letters.
func (o *points) square(a, b []float64) float64 {
	square := 0.0
	for i := range a {
		d := a[i] - b[i]
		square += float64(d * d) // the conversion forbids a fused multiply-add
	}
	return square
}

// worth is the value of output b for letter a, of that square.
func (o *points) worth(a, b []float64, square float64) float64 {
	switch {
	case o.sphere:
		return 0 - 2*earthKm*math.Asin(min(1, math.Sqrt(square)/2))
	case o.dim == 1:
		return 0 - math.Abs(a[0]-b[0])
	}
	return 0 - math.Sqrt(square)
}

// input and output are where letters lie.
func (o *points) input(x int) []float64  { return o.in[x*o.dim : (x+1)*o.dim] }
func (o *points) output(y int) []float64 { return o.out[y*o.dim : (y+1)*o.dim] }

// Value implements mechanism.Nearby.
func (o *points) Value(x, y int) float64 {
	a, b := o.input(x), o.output(y)
	return o.worth(a, b, o.square(a, b))
}

// squares fills in those of all outputs.
func (o *points) squares(x int, to []float64) []float64 {
	to = slices.Grow(to[:0], o.Outputs())[:o.Outputs()]
	a := o.input(x)
	if o.dim == 3 {
		for y := range to {
			b := o.out[3*y : 3*y+3]
			d, e, f := a[0]-b[0], a[1]-b[1], a[2]-b[2]
			to[y] = float64(float64(d*d)+float64(e*e)) + float64(f*f)
		}
		return to
	}
	for y := range to {
		to[y] = o.square(a, o.output(y))
	}
	return to
}

// Rank implements mechanism.Nearby: of what is worth the same, the higher letter ranks
// higher.
func (o *points) Rank(x, y int) int {
	a := o.input(x)
	own, value, equal := o.square(a, o.output(y)), o.Value(x, y), 0
	better := o.nearer(o.boxes(), a, own*(1-rounded)-tiny, own*(1+rounded)+tiny, func(z int) {
		if v := o.Value(x, z); v > value || v == value && z > y {
			equal++
		}
	})
	return o.Outputs() - better - equal
}

// Worst implements mechanism.Nearby.
func (o *points) Worst(x int, of []uint16) int {
	a, far := o.input(x), -1.0
	for _, y := range of {
		far = max(far, o.square(a, o.output(int(y))))
	}
	worst, low := -1, 0.0
	for _, y := range of {
		if s := o.square(a, o.output(int(y))); s >= far*(1-rounded)-tiny {
			if v := o.worth(a, o.output(int(y)), s); worst < 0 || v < low || v == low && int(y) < worst {
				worst, low = int(y), v
			}
		}
	}
	return worst
}

// Best implements mechanism.Nearby.
func (o *points) Best(x, k int) []uint16 {
	if k = min(k, o.Outputs()); k <= 0 {
		return nil
	}
	buffer, sorted := scratch.Get().(*[]float64), scratch.Get().(*[]float64)
	defer scratch.Put(buffer)
	defer scratch.Put(sorted)
	*buffer = o.squares(x, *buffer)
	*sorted = append((*sorted)[:0], *buffer...)
	limit := smallest(*sorted, k)*(1+rounded) + tiny
	type candidate struct {
		value float64
		y     int
	}
	near := make([]candidate, 0, k+8)
	for y, s := range *buffer {
		if s <= limit {
			near = append(near, candidate{o.worth(o.input(x), o.output(y), s), y})
		}
	}
	slices.SortFunc(near, func(a, b candidate) int { return cmp.Or(cmp.Compare(b.value, a.value), b.y-a.y) })
	best := make([]uint16, k)
	for i := range best {
		best[i] = uint16(near[i].y)
	}
	return best
}

// Within implements mechanism.Nearby.
func (o *points) Within(x int, floor float64) (allowed []uint16) {
	a := o.input(x)
	chord := -floor
	if o.sphere {
		chord = 2 * math.Sin(min(math.Pi/2, -floor/(2*earthKm)))
	}
	limit := chord*chord*(1+rounded) + tiny
	buffer := scratch.Get().(*[]float64)
	defer scratch.Put(buffer)
	*buffer = o.squares(x, *buffer)
	for y, s := range *buffer {
		if s <= limit && o.worth(a, o.output(y), s) >= floor {
			allowed = append(allowed, uint16(y))
		}
	}
	return allowed
}

// smallest is the k-th smallest, 1 for the least; it reorders [Hoare's selection].
func smallest(v []float64, k int) float64 {
	lo, hi := 0, len(v)-1
	for lo < hi {
		a, b, c := v[lo], v[(lo+hi)/2], v[hi]
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := lo, hi
		for i <= j {
			for v[i] < pivot {
				i++
			}
			for v[j] > pivot {
				j--
			}
			if i <= j {
				v[i], v[j] = v[j], v[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case k-1 <= j:
			hi = j
		case k-1 >= i:
			lo = i
		default:
			return v[k-1]
		}
	}
	return v[k-1]
}
