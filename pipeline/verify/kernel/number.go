package kernel

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/kernel/files"
)

// A Row is the law of one input letter.
type Row = files.Row

const (
	// maxTotal bounds a row's total and the number of records.
	maxTotal = files.MaxTotal
	// natsSlack is how far a logarithm may be rounded up, in nats.
	natsSlack = 1e-9
)

// one is not to be changed.
var one = big.NewRat(1, 1)

// Whole reads a number as it is written: digits, no sign, no leading zero.
func Whole(s string) (int64, bool) {
	v, err := strconv.ParseInt(s, 10, 64)
	return v, err == nil && v >= 0 && v <= maxTotal && strconv.FormatInt(v, 10) == s
}

// Wholes reads n numbers whose sum is bounded.
func Wholes(text []string, n int) (all []int64, ok bool) {
	total := int64(0)
	for _, s := range text {
		c, ok := Whole(s)
		if !ok || c > maxTotal-total {
			return nil, false
		}
		all, total = append(all, c), total+c
	}
	return all, len(all) == n
}

// Fraction reads "p/q", or "p" where q is 1, in lowest terms.
func Fraction(s string) (*big.Rat, bool) {
	if len(s) > 1<<18 || strings.Trim(strings.TrimPrefix(s, "-"), "0123456789/") != "" {
		return nil, false
	}
	r, ok := new(big.Rat).SetString(s)
	return r, ok && r.RatString() == s
}

// number reads a decimal or p/q, not negative.
func number(s string) (*big.Rat, bool) {
	if len(s) > 250 || !decimal.MatchString(s) && !ratio.MatchString(s) {
		return nil, false
	}
	return new(big.Rat).SetString(s)
}

// Share reads "10%", "0.1" or "1/10".
func Share(s string) (*big.Rat, bool) {
	text, percent := strings.CutSuffix(s, "%")
	r, ok := number(text)
	if ok && percent {
		r.Quo(r, big.NewRat(100, 1))
	}
	return r, ok && len(s) <= 25 && !strings.ContainsAny(s, "eE")
}

func sum(n []int64) (total int64) {
	for _, k := range n {
		total += k
	}
	return total
}

// A Target is the bound that was asked for: a decimal in nats, or the logarithm of a factor.
type Target struct{ Nats, Factor *big.Rat }

// ParseTarget reads a decimal or log(p/q).
func ParseTarget(s string) (t Target, ok bool) {
	if inner, isLog := strings.CutPrefix(s, "log("); isLog && strings.HasSuffix(inner, ")") {
		t.Factor, ok = number(strings.TrimSuffix(inner, ")"))
		return t, ok && t.Factor.Cmp(one) >= 0
	}
	t.Nats, ok = number(s)
	return t, ok && decimal.MatchString(s)
}

var (
	decimal = regexp.MustCompile(`^(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})?$`)
	ratio   = regexp.MustCompile(`^\d+/\d*[1-9]\d*$`)
)

// Admits reports whether f <= e^target, exactly. e to a fraction other than 0 is no fraction
// (Lindemann), so ever tighter enclosures decide.
func (t Target) Admits(f *big.Rat) bool {
	switch {
	case t.Factor != nil:
		return f.Cmp(t.Factor) <= 0
	case f.Cmp(one) <= 0 || t.Nats.Sign() <= 0:
		return f.Cmp(one) <= 0
	}
	if bits := f.Num().BitLen() - f.Denom().BitLen() + 1; t.Nats.Cmp(big.NewRat(int64(bits), 1)) >= 0 {
		return true // f < 2^bits
	}
	for prec := uint(128); ; prec *= 2 {
		lo, hi := exp(t.Nats, prec)
		if r, _ := lo.Rat(nil); f.Cmp(r) <= 0 {
			return true
		}
		if r, _ := hi.Rat(nil); f.Cmp(r) > 0 {
			return false
		}
	}
}

// IsNats reports whether v is log f, f >= 1, rounded up by at most natsSlack.
func IsNats(v float64, f *big.Rat) bool {
	above, below := new(big.Rat).SetFloat64(v), new(big.Rat).SetFloat64(v-natsSlack)
	if above == nil || !(v >= 0) || f.Cmp(one) < 0 {
		return false
	}
	return Target{Nats: above}.Admits(f) && (v <= natsSlack || !Target{Nats: below}.Admits(f))
}

// exp encloses e^x, 0 < x < 2^24, within 2^-prec of its size. It is (1 + y + y^2/2! + ...)^(2^k)
// with y = x/2^k < 1/2; what is left out of the sum is under twice its first term. Every
// operation rounds to nearest with 64 bits to spare, and each squaring doubles what is off so far:
// all of it together is less than the margin.
func exp(x *big.Rat, prec uint) (lo, hi *big.Float) {
	work := prec + 64
	float := func() *big.Float { return new(big.Float).SetPrec(work) }
	y := float().SetRat(x)
	k := max(0, y.MantExp(nil)+1)
	y.SetMantExp(y, -k)
	sum, term := float().SetInt64(1), float().SetInt64(1)
	for i := int64(1); term.MantExp(nil) > -int(work); i++ {
		term.Quo(term.Mul(term, y), float().SetInt64(i))
		sum.Add(sum, term)
	}
	for range k {
		sum.Mul(sum, sum)
	}
	margin := float().SetMantExp(sum, -int(prec))
	return float().Sub(sum, margin), float().Add(sum, margin)
}
