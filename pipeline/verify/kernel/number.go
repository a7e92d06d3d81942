package kernel

import (
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"sync"

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

// wholes reads n numbers whose sum is bounded.
func wholes(text []string, n int) (all []int64, ok bool) {
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
	number := func(s string) (*big.Rat, bool) {
		if len(s) > 250 || !decimal.MatchString(s) && !ratio.MatchString(s) {
			return nil, false
		}
		return new(big.Rat).SetString(s)
	}
	if inner, isLog := strings.CutPrefix(s, "log("); isLog && strings.HasSuffix(inner, ")") {
		t.Factor, ok = number(strings.TrimSuffix(inner, ")"))
		return t, ok && t.Factor.Cmp(one) >= 0
	}
	t.Nats, ok = number(s)
	return t, ok && decimal.MatchString(s)
}

var (
	decimal   = regexp.MustCompile(`^(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})?$`)
	ratio     = regexp.MustCompile(`^\d+/\d*[1-9]\d*$`)
	shareForm = regexp.MustCompile(`^(\d+\.?\d*|\.\d+|\d+/\d*[1-9]\d*)(%?)$`)
)

// Admits reports whether f <= e^target, exactly. A decimal other than 0 is never the
// logarithm of a fraction (Lindemann), so ever tighter enclosures decide.
func (t Target) Admits(f *big.Rat) bool {
	switch {
	case t.Factor != nil:
		return f.Cmp(t.Factor) <= 0
	case f.Cmp(one) <= 0 || t.Nats.Sign() == 0:
		return f.Cmp(one) <= 0
	}
	for prec := uint(128); ; prec *= 2 {
		lo, hi := Log(f, prec)
		if r, _ := hi.Rat(nil); r.Cmp(t.Nats) <= 0 {
			return true
		}
		if r, _ := lo.Rat(nil); r.Cmp(t.Nats) > 0 {
			return false
		}
	}
}

// IsNats reports whether v is log f, f >= 1, rounded up by at most natsSlack.
func IsNats(v float64, f *big.Rat) bool {
	if math.IsNaN(v) || math.IsInf(v, 0) || f.Cmp(one) < 0 {
		return false
	}
	_, hi := Log(f, 128)
	slack, _ := new(big.Float).Sub(new(big.Float).SetFloat64(v), hi).Float64()
	return slack >= 0 && slack <= natsSlack
}

// logTwo is log 2, which nearly every logarithm needs.
var logTwo = sync.OnceValue(func() *big.Float { return series(big.NewRat(2, 1), 512) })

// Log encloses log f, f >= 1, within about 2^(16-prec) of its size plus 1.
//
// f = 2^k m with 1 <= m < 2 and log f = k log 2 + log m, where
// log m = 2 (z + z^3/3 + z^5/5 + ...), z = (m-1)/(m+1) <= 1/3. Partial sums lie below, and
// what is left out is under 9/8 of its first term. Sums are rounded to nearest with 64 bits
// to spare, and a margin of 2^-prec, larger than all roundings together, is put on both
// sides.
func Log(f *big.Rat, prec uint) (lo, hi *big.Float) {
	work := prec + 64
	k := f.Num().BitLen() - f.Denom().BitLen()
	m := new(big.Rat).SetFrac(f.Num(), new(big.Int).Lsh(f.Denom(), uint(max(k, 0))))
	if m.Cmp(one) < 0 {
		k--
		m.Mul(m, big.NewRat(2, 1))
	}
	total := series(m, work)
	if k > 0 {
		two := logTwo()
		if two.Prec() < work {
			two = series(big.NewRat(2, 1), work)
		}
		total.Add(total, new(big.Float).Mul(two, big.NewFloat(float64(k))))
	}
	if total.Sign() == 0 {
		return total, total
	}
	margin := new(big.Float).SetMantExp(big.NewFloat(1), 16-int(prec))
	margin.Mul(margin, new(big.Float).Add(total, big.NewFloat(1)))
	return new(big.Float).Sub(total, margin), new(big.Float).Add(total, margin)
}

// series is log m for 1 <= m <= 2.
func series(m *big.Rat, work uint) *big.Float {
	float := func() *big.Float { return new(big.Float).SetPrec(work) }
	z := float().SetRat(new(big.Rat).Quo(new(big.Rat).Sub(m, one), new(big.Rat).Add(m, one)))
	sum, power, square := float().Set(z), float().Set(z), float().Mul(z, z)
	term, divisor := float(), float()
	for i := int64(3); power.Sign() != 0; i += 2 {
		power.Mul(power, square)
		if term.Quo(power, divisor.SetInt64(i)).MantExp(nil) < -int(work) {
			break
		}
		sum.Add(sum, term)
	}
	return sum.Mul(sum, float().SetInt64(2))
}
