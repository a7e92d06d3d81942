package estimate

import (
	"gonum.org/v1/gonum/mathext"
)

// AtLeast is the one-sided lower confidence bound of Clopper and Pearson [1934]:
// for hits of n independent records it is not above their probability, save
// with probability delta. It is BetaInv(delta; hits, n-hits+1), rounded down;
// 0 without a hit, and 1 is never claimed. It panics unless 0 <= hits <= n and
// 0 < delta < 1.
func AtLeast(hits, n int64, delta float64) float64 {
	if hits < 0 || hits > n || !(delta > 0 && delta < 1) {
		panic("estimate: hits outside 0..n, or delta outside (0,1)")
	}
	if hits == 0 {
		return 0
	}
	a, b := float64(hits), float64(n-hits)+1
	p := mathext.InvRegIncBeta(a, b, delta)
	// The inverse is approximate, and far too low close to 1 for some shapes.
	if mathext.RegIncBeta(a, b, p) < .999*delta {
		high := 1.0
		for mid := (p + high) / 2; p < mid && mid < high; mid = (p + high) / 2 {
			if mathext.RegIncBeta(a, b, mid) <= delta {
				p = mid
			} else {
				high = mid
			}
		}
	}
	// Step down until the tail is within delta.
	for step := 1e-15; !(mathext.RegIncBeta(a, b, p) <= delta*(1-1e-12)); step *= 2 {
		p *= 1 - step
	}
	return p
}
