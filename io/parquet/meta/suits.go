package meta

import (
	"math"

	"github.com/parquet-go/parquet-go/format"
)

// suits reports whether values of a logical type can be stored so. What is not
// known passes.
func suits(l Logical, p format.Type, length int64) bool {
	if p == format.FixedLenByteArray && length < 1 {
		return false
	}
	switch l.Kind {
	case Map, Listing, -1:
		return false
	case Utf8, Enum, JSON, Bson, Geometry, Geography:
		return p == format.ByteArray
	case Decimal:
		return l.Scale >= 0 && l.Precise >= 1 && l.Scale <= l.Precise && l.Precise <= digits(p, length)
	case Date:
		return p == format.Int32
	case Time:
		return l.Unit == 1 && p == format.Int32 || (l.Unit == 2 || l.Unit == 3) && p == format.Int64
	case Timestamp:
		return l.Unit >= 1 && l.Unit <= 3 && p == format.Int64
	case Integer:
		return l.Bits == 64 && p == format.Int64 || (l.Bits == 8 || l.Bits == 16 || l.Bits == 32) && p == format.Int32
	case UUID:
		return p == format.FixedLenByteArray && length == 16
	case Float16:
		return p == format.FixedLenByteArray && length == 2
	case Interval:
		return p == format.FixedLenByteArray && length == 12
	}
	return true
}

// digits is how many decimal digits such values hold.
func digits(p format.Type, length int64) int64 {
	switch p {
	case format.Int32:
		return 9
	case format.Int64:
		return 18
	case format.FixedLenByteArray:
		return int64(math.Floor(float64(8*length-1) * math.Log10(2)))
	case format.ByteArray:
		return math.MaxInt32
	}
	return 0
}
