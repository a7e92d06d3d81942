package mechanism

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// Limits on what is read as a number: far beyond any use, and small enough
// that its exact arithmetic stays cheap.
const (
	maxDigits   = 100
	maxExponent = 1000
)

// decimal is digits with an optional point and exponent: no sign, no inf or nan, no hexadecimal and
// no underscore. fraction is of integers.
var (
	decimal  = regexp.MustCompile(`^(\d+\.?\d*|\.\d+)([eE]([+-]?\d+))?$`)
	fraction = regexp.MustCompile(`^\d+/\d+$`)
)

// parseDecimal reads a decimal, exactly.
func parseDecimal(s string) (*big.Rat, error) {
	part := decimal.FindStringSubmatch(s)
	switch lower := strings.ToLower(strings.TrimLeft(s, "+-")); {
	case s == "":
		return nil, errors.New("it is empty")
	case len(s) > maxDigits:
		return nil, fmt.Errorf("it is longer than %d characters", maxDigits)
	case lower == "inf" || lower == "infinity" || lower == "nan":
		return nil, errors.New("it is not a finite number")
	case s[0] == '-':
		return nil, errors.New("it is negative")
	case part == nil:
		return nil, errors.New("it is not a decimal such as 0.85")
	}
	if part[3] != "" {
		if e, err := strconv.Atoi(part[3]); err != nil || e > maxExponent || e < -maxExponent {
			return nil, fmt.Errorf("its exponent is outside -%d..%d", maxExponent, maxExponent)
		}
	}
	v, _ := new(big.Rat).SetString(s)
	return v, nil
}

// parseRatio reads a decimal or a fraction p/q of integers.
func parseRatio(s string) (*big.Rat, error) {
	switch p, q, found := strings.Cut(s, "/"); {
	case !found:
		return parseDecimal(s)
	case strings.HasPrefix(p, "-"):
		return nil, errors.New("it is negative")
	case !fraction.MatchString(s) || len(p) > maxDigits || len(q) > maxDigits:
		return nil, errors.New("it is not a fraction such as 7/3")
	case strings.Trim(q, "0") == "":
		return nil, errors.New("its denominator is 0")
	}
	v, _ := new(big.Rat).SetString(s)
	return v, nil
}

// quote shows what was read, cut where it is long.
func quote(s string) string {
	if len(s) > 40 {
		s = s[:40] + "..."
	}
	return strconv.Quote(s)
}

// FloatUp is the least float that is not below f.
func FloatUp(f *big.Rat) float64 {
	v, _ := f.Float64()
	if new(big.Rat).SetFloat64(v).Cmp(f) < 0 {
		return math.Nextafter(v, math.Inf(1))
	}
	return v
}
