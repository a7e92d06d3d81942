package judge

import "math"

const (
	stirred = 2 // standard deviations from which on keys of few rows seem to tell something
	fewStir = 8 // rows of a letter below which its pairs count for nothing
)

// stirs reports whether rows of one key hold one letter more often than chance brings, both
// halves together: pairs of rows show that where no key has the rows to be learnt. A pair of a letter counts by
// how rare it is, and a key by its rows. It only ever says which rules are not worth more rows.
func (t *Trial) stirs() bool {
	t.arrange(Held, RareHeld)
	count := append(t.weights[:0], make([]float64, len(t.tally))...)
	t.weights = count
	all, letters := 0., 0.
	for h := Learn; h < halves; h++ {
		if t.count[h].from != nil {
			for x, n := range t.sample.of[h] {
				count[x] += float64(n)
				all += float64(n)
			}
		}
	}
	mean := 0. // of what a pair counts
	for x, n := range count {
		if count[x] = 0; n >= fewStir {
			count[x] = all / n
			mean += (n - 1) / (all - 1)
			letters++
		}
	}
	if letters < 2 {
		return true
	}
	excess, spread := 0., 0.
	for k := range t.keys {
		n := 0.
		t.touched = t.touched[:0]
		for h := Learn; h < halves; h++ {
			for _, e := range t.by[h].of(int32(k)) {
				if t.tally[e.letter] == 0 {
					t.touched = append(t.touched, e.letter)
				}
				t.tally[e.letter] += e.count
				n += float64(e.count)
			}
		}
		pairs := 0.
		for _, x := range t.touched {
			c := float64(t.tally[x])
			pairs += c * (c - 1) * count[x]
		}
		t.empty()
		if n >= 2 {
			excess += pairs/(n-1) - n*mean
			spread += 2 * n / (n - 1) * (letters - 1)
		}
	}
	return !(excess < stirred*math.Sqrt(spread))
}
