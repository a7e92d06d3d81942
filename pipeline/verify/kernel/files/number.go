package files

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow/float16"
)

var aDecimal = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)

// kinds are what plans call the kinds of numbers.
var kinds = map[Kind]string{Integer: "integer", Date: "date", Timestamp: "timestamp", Float: "float",
	Decimal: "decimal"}

// floor is v rounded down.
func floor(v *big.Rat) *big.Rat { return new(big.Rat).SetInt(new(big.Int).Div(v.Num(), v.Denom())) }

// numberIn reads a plain decimal, or a date or time in UTC, in the way of what it is of.
func numberIn(kind, text string) (*big.Rat, bool) {
	if kind != "date" && kind != "timestamp" {
		if !aDecimal.MatchString(text) {
			return nil, false
		}
		return new(big.Rat).SetString(text)
	}
	layout := time.DateOnly
	if kind == "timestamp" && strings.Contains(text, "T") {
		layout = "2006-01-02T15:04:05.999999999"
	}
	t, err := time.Parse(layout, text)
	if err != nil {
		return nil, false
	}
	if kind == "date" {
		return big.NewRat(t.Unix()/86400, 1), true
	}
	return seconds(t), true
}

func seconds(t time.Time) *big.Rat {
	s := big.NewRat(int64(t.Nanosecond()), 1e9)
	return s.Add(s, big.NewRat(t.Unix(), 1))
}

// textIn is the one way in which numberIn's numbers are written.
func textIn(kind string, v *big.Rat) string {
	whole := floor(v)
	switch kind {
	case "date":
		return time.Unix(86400*whole.Num().Int64(), 0).UTC().Format(time.DateOnly)
	case "timestamp":
		part := new(big.Rat).Sub(v, whole)
		nano := floor(part.Mul(part, big.NewRat(1e9, 1))).Num().Int64()
		t := time.Unix(whole.Num().Int64(), nano).UTC()
		if t.Truncate(24*time.Hour) == t {
			return t.Format(time.DateOnly)
		}
		return t.Format("2006-01-02T15:04:05.999999999")
	}
	digits, _ := v.FloatPrec()
	return v.FloatString(digits)
}

// exactOf reads what the plan says that values of bins are written as: float64,
// decimal(10,2) or timestamp[us].
func exactOf(name string) (t Type, kind string, ok bool) {
	digits := 0
	if _, err := fmt.Sscanf(name, "float%d", &t.Bits); err == nil {
		t.Kind, kind, ok = Float, "float", t.Bits == 16 || t.Bits == 32 || t.Bits == 64
		return t, kind, ok && name == fmt.Sprintf("float%d", t.Bits)
	}
	unit := strings.TrimSuffix(strings.TrimPrefix(name, "timestamp["), "]")
	if t.Ticks = map[string]int64{"s": 1, "ms": 1e3, "us": 1e6, "ns": 1e9}[unit]; t.Ticks > 0 {
		t.Kind = Timestamp
		return t, "timestamp", name == "timestamp["+unit+"]"
	}
	_, err := fmt.Sscanf(name, "decimal(%d,%d)", &digits, &t.Scale)
	t.Kind = Decimal
	return t, "decimal", err == nil && digits > 0 && digits <= 76 && name == fmt.Sprintf("decimal(%d,%d)", digits, t.Scale)
}

// steps are how many of the type's integers make 1.
func (t Type) steps() *big.Rat {
	switch t.Kind {
	case Timestamp:
		return big.NewRat(t.Ticks, 1)
	case Decimal:
		n := max(t.Scale, -t.Scale)
		p := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil))
		if t.Scale < 0 {
			p.Inv(p)
		}
		return p
	}
	return big.NewRat(1, 1)
}

// number is the value that a label names; ok is false where it is not one of the type, or not
// written in the one way that it is.
func (t Type) number(label string) (k Key, ok bool) {
	if t.Kind == Float {
		f, err := strconv.ParseFloat(label, max(t.Bits, 32))
		if err != nil || math.IsInf(f, 0) || math.IsNaN(f) || !t.holds(f) || t.text(f) != label {
			return k, false
		}
		return Key{Number: int64(math.Float64bits(f))}, true
	}
	v, ok := numberIn(kinds[t.Kind], label)
	if !ok || textIn(kinds[t.Kind], v) != label {
		return k, false
	}
	steps := new(big.Rat).Mul(v, t.steps())
	n := steps.Num()
	switch {
	case t.Kind == Decimal:
		k.Bytes = n.String()
	case t.Unsigned:
		k.Number, ok = int64(n.Uint64()), n.Sign() >= 0 && n.BitLen() <= t.Bits
	case t.Kind == Integer:
		k.Number, ok = n.Int64(), n.Int64()>>(t.Bits-1) == n.Int64()>>63 && n.IsInt64()
	default:
		k.Number, ok = n.Int64(), n.IsInt64()
	}
	return k, ok && steps.IsInt()
}

// text is a float in the one way that it is written: of 16 bits as of 32, and no minus
// before zero.
func (t Type) text(f float64) string { return strconv.FormatFloat(f+0, 'f', -1, max(t.Bits, 32)) }

// holds reports whether a float is one of the type.
func (t Type) holds(f float64) bool {
	switch t.Bits {
	case 16:
		_, e := math.Frexp(f) // of eleven digits, the last of 2^-24 or more
		return math.Abs(f) <= 65504 && math.Mod(f, math.Ldexp(1, max(e-11, -24))) == 0
	case 32:
		return f == float64(float32(f))
	}
	return true
}

// half is the number of 16 bits [IEEE 754, binary16].
func half(bits uint16) float64 { return float64(float16.FromBits(bits).Float32()) }
