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
	parts := []*arranged{&t.keyed, &t.other[0]}
	t.other[0].arrange(&t.held, t.id, t.keys)
	count := append(t.count[:0], make([]float64, len(t.tally))...)
	t.count = count
	halves := [][]int32{t.sample.learnt, t.sample.holders}
	if t.more != nil {
		t.other[1].arrange(&t.more.held, t.id, t.keys)
		parts = append(parts, &t.more.keyed, &t.other[1])
		halves = append(halves, t.sample.extra.learnt, t.sample.extra.holders)
	}
	all, letters := 0., 0.
	for _, of := range halves {
		for x, n := range of {
			count[x] += float64(n)
			all += float64(n)
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
		for _, p := range parts {
			for _, e := range p.of(k) {
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
