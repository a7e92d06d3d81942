package mechanism

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Limits on what is read as a number: far beyond any use, and small enough
// that its exact arithmetic stays cheap.
const (
	maxDigits   = 100
	maxExponent = 1000
)

// parseDecimal reads digits with an optional point and exponent, exactly. It
// has no sign, no inf or nan, no hexadecimal and no underscore.
func parseDecimal(s string) (*big.Rat, error) {
	switch lower := strings.ToLower(strings.TrimLeft(s, "+-")); {
	case s == "":
		return nil, errors.New("it is empty")
	case len(s) > maxDigits:
		return nil, fmt.Errorf("it is longer than %d characters", maxDigits)
	case lower == "inf" || lower == "infinity" || lower == "nan":
		return nil, errors.New("it is not a finite number")
	case s[0] == '-':
		return nil, errors.New("it is negative")
	}
	mantissa, exponent, found := s, "", false
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa, exponent, found = s[:i], s[i+1:], true
	}
	whole, part, _ := strings.Cut(mantissa, ".")
	if whole+part == "" || !digits(whole) || !digits(part) {
		return nil, errors.New("it is not a decimal such as 0.85")
	}
	e := 0
	if found {
		unsigned := strings.TrimLeft(exponent, "+-")
		if unsigned == "" || len(exponent) > len(unsigned)+1 || !digits(unsigned) {
			return nil, errors.New("its exponent is malformed")
		}
		var err error
		if e, err = strconv.Atoi(exponent); err != nil || e > maxExponent || e < -maxExponent {
			return nil, fmt.Errorf("its exponent is outside -%d..%d", maxExponent, maxExponent)
		}
	}
	num, _ := new(big.Int).SetString(whole+part, 10)
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(e-len(part), len(part)-e))), nil)
	if e >= len(part) {
		return new(big.Rat).SetInt(num.Mul(num, scale)), nil
	}
	return new(big.Rat).SetFrac(num, scale), nil
}

// parseRatio reads a decimal or a fraction p/q of integers.
func parseRatio(s string) (*big.Rat, error) {
	p, q, fraction := strings.Cut(s, "/")
	if !fraction {
		return parseDecimal(s)
	}
	if strings.HasPrefix(p, "-") {
		return nil, errors.New("it is negative")
	}
	if p == "" || q == "" || !digits(p) || !digits(q) || len(p) > maxDigits || len(q) > maxDigits {
		return nil, errors.New("it is not a fraction such as 7/3")
	}
	num, _ := new(big.Int).SetString(p, 10)
	den, _ := new(big.Int).SetString(q, 10)
	if den.Sign() == 0 {
		return nil, errors.New("its denominator is 0")
	}
	return new(big.Rat).SetFrac(num, den), nil
}

func digits(s string) bool {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
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
