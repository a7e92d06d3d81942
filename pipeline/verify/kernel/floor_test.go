package kernel

import "testing"

// TestRanks: a row with ties, in the order of ranks and from the best on.
func TestRanks(t *testing.T) {
	value := []float64{-2, -1, -2, 0, -1, -3}
	ranks, copied := []int{2, 4, 3, 6, 5, 1}, make([]float64, len(value))
	for y, want := range ranks {
		if got := rank(value, y); got != want {
			t.Errorf("output %d has rank %d, want %d", y, got, want)
		}
	}
	for k, want := range []float64{0, -1, -1, -2, -2, -3} {
		if got := nearest(value, copied, k+1); got != want {
			t.Errorf("best %d is worth %v, want %v", k+1, got, want)
		}
	}
}
