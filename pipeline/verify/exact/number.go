package exact

import (
	"math"
	"math/big"
	"regexp"
	"strconv"

	"github.com/tacet-privacy/tacet/pipeline/verify/files"
)

// MaxTotal bounds a row's total and the number of records.
const MaxTotal = files.MaxTotal

// Whole reads a number as it is written: digits, no sign, no leading zero.
func Whole(s string) (int64, bool) {
	v, err := strconv.ParseInt(s, 10, 64)
	return v, err == nil && v >= 0 && v <= MaxTotal && strconv.FormatInt(v, 10) == s
}

// Fraction reads "p/q", or "p" where q is 1, in lowest terms.
func Fraction(s string) (*big.Rat, bool) {
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && c != '/' {
			return nil, false
		}
	}
	if len(s) > 1<<18 {
		return nil, false
	}
	r, ok := new(big.Rat).SetString(s)
	return r, ok && r.RatString() == s
}

// Sum of counts.
func Sum(n []int64) int64 {
	total := int64(0)
	for _, k := range n {
		total += k
	}
	return total
}

// Least is the least count that is not 0; 0 where all are.
func Least(n []int64) (least int64) {
	for _, k := range n {
		if k > 0 && (least == 0 || k < least) {
			least = k
		}
	}
	return least
}

// Occur is how many counts are not 0.
func Occur(n []int64) (occur int) {
	for _, k := range n {
		if k > 0 {
			occur++
		}
	}
	return occur
}

var shareForm = regexp.MustCompile(`^(\d+\.?\d*|\.\d+|\d+/\d*[1-9]\d*)(%?)$`)

// Share reads "10%", "0.1" or "1/10".
func Share(s string) (*big.Rat, bool) {
	m := shareForm.FindStringSubmatch(s)
	if m == nil || len(s) > 25 {
		return nil, false
	}
	r, ok := new(big.Rat).SetString(m[1])
	if ok && m[2] != "" {
		r.Quo(r, big.NewRat(100, 1))
	}
	return r, ok
}

// Near reports whether a and b are equal but for the last bits; scale is the
// size of what was summed.
func Near(a, b, scale float64) bool {
	return math.Abs(a-b) <= 1e-12*max(math.Abs(a), math.Abs(b), scale)
}
