package figures

import "math"

// kept is a sum that keeps what rounding loses [Knuth, TwoSum].
type kept struct{ sum, lost, size float64 }

func (k *kept) add(v float64) {
	t := k.sum + v
	b := t - k.sum
	k.lost += (k.sum - (t - b)) + (v - b)
	k.sum = t
	k.size += math.Abs(v)
}

func (k *kept) value() float64 { return k.sum + k.lost }
