package page

import "testing"

// TestWholeTicks: nothing is marked between levels.
func TestWholeTicks(t *testing.T) {
	for _, c := range []struct {
		last float64
		want int // ticks
	}{{3, 4}, {1, 2}, {2.5, 6}} {
		chart := newChart([]Series{{Points: []Point{{0, 0}, {c.last, 1}}}}, c.last != 2.5)
		if n := len(chart.XTicks); n != c.want {
			t.Errorf("0 to %v has %d ticks, want %d", c.last, n, c.want)
		}
	}
}
