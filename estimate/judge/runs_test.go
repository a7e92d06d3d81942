package judge

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Neighbours of shuffled records are equal as often as expected, and seem to be more often
// no oftener than they may; those of records in runs of two are.
func TestRuns(t *testing.T) {
	const trials, n, alarm = 2000, 120, .05
	rng := rand.New(rand.NewPCG(19, 40))
	for _, steep := range []float64{1, 4} {
		wrong, all, of := 0, 0.0, 0.0
		letter := make([]int32, n)
		for i := range letter {
			letter[i] = int32(4 * math.Pow(float64(i)/n, steep))
		}
		sorted := NewRuns(4)
		sorted.Add(append([]int32{-1}, letter...))
		for range trials {
			rng.Shuffle(n, func(i, k int) { letter[i], letter[k] = letter[k], letter[i] })
			r := NewRuns(4)
			r.Add(letter)
			seen, expected := r.Shares()
			if all, of = all+seen, of+expected; r.More(alarm) {
				wrong++
			}
		}
		if wrong > trials*alarm || !(math.Abs(all/of-1) < .02) || !sorted.More(1e-9) {
			t.Errorf("%d of %d shuffled files are taken for others; seen %v, expected %v", wrong, trials, all, of)
		}
	}
}

// A break does not join its neighbours.
func TestRunsBreak(t *testing.T) {
	r := NewRuns(2)
	r.Add([]int32{0})
	r.Break()
	r.Add([]int32{0})
	if seen, _ := r.Shares(); seen != 0 || r.More(.5) {
		t.Error("a break joins its neighbours")
	}
}
