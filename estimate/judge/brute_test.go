package judge

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A rule's figures in the learning half are those of leaving out one row at a
// time and learning from the others anew, written out row by row.
func TestLeaveOneOut(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for trial := range 400 {
		n, letters, values := 20+rng.IntN(200), 2+rng.IntN(5), 1+rng.IntN(12)
		letter, half, value := make([]int32, n), make([]Half, n), make([]int32, n)
		for i := range n {
			value[i] = int32(rng.IntN(values))
			letter[i] = int32(rng.IntN(1 + rng.IntN(letters)))
			if rng.IntN(2) == 0 {
				letter[i] = value[i] % int32(letters)
			}
			half[i] = Half(rng.IntN(3))
		}
		key := make([]uint64, values)
		for v := range key {
			key[v] = uint64(rng.IntN(5)) << (20 * rng.IntN(3))
		}
		s := NewSample(letter, half, letters)
		law := &Law{Prior: make([]float64, letters), Factor: 1.5, Level: 1e-3}
		for _, x := range letter {
			law.Prior[x] += 1 / float64(n)
		}
		tr := NewTrial(s, law, value, values, []Rule{{Name: "key", Key: func(to []uint64) { copy(to, key) }}})
		if tr.part(0); tr.keys < 2 {
			continue
		}
		tr.arrange(Learn)
		tr.Open, tr.Many = make([]bool, 1), make([]int, 1)
		got := tr.try(0)
		best, first := math.Inf(-1), 0.0
		for _, least := range leasts {
			for _, lead := range leads {
				gain := 0
				for i := range n {
					if half[i] != Learn {
						continue
					}
					switch f := named(s, key, value, i, least, lead); {
					case f == 0:
					case f == s.letter[i]:
						gain++
					case s.letter[i] == 0:
						gain--
					}
				}
				if v := float64(gain) / float64(s.rows[Learn]); v > best {
					best = v
				}
				if least == 1 && lead == 0 {
					first = float64(gain) / float64(s.rows[Learn])
				}
			}
		}
		if !(math.Abs(got.gain-best) <= 1e-12) {
			t.Fatalf("trial %d: gain %v, row by row %v (%v for the loosest)", trial, got.gain, best, first)
		}
	}
}

// named is the letter that the learning rows but row i name for its key.
func named(s *Sample, key []uint64, value []int32, i int, least int32, lead float64) int32 {
	count := make([]int32, len(s.named))
	for k := range value {
		if k != i && s.half[k] == Learn && key[value[k]] == key[value[i]] {
			count[s.letter[k]]++
		}
	}
	mode := int32(0)
	for x, c := range count {
		if c > count[mode] {
			mode = int32(x)
		}
	}
	if c, b := count[mode], count[0]; mode > 0 && c >= least && float64(c-b) >= lead*math.Sqrt(float64(c+b)) {
		return mode
	}
	return 0
}
