package files

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// exactOf reads what the plan says that values of bins are written as: float64,
// decimal(10,2) or timestamp[us].
func exactOf(name string) (t Type, kind string, ok bool) {
	if floats := []string{"float16", "float32", "float64"}; slices.Contains(floats, name) {
		return Type{Kind: Float, Bits: 16 << slices.Index(floats, name)}, "float", true
	}
	for unit, ticks := range map[string]int64{"s": 1, "ms": 1e3, "us": 1e6, "ns": 1e9} {
		if name == "timestamp["+unit+"]" {
			return Type{Kind: Timestamp, Ticks: ticks}, "timestamp", true
		}
	}
	digits := 0
	if n, _ := fmt.Sscanf(name, "decimal(%d,%d)", &digits, &t.Scale); n < 2 || digits < 1 || digits > 76 {
		return t, "", false
	}
	t.Kind = Decimal
	return t, "decimal", name == fmt.Sprintf("decimal(%d,%d)", digits, t.Scale)
}

// Holds reports whether a column of type t holds the values that are published of bins.
func (b *Bins) Holds(t Type) bool {
	return b.exact.Kind == t.Kind && b.exact.Bits == t.Bits && b.exact.Ticks == t.Ticks && b.exact.Scale == t.Scale
}

// aValue is a decimal in the one way that it is written.
var aValue = regexp.MustCompile(`^(-?(0|[1-9][0-9]*)\.[0-9]*[1-9]|-?[1-9][0-9]*|0)$`)

// exactKey is the value that a label of a float, decimal or timestamp names, and its
// number; ok is false where it is not written in the one way that it is.
func (t Type) exactKey(label string) (k Key, v *big.Rat, ok bool) {
	switch t.Kind {
	case Float:
		as := max(t.Bits, 32)
		f, err := strconv.ParseFloat(label, as)
		if err != nil || math.IsInf(f, 0) || math.IsNaN(f) || strconv.FormatFloat(f, 'f', -1, as) != label || label == "-0" ||
			t.Bits == 16 && !isHalf(f) {
			return k, nil, false
		}
		return Key{Number: int64(math.Float64bits(f))}, new(big.Rat).SetFloat64(f), true
	case Timestamp:
		v, ok = (&Bins{kind: "timestamp"}).number(label)
		if !ok {
			return k, nil, false
		}
		nano := new(big.Rat).Mul(v, big.NewRat(1e9, 1)).Num()
		at := time.Unix(new(big.Int).Div(v.Num(), v.Denom()).Int64(), new(big.Int).Mod(nano, big.NewInt(1e9)).Int64()).UTC()
		layout := "2006-01-02"
		if at.Truncate(24*time.Hour) != at {
			layout = "2006-01-02T15:04:05.999999999"
		}
		ticks := new(big.Rat).Mul(v, new(big.Rat).SetInt64(t.Ticks))
		return Key{Number: ticks.Num().Int64()}, v, ticks.IsInt() && ticks.Num().IsInt64() && at.Format(layout) == label
	}
	if !aValue.MatchString(label) {
		return k, nil, false
	}
	v, _ = new(big.Rat).SetString(label)
	steps := new(big.Rat).Mul(v, power(t.Scale))
	return Key{Bytes: steps.Num().String()}, v, steps.IsInt()
}

// power is 10 to the n.
func power(n int) *big.Rat {
	p := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(n, -n))), nil))
	if n < 0 {
		p.Inv(p)
	}
	return p
}

// beside are the floats next to f, nil where there is none that is finite.
func (t Type) beside(f float64) (below, above *big.Rat) {
	switch t.Bits {
	case 16:
		up, down := halfStep(f)
		if f < 0 {
			up, down = down, up
		}
		return halfOf(f - down), halfOf(f + up)
	case 32:
		at := func(to float64) *big.Rat { return finite(float64(math.Nextafter32(float32(f), float32(to)))) }
		return at(math.Inf(-1)), at(math.Inf(1))
	}
	return finite(math.Nextafter(f, math.Inf(-1))), finite(math.Nextafter(f, math.Inf(1)))
}

// half is the number of 16 bits.
func half(bits uint16) float64 {
	f, exponent := float64(bits&0x3ff), int(bits>>10)&0x1f
	switch {
	case exponent == 31 && f == 0:
		f = math.Inf(1)
	case exponent == 31:
		f = math.NaN()
	case exponent == 0:
		f = math.Ldexp(f, -24)
	default:
		f = math.Ldexp(f+0x400, exponent-25)
	}
	return math.Copysign(f, float64(int16(bits))+.5)
}

// halfStep are the distances from a number of 16 bits to the next ones, away from zero and
// towards it.
func halfStep(f float64) (away, back float64) {
	fraction, exponent := math.Frexp(math.Abs(f))
	away = math.Ldexp(1, max(exponent-11, -24))
	if back = away; fraction == .5 && exponent-12 >= -24 {
		back /= 2
	}
	if f == 0 {
		away = math.Ldexp(1, -24)
		back = away
	}
	return away, back
}

// isHalf reports whether a finite number is one of 16 bits.
func isHalf(f float64) bool {
	step, _ := halfStep(f)
	return math.Abs(f) <= 65504 && math.Mod(f, step) == 0
}

// halfOf is f, nil where that is beyond the numbers of 16 bits.
func halfOf(f float64) *big.Rat {
	if math.Abs(f) > 65504 {
		return nil
	}
	return new(big.Rat).SetFloat64(f)
}

func finite(f float64) *big.Rat {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return nil
	}
	return new(big.Rat).SetFloat64(f)
}

// exactEnds are those of the bin of which the label names the value that is published.
func (b *Bins) exactEnds(label string) (from, to *big.Rat, ok bool) {
	k, v, ok := b.exact.exactKey(label)
	if !ok {
		return nil, nil, false
	}
	from, to, ok = b.around(v)
	if !ok || from == nil || b.As == "middle" && to == nil {
		return nil, nil, false
	}
	point := from
	if b.As == "middle" {
		point = new(big.Rat).Quo(new(big.Rat).Add(from, to), big.NewRat(2, 1))
	}
	if b.exact.Kind != Float {
		return from, to, v.Cmp(point) == 0
	}
	// No other float of the bin is nearer, and none above it as near.
	below, above := b.exact.beside(math.Float64frombits(uint64(k.Number)))
	off := func(x *big.Rat) *big.Rat { return new(big.Rat).Abs(new(big.Rat).Sub(x, point)) }
	if below != nil && below.Cmp(from) >= 0 && off(below).Cmp(off(v)) < 0 ||
		above != nil && (to == nil || above.Cmp(to) < 0) && off(above).Cmp(off(v)) <= 0 {
		return nil, nil, false
	}
	return from, to, true
}
