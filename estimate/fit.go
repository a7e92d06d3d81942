package estimate

import (
	"math"

	"github.com/tacet-privacy/tacet/mechanism"
)

// Alarm is the false-alarm rate at which a written file is tested: how often a
// correct one may be refused.
const Alarm = 1e-9

// A Goodness compares published letters with the law that they should have.
//
// The statistic is T = sum over rows x of n_x D(p^_x || p_x) in nats, half of
// what is called G. For one row of k possible outputs the moment generating
// function E exp(t n D) is at most (1-t)^-(k-1) for 0 <= t < 1, at every n
// [Agrawal 2020, "Finite-sample concentration of the multinomial in relative
// entropy", IEEE Trans. Inf. Theory 2020: that of a gamma law of shape k-1 and
// rate n]. Given the private letters the rows are independent, so the product
// bounds all of them with K = sum (k_x - 1), and by Chernoff
//
//	Pr(T >= s) <= exp(-s) (e s / K)^K    for s > K.
//
// TestTailBound compares this with exact tails. No asymptotic law is used.
type Goodness struct {
	Records   int64   // compared
	Rows      int     // with records
	Forbidden int64   // records that the law excludes
	Statistic float64 // T, in nats
	LogTail   float64 // log of the bound on Pr(T >= Statistic); at most 0
	Row       int     // the row with the least bound of its own; -1 if no row was compared
	RowTail   float64 // log of that row's bound
}

// Accepts reports whether the records fit at a false-alarm rate: no forbidden
// record, half of the rate for the sum, half divided among the rows
// [Bonferroni]. One forbidden record is never accepted.
func (f Goodness) Accepts(alarm float64) bool {
	return f.Forbidden == 0 && f.LogTail >= math.Log(alarm/2) &&
		(f.Rows == 0 || f.RowTail >= math.Log(alarm/2/float64(f.Rows)))
}

// Fit compares the pairs with the rows of m.
func (p *Pairs) Fit(m *mechanism.Mechanism) Goodness {
	if m.Inputs() != p.inputs || m.Outputs() != p.outputs {
		panic("estimate: pairs and mechanism differ in letters")
	}
	f := Goodness{Forbidden: p.stray, Row: -1}
	freedom := 0
	for x, n := range p.Records() {
		if n == 0 {
			continue
		}
		r := m.Row(x)
		t, seen := 0.0, int64(0)
		for i, y := range r.Output {
			k := p.Count(x, int(y))
			seen += k
			t += divergence(float64(k), float64(n)*(float64(r.At(i))/float64(r.Total)))
		}
		f.row(x, n, n-seen, t, len(r.Output)-1)
		freedom += len(r.Output) - 1
	}
	f.LogTail = logTail(f.Statistic, freedom)
	return f
}

// FitOutputs compares the published letters alone, by output, with the law
// that m and the private counts give their sum. The records are independent but
// not alike; the bound for alike ones holds: exp(t T) is a product over outputs
// of functions with non-decreasing ratios of the output's count, and averaging
// the laws of any two records can only raise the mean of such a product.
func FitOutputs(m *mechanism.Mechanism, private, published []int64) Goodness {
	if len(private) != m.Inputs() || len(published) != m.Outputs() {
		panic("estimate: counts and mechanism differ in letters")
	}
	expect, n := make([]float64, m.Outputs()), int64(0)
	for _, b := range m.Blocks() { // letters that share a row count as one
		held := int64(0)
		for _, x := range b.Letters {
			held += private[x]
		}
		if n += held; held == 0 {
			continue
		}
		for i, y := range b.Row.Output {
			expect[y] += float64(held) * (float64(b.Row.At(i)) / float64(b.Row.Total))
		}
	}
	t, forbidden, seen, freedom := 0.0, int64(0), int64(0), -1
	for y, k := range published {
		seen += k
		if expect[y] == 0 {
			forbidden += k
			continue
		}
		freedom++
		t += divergence(float64(k), expect[y])
	}
	// Another number of records than were private is a fault of its own.
	forbidden += max(seen-n, n-seen)
	f := Goodness{Row: -1}
	f.row(-1, n, forbidden, t, max(freedom, 0))
	f.LogTail = f.RowTail
	return f
}

func (f *Goodness) row(x int, records, forbidden int64, t float64, freedom int) {
	tail := logTail(t, freedom)
	if f.Rows == 0 || !(tail >= f.RowTail) {
		f.Row, f.RowTail = x, tail
	}
	f.Rows++
	f.Records += records
	f.Forbidden += forbidden
	f.Statistic += t
}

// divergence is seen log(seen/expected) - seen + expected: never negative, and
// n D when summed over the outputs of a row.
func divergence(seen, expected float64) float64 {
	if seen == 0 {
		return expected
	}
	d := (seen - expected) / expected
	return expected * ((1+d)*math.Log1p(d) - d)
}

// logTail is log of exp(-s) (e s/K)^K, 0 where that bounds nothing.
func logTail(s float64, freedom int) float64 {
	k := float64(freedom)
	if s <= k || freedom == 0 {
		return 0
	}
	return k - s + k*math.Log(s/k)
}
