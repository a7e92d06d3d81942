package claim

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// RoundUp shows v rounded up to so many decimals, so that a bound stays one.
func RoundUp(v float64, decimals int) string {
	p := math.Pow10(decimals)
	up := math.Ceil(v*p) / p
	if math.IsInf(up, 0) || up < v {
		up = v
	}
	return strconv.FormatFloat(up, 'f', -1, 64)
}

// Decimals is a fraction "p/q" with at most so many decimals, rounded up or
// down in exact arithmetic: a bound stays one, and 5/2 is 2.5.
func Decimals(fraction string, places int, up bool) (string, bool) {
	const most = 4096 // digits of what a report may hold
	f, ok := new(big.Rat).SetString(fraction)
	if !ok || len(fraction) > most || strings.ContainsAny(fraction, ".eEpP") {
		return "", false
	}
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil)
	n, rest := new(big.Int).DivMod(new(big.Int).Mul(f.Num(), scale), f.Denom(), new(big.Int))
	if up && rest.Sign() > 0 {
		n.Add(n, big.NewInt(1))
	}
	s := new(big.Rat).SetFrac(n, scale).FloatString(places)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), "."), true
}

// InHundred is a share as so many in 100, rounded up to three digits; 100 only
// where it is reached, or closer than can be shown.
func InHundred(share float64) string {
	return inHundred(share, func(units float64) float64 { return math.Ceil(units * (1 - 1e-12)) })
}

// FromHundred is a threshold on a share as so many in 100, rounded down to three
// digits: what may happen from it on is not told of less than that.
func FromHundred(share float64) string { return inHundred(share, math.Floor) }

func inHundred(share float64, round func(units float64) float64) string {
	v := min(100, 100*share)
	if !(v > 0) {
		return "0 in 100"
	}
	unit := math.Pow10(int(math.Floor(math.Log10(v))) - 2)
	return strconv.FormatFloat(min(100, round(v/unit)*unit), 'g', 3, 64) + " in 100"
}

// Points is a limit of shares as it was asked for, in points where it is in percent.
func Points(limit string) string {
	if text, ok := strings.CutSuffix(limit, "%"); ok {
		return strings.TrimSpace(text) + " points"
	}
	return limit + " of all"
}

// Times is a factor rounded up: exactly where it has few decimals, and from its
// nats, which are rounded up, where the fraction cannot be read.
func Times(fraction string, nats float64) string {
	if exact, ok := Decimals(fraction, 4, true); ok {
		return exact
	}
	return RoundUp(math.Exp(nats), 4)
}

// TimesDown is a factor rounded down to three digits.
func TimesDown(f float64) string {
	for _, ten := range []float64{100, 10} {
		if f*ten < 1000 {
			return strconv.FormatFloat(math.Floor(f*ten)/ten, 'g', 4, 64)
		}
	}
	return strconv.FormatFloat(math.Floor(f), 'f', 0, 64)
}

// Exactly shows a fraction that is short enough to be read.
func Exactly(fraction string) string {
	if len(fraction) > 24 {
		return "; the exact fraction is in report.json"
	}
	return "; exactly " + fraction
}

// Brisk cuts what stands in a sentence; the tables have it whole.
func Brisk(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		return string(r[:most-3]) + "..."
	}
	return s
}

// Quoted is a name as people read it. One that could be taken for something
// else is quoted: nothing, blanks at an end, null, or what a spreadsheet would
// run when a table is pasted into it.
func Quoted(s string) string {
	_, err := strconv.ParseFloat(s, 64)
	if s == "" || strings.TrimSpace(s) != s || s == "(null)" || s[0] == '"' || strings.ContainsRune("=+-@", rune(s[0])) &&
		err != nil {
		return `"` + s + `"`
	}
	return s
}
