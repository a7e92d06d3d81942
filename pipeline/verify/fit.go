package verify

import "math"

// alarm is how often a file that was drawn from its plan is refused.
const alarm = 1e-9

// A fit compares counts with the law they should have. T is the sum over rows
// of n_x D(observed || law) in nats, half of G. For n records of k possible
// outputs E exp(t n D) <= (1-t)^-(k-1), 0 <= t < 1, at every n [Agrawal 2020,
// "Finite-sample concentration of the multinomial in relative entropy"]; rows
// are independent, so with K = sum (k_x - 1), by Chernoff,
//
//	Pr(T >= s) <= exp(-s) (e s/K)^K  for s > K.
type fit struct {
	rows     int
	sum      float64 // T
	freedom  int     // K
	rowTail  float64 // the least log-bound of one row
	excluded int64   // records that the law excludes
}

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
	f.sum += t
	f.freedom += len(expected) - 1
	f.excluded += other
}

// accepted spends half of the alarm on the sum and half on the rows, divided
// among them.
func (f *fit) accepted() bool {
	return f.excluded == 0 && logTail(f.sum, f.freedom) >= math.Log(alarm/2) &&
		(f.rows == 0 || f.rowTail >= math.Log(alarm/2/float64(f.rows)))
}

// logTail is the logarithm of the bound on Pr(T >= s), 0 where it says nothing.
func logTail(s float64, freedom int) float64 {
	k := float64(freedom)
	if freedom == 0 || s <= k {
		return 0
	}
	return k - s + k*math.Log(s/k)
}

// fitPairs compares the pairs with the rows of the mechanism.
func (v *verifier) fitPairs() *fit {
	f := &fit{}
	for x, r := range v.rows {
		n := v.pairs.in[x]
		if n == 0 {
			continue
		}
		expected, seen := make([]float64, len(r.output)), make([]int64, len(r.output))
		rest := n
		for i, y := range r.output {
			expected[i] = float64(n) * (float64(r.weight[i]) / float64(r.total))
			seen[i] = v.pairs.pair(x, int(y))
			rest -= seen[i]
		}
		f.row(expected, seen, rest)
	}
	return f
}

// fitOutputs compares the outputs alone with the law that rows and counts
// give their sum. The records are independent and not alike; the bound for
// alike ones holds for them, too.
func (v *verifier) fitOutputs() *fit {
	law := make([]float64, len(v.plan.Outputs))
	for x, r := range v.rows {
		for i, y := range r.output {
			law[y] += float64(v.count[x]) * (float64(r.weight[i]) / float64(r.total))
		}
	}
	var expected []float64
	var seen []int64
	other := int64(0)
	for y, e := range law {
		if e > 0 {
			expected, seen = append(expected, e), append(seen, v.pairs.out[y])
		} else {
			other += v.pairs.out[y]
		}
	}
	f := &fit{}
	f.row(expected, seen, other)
	return f
}
