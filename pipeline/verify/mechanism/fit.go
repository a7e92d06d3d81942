package mechanism

import (
	"math"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
)

// Alarm is how often a file that was drawn from its plan is refused.
const Alarm = 1e-9

// A fit compares counts with the law they should have. T is the sum over rows
// of n_x D(observed || law) in nats, half of G. For n records of k possible
// outputs E exp(t n D) <= (1-t)^-(k-1), 0 <= t < 1, at every n [Agrawal 2020,
// "Finite-sample concentration of the multinomial in relative entropy"]; rows
// are independent, so with K = sum (k_x - 1), by Chernoff,
//
//	Pr(T >= s) <= exp(-s) (e s/K)^K  for s > K.
type fit struct {
	rows     int
	Sum      float64 // T
	freedom  int     // K
	rowTail  float64 // the least log-bound of one row
	excluded int64   // records that the law excludes
}

// A compensated sum keeps what rounding loses [Knuth, TwoSum].
type compensated struct{ sum, lost, size float64 }

// row adds the records of one row: what was seen of each possible output, and
// what of everything else.
func (f *fit) row(expected []float64, seen []int64, other int64) {
	t := 0.0
	for i, e := range expected {
		k := float64(seen[i])
		// k log(k/e) - k + e, which is not negative and sums to n D.
		if t += e - k; k > 0 {
			t += k * math.Log(k/e)
		}
	}
	t = max(t, 0)
	tail := logTail(t, len(expected)-1)
	if f.rows == 0 || tail < f.rowTail {
		f.rowTail = tail
	}
	f.rows++
	f.Sum += t
	f.freedom += len(expected) - 1
	f.excluded += other
}

// Accepted spends half of the alarm on the sum and half on the rows, divided
// among them.
func (f *fit) Accepted() bool {
	return f.excluded == 0 && logTail(f.Sum, f.freedom) >= math.Log(Alarm/2) &&
		(f.rows == 0 || f.rowTail >= math.Log(Alarm/2/float64(f.rows)))
}

// logTail is the logarithm of the bound on Pr(T >= s), 0 where it says nothing.
func logTail(s float64, freedom int) float64 {
	k := float64(freedom)
	if freedom == 0 || s <= k {
		return 0
	}
	return k - s + k*math.Log(s/k)
}

// FitPairs compares the pairs with the rows of the mechanism.
func FitPairs(v *document.View) *fit {
	f := &fit{}
	count := make([]int64, len(v.Plan.Outputs)) // of the pairs of one input
	var expected []float64
	var seen []int64
	for x, r := range v.Rows {
		n := v.Pairs.In[x]
		if n == 0 {
			continue
		}
		v.Pairs.Row(x, func(y int, k int64) { count[y] = k })
		expected, seen = expected[:0], seen[:0]
		rest := n
		for i, y := range r.Output {
			expected = append(expected, float64(n)*(float64(r.Weight[i])/float64(r.Total)))
			seen = append(seen, count[y])
			rest -= count[y]
		}
		v.Pairs.Row(x, func(y int, _ int64) { count[y] = 0 })
		f.row(expected, seen, rest)
	}
	return f
}

// fitOutputs compares the outputs alone with the law that rows and counts
// give their sum. The records are independent and not alike; the bound for
// alike ones holds for them, too.
func fitOutputs(v *document.View) *fit {
	law := make([]float64, len(v.Plan.Outputs))
	for x, r := range v.Rows {
		for i, y := range r.Output {
			law[y] += float64(v.Count[x]) * (float64(r.Weight[i]) / float64(r.Total))
		}
	}
	var expected []float64
	var seen []int64
	other := int64(0)
	for y, e := range law {
		if e > 0 {
			expected, seen = append(expected, e), append(seen, v.Pairs.Out[y])
		} else {
			other += v.Pairs.Out[y]
		}
	}
	f := &fit{}
	f.row(expected, seen, other)
	return f
}

func (k *compensated) add(v float64) {
	t := k.sum + v
	b := t - k.sum
	k.lost += (k.sum - (t - b)) + (v - b)
	k.sum = t
	k.size += math.Abs(v)
}

func (k *compensated) value() float64 { return k.sum + k.lost }
