package judge

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Keys of few rows seem to tell something as often as a normal variable is above the
// threshold where they tell nothing, and nearly always where a fifth of the rows follow them.
func TestStirs(t *testing.T) {
	const trials, n, keys, letters = 300, 4096, 3000, 8
	rng := rand.New(rand.NewPCG(7, 3))
	for _, share := range []float64{0, .2} {
		stir := 0
		for range trials {
			letter, half, value := make([]int32, n), make([]Half, n), make([]int32, n)
			law := &Law{Prior: make([]float64, letters), Factor: 2, Level: 1e-3}
			for i := range letter {
				value[i] = int32(rng.IntN(keys))
				letter[i] = int32(letters * math.Pow(rng.Float64(), 1.5))
				if key := uint64(value[i]) * 0x9e3779b97f4a7c15; float64(key>>40%1000) < 1000*share {
					letter[i] = int32(key >> 33 % letters)
				}
				half[i] = Learn + Half(rng.IntN(2))
				law.Prior[letter[i]] += 1. / n
			}
			s := NewSample(letter, half, letters)
			tr := NewTrial(s, law, value, keys, []Rule{{Name: "key", Key: func(to []uint64) {
				for v := range to {
					to[v] = uint64(v)
				}
			}}})
			tr.part(0)
			tr.arrange(Learn)
			if tr.stirs() {
				stir++
			}
		}
		if share == 0 && (stir == 0 || stir > trials/12) || share > 0 && stir < trials-3 {
			t.Errorf("%d of %d stir where %v of the rows follow their keys", stir, trials, share)
		}
	}
}
