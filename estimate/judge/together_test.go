package judge

import (
	"math/rand/v2"
	"testing"
)

// Columns that say the same make guesses that are too bold, and worse than the commonest
// letter: what they gain is at most nothing, not less.
func TestTooBoldTogether(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 23))
	const n = 20_000
	letter, half := make([]int32, n), make([]Half, n)
	same := &Part{make([]int32, n), 2, 0}
	for i := range letter {
		same.Key[i] = rng.Int32N(2)
		if rng.Float64() < .35+.1*float64(same.Key[i]) {
			letter[i] = 1
		}
		half[i] = []Half{Learn, Held}[i%2]
	}
	v := Together(NewSample(letter, half, 2), &Law{Level: 1e-6}, []*Part{same, same, same, same})
	if !(v.Gain == 0) || !(v.GainMost >= v.Gain) {
		t.Errorf("gain %v, at most %v", v.Gain, v.GainMost)
	}
}
