package cell

import "math"

// A Number is how a stored number becomes the Int of a cell.
type Number uint8

// The ways in which numbers are stored.
const (
	AsStored  Number = iota
	AsInteger        // narrow, or without a sign
	AsFloat          // the bits of a float32
	AsHalf           // the bits of a Half
)

// Half is a number of 16 bits: sign, 5 bits of exponent, 10 of fraction.
func Half(b uint16) float64 {
	sign := float64(1)
	if b>>15 != 0 {
		sign = -1
	}
	exponent, fraction := int(b>>10&0x1f), float64(b&0x3ff)
	switch exponent {
	case 0:
		return sign * math.Ldexp(fraction, -24)
	case 0x1f:
		if fraction != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}
