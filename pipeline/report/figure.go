package report

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/tacet-privacy/tacet/mechanism"
	"github.com/tacet-privacy/tacet/pipeline/claim"
)

// FactorUp shows a factor so that it can be given to --max-factor: exactly
// where it is short, else rounded up to a millionth.
func FactorUp(f *big.Rat) string {
	if s := f.RatString(); len(s) <= 24 {
		return s
	}
	const unit = 1_000_000
	n := new(big.Int).Mul(f.Num(), big.NewInt(unit))
	n.Add(n.Quo(n, f.Denom()), big.NewInt(1))
	return new(big.Rat).SetFrac(n, big.NewInt(unit)).RatString()
}

// Nats shows the log of a factor, rounded up to four decimals.
func Nats(factor *big.Rat) string {
	return RoundUp(mechanism.Nats(factor), 4)
}

var (
	decimalNumber  = regexp.MustCompile(`^(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$`)
	fractionNumber = regexp.MustCompile(`^\d+/\d*[1-9]\d*$`)
)

// Number reads a decimal or a fraction p/q, not negative, exactly.
func Number(s string) (*big.Rat, bool) {
	if len(s) > 250 || !decimalNumber.MatchString(s) && !fractionNumber.MatchString(s) {
		return nil, false
	}
	return new(big.Rat).SetString(s)
}

// Counts are counts as documents hold them: as texts, since they may pass 2^53.
func Counts(count []int64) []string {
	out := make([]string, len(count))
	for i, c := range count {
		out[i] = strconv.FormatInt(c, 10)
	}
	return out
}

// Several is a number and what it counts, in the singular where it is one.
func Several[N int | int64](n N, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// NotPrivate stamps reports of runs whose draws can be repeated.
const NotPrivate = "NOT A PRIVATE RELEASE"

// RoundUp shows v rounded up to so many decimals, so that a bound stays one.
var RoundUp = claim.RoundUp

// Measured is a utility, or as a distance where it has a unit: that is what utility is
// minus of. A distance is rounded up.
func Measured(v float64, unit string) string {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "none"
	case unit == "":
		return strconv.FormatFloat(v+0, 'g', 6, 64)
	}
	d, digits := max(0, -v), 0
	switch {
	case d > 0 && d < 1:
		digits = 4
	case d > 0 && d < 100:
		digits = 2
	}
	return Grouped(RoundUp(d, digits)) + " " + unit
}

// Mean names a mean utility, or a mean distance where it has a unit.
func Mean(v float64, unit string) string {
	if unit == "" {
		return "mean utility " + Measured(v, unit)
	}
	return "mean distance " + Measured(v, unit)
}

// Grouped puts a comma between thousands.
func Grouped(decimal string) string {
	whole, rest, point := strings.Cut(decimal, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if point && strings.Trim(rest, "0") != "" {
		whole += "." + strings.TrimRight(rest, "0")
	}
	return whole
}
