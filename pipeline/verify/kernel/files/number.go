package files

import "math"

// half is the number of 16 bits [IEEE 754, binary16]. arrow-go reads the smallest otherwise.
func half(bits uint16) float64 {
	f := math.Float64frombits(uint64(bits&0x7fff)<<42) * 0x1p1008 // whose exponent counts from 1023, not from 15
	switch {
	case bits&0x7fff > 0x7c00:
		f = math.NaN()
	case bits&0x7fff == 0x7c00:
		f = math.Inf(1)
	}
	if bits>>15 != 0 {
		return -f
	}
	return f
}

// down is n/m rounded down.
func down(n, m int64) int64 {
	q := n / m
	if n%m < 0 {
		q--
	}
	return q
}
