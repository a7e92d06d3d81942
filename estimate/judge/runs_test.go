package judge

import (
	"math"
	"testing"
)

// TestRunsLaw compares mean and variance with all orders of seven records.
func TestRunsLaw(t *testing.T) {
	letter := []int32{0, 0, 0, 1, 1, 2, 2}
	var equal []float64
	var walk func(k int)
	walk = func(k int) {
		if k == len(letter) {
			n := 0.0
			for i := 1; i < len(letter); i++ {
				if letter[i] == letter[i-1] {
					n++
				}
			}
			equal = append(equal, n)
			return
		}
		for i := k; i < len(letter); i++ {
			letter[k], letter[i] = letter[i], letter[k]
			walk(k + 1)
			letter[k], letter[i] = letter[i], letter[k]
		}
	}
	walk(0)
	mean, square := 0.0, 0.0
	for _, v := range equal {
		mean += v / float64(len(equal))
		square += v * v / float64(len(equal))
	}
	sorted := NewRuns(3)
	sorted.Add([]int32{0, 0, -1, 0, 1})
	sorted.Add([]int32{1, 2, 2})
	seen, expected := sorted.Shares()
	want := (4 - mean) / math.Sqrt(square-mean*mean)
	if !(math.Abs(seen-4./6) <= 1e-12 && math.Abs(expected*6-mean) <= 1e-9 && math.Abs(sorted.Excess()-want) <= 1e-9) {
		t.Errorf("seen %v, expected %v of %v, excess %v, want %v", seen, expected*6, mean, sorted.Excess(), want)
	}
}

// A break does not join its neighbours.
func TestRunsBreak(t *testing.T) {
	r := NewRuns(2)
	r.Add([]int32{0})
	r.Break()
	r.Add([]int32{0})
	if seen, _ := r.Shares(); seen != 0 || r.Excess() != 0 {
		t.Error("a break joins its neighbours")
	}
}
