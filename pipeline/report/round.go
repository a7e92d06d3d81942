package report

import (
	"math"
	"strconv"
)

// NotPrivate stamps reports of runs whose draws can be repeated.
const NotPrivate = "NOT A PRIVATE RELEASE"

// RoundUp shows v rounded up to so many decimals, so that a bound stays one.
func RoundUp(v float64, decimals int) string {
	p := math.Pow10(decimals)
	up := math.Ceil(v*p) / p
	if math.IsInf(up, 0) || up < v {
		up = v
	}
	return strconv.FormatFloat(up, 'f', -1, 64)
}
